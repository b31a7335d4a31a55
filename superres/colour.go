package superres

import (
	"slices"

	"superres/superres/stage"
)

// colourStage returns what enlarges the colour of a picture whose file keeps it at half the resolution of
// brightness, or at the same; nil: interpolation does.
func (m *Model) colourStage(subsampled bool) stage.Colour {
	if subsampled && m.Subsampled != nil {
		return m.Subsampled
	}
	return m.Colour
}

// colourStages returns all that enlarges colour in the model.
func (m *Model) colourStages() (list []stage.Colour) {
	for _, c := range []stage.Colour{m.Colour, m.Subsampled} {
		if c != nil {
			list = append(list, c)
		}
	}
	return list
}

// enlargesColour tells whether a pass has a network for colour, so that colour goes through the passes with
// brightness.
func (m *Model) enlargesColour(s sizes) bool {
	return slices.ContainsFunc(m.chainModels(s), func(model *Model) bool { return len(model.colourStages()) > 0 })
}
