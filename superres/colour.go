package superres

import (
	"slices"

	"superres/superres/stage"
)

// colourStage returns the network that enlarges colour; nil means that colour is interpolated. subsampled says that the
// file of the picture keeps colour at half the resolution of brightness, not at the same.
func (m *Model) colourStage(subsampled bool) stage.Colour {
	if subsampled && m.Subsampled != nil {
		return m.Subsampled
	}
	return m.Colour
}

// colourField is a field of a model with a network for colour, and its name in a model file.
type colourField struct {
	name  string
	field *stage.Colour
}

// colourFields returns the fields of the model with networks for colour.
func (m *Model) colourFields() []colourField {
	return []colourField{{"colour", &m.Colour}, {"subsampled", &m.Subsampled}}
}

// colourStages returns the networks for colour of the model.
func (m *Model) colourStages() (list []stage.Colour) {
	for _, c := range m.colourFields() {
		if *c.field != nil {
			list = append(list, *c.field)
		}
	}
	return list
}

// enlargesColour reports whether a pass has a network for colour, or one for red, green and blue, or a stage that looks
// at colour, so that colour goes through the passes with brightness.
func (m *Model) enlargesColour(s sizes) bool {
	return m.takesRGB() || slices.ContainsFunc(m.chainModels(s), func(model *Model) bool {
		return len(model.colourStages()) > 0 || slices.ContainsFunc(model.Stages, stage.SeesColour)
	})
}
