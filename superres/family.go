package superres

import (
	"fmt"
	"slices"
	"sync"
)

// A model may have siblings: models of the same kind that were trained for other scales. A picture is then enlarged
// in a chain of passes whose scales fit the result best, each pass by the model that was trained for its scale.

// sibling is a model for another scale, which is opened when it is first needed.
type sibling struct {
	scale int
	open  func() (*Model, error)
}

// newSibling returns a sibling whose model open returns; open is called at most once. The sibling's own open fails if
// the model has another scale.
func newSibling(scale int, open func() (*Model, error)) sibling {
	return sibling{scale, sync.OnceValues(func() (*Model, error) {
		m, err := open()
		if err == nil && m.Scale != scale {
			err = fmt.Errorf("superres: a model of scale %d where %d is expected", m.Scale, scale)
		}
		return m, err
	})}
}

// WithSibling returns m with one more sibling, which is used where its scale fits a result better. It must have stages
// and the degradation of m. open is called at most once, when an enlargement first needs the sibling; if it fails, or
// its model has another scale, the enlargement fails with that error.
func (m *Model) WithSibling(scale int, open func() (*Model, error)) *Model {
	out := *m
	out.siblings = append(slices.Clip(m.siblings), newSibling(scale, open))
	return &out
}

// WithColour returns m with the networks for colour of other, at each scale that both models were trained for;
// at other scales m keeps its own, and always if it has a network for red, green and blue. At the effort max brightness
// is enlarged alone, and its stages do not look at colour, as only the other networks may know what is wrong with that.
// The result has no models for other efforts, so choose both efforts first.
func (m *Model) WithColour(other *Model) *Model {
	out := m.colouredBy(other)
	out.efforts, out.foreignColour = nil, true
	out.siblings = m.changedSiblings(func(model *Model) (*Model, error) {
		if !slices.Contains(other.scales(), model.Scale) {
			return model, nil
		}
		colour, err := other.modelFor(model.Scale)
		if err != nil {
			return nil, err
		}
		return model.colouredBy(colour), nil
	})
	return out
}

// changedSiblings returns the siblings of m, each changed by the function change when it is first needed.
func (m *Model) changedSiblings(change func(*Model) (*Model, error)) (list []sibling) {
	for _, s := range m.siblings {
		list = append(list, newSibling(s.scale, func() (*Model, error) {
			model, err := s.open()
			if err != nil {
				return nil, err
			}
			return change(model)
		}))
	}
	return list
}

// colouredBy returns m with the networks for colour of other if other has the same scale, and otherwise an unchanged
// copy; also if m has a network that makes colour itself. The siblings stay as they are.
func (m *Model) colouredBy(other *Model) *Model {
	out := *m
	if other.Scale == m.Scale && !m.takesRGB() {
		out.Colour, out.Subsampled, out.foreignColour = other.Colour, other.Subsampled, true
	}
	return &out
}

// scales returns the scales of the model and its siblings, its own first.
func (m *Model) scales() []int {
	list := []int{m.Scale}
	for _, s := range m.siblings {
		list = append(list, s.scale)
	}
	return list
}

// modelFor returns the sibling of the given scale, or m if there is none. It fails if the sibling cannot be opened.
func (m *Model) modelFor(scale int) (*Model, error) {
	for _, s := range m.siblings {
		if s.scale == scale {
			return s.open()
		}
	}
	return m, nil
}

// restores reports whether the model changes a picture also where the result is no larger: whether it is the network
// of another program, or takes noise and compression away. What it has enlarged is then reduced again.
func (m *Model) restores() bool { return m.Network != nil || m.IsGraded() }

// scaleChain returns the scales of the passes that enlarge a picture to the size of a result or just beyond it:
// those with the least product that suffices, and of these the fewest. They are sorted from the largest,
// because the first pass has the fewest samples to work on. It is nil when the result is not larger; but a model
// that restores what it enlarges has at least one pass.
func (m *Model) scaleChain(s sizes) []int {
	if m.Scale == 1 {
		return []int{1}
	}
	scales := m.scales()
	slices.SortFunc(scales, func(a, b int) int { return b - a })
	var best []int
	bestProduct := 0
	var extend func(taken []int, product, from int)
	extend = func(taken []int, product, from int) {
		switch {
		case bestProduct > 0 && (product > bestProduct || product == bestProduct && len(taken) >= len(best)):
			return
		case s.inW*product >= s.w && s.inH*product >= s.h && (len(taken) > 0 || !m.restores()):
			best, bestProduct = slices.Clone(taken), product
			return
		}
		for i := from; i < len(scales); i++ {
			extend(append(taken, scales[i]), product*scales[i], i)
		}
	}
	extend(nil, 1, 0)
	return best
}
