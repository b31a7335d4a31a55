package superres

import (
	"fmt"
	"slices"
	"sync"
)

// A model may have siblings: models of the same kind that were trained for other
// scales. A picture is then enlarged by the chain of scales that fits best, each by the
// model that was trained for it.

// sibling is a model that is opened when it is needed.
type sibling struct {
	scale int
	open  func() (*Model, error)
}

// With returns m with others that take over where their scales fit better. They must
// have stages, scales that differ, and the degradation of m; their own siblings are
// ignored.
func (m *Model) With(others ...*Model) (*Model, error) {
	out := *m
	out.siblings = nil
	for _, o := range others {
		switch {
		case len(m.Stages) == 0 || len(o.Stages) == 0:
			return nil, fmt.Errorf("superres: a plain interpolation needs no model of another scale")
		case o.Degradation != m.Degradation:
			return nil, fmt.Errorf("superres: models for %s and for %s do not go together", m.Degradation, o.Degradation)
		case slices.Contains(out.scales(), o.Scale):
			return nil, fmt.Errorf("superres: two models of scale %d", o.Scale)
		}
		out.siblings = append(out.siblings, sibling{o.Scale, func() (*Model, error) { return o, nil }})
	}
	return &out, nil
}

// WithLazy returns m with one more sibling, which open makes once, when it is needed.
func (m *Model) WithLazy(scale int, open func() (*Model, error)) *Model {
	out := *m
	out.siblings = append(slices.Clip(m.siblings), newSibling(scale, open))
	return &out
}

// WithColour returns m with what enlarges colour in another model, at each scale that both were
// trained for; at the others its own does. The result has no smaller model for the effort fast:
// choose the effort of both before.
func (m *Model) WithColour(other *Model) *Model {
	out := m.colouredBy(other)
	out.fast, out.siblings = nil, nil
	for _, s := range m.siblings {
		out.siblings = append(out.siblings, newSibling(s.scale, func() (*Model, error) {
			one, err := s.open()
			if err != nil || !slices.Contains(other.scales(), s.scale) {
				return one, err
			}
			colour, err := other.at(s.scale)
			if err != nil {
				return nil, err
			}
			return one.colouredBy(colour), nil
		}))
	}
	return out
}

// colouredBy is WithColour for one model, of the scale of the other.
func (m *Model) colouredBy(other *Model) *Model {
	out := *m
	if other.Scale == m.Scale {
		out.Colour, out.Subsampled = other.Colour, other.Subsampled
	}
	return &out
}

// scales are those of the model and its siblings, its own first.
func (m *Model) scales() []int {
	list := []int{m.Scale}
	for _, s := range m.siblings {
		list = append(list, s.scale)
	}
	return list
}

// at returns the model for one of the scales.
func (m *Model) at(scale int) (*Model, error) {
	for _, s := range m.siblings {
		if s.scale == scale {
			return s.open()
		}
	}
	return m, nil
}

// chain returns the scales by which a picture of inW×inH is enlarged, one after the
// other, to reach w×h or just go past it: the least enlargement that does, in the
// fewest steps, the largest first, where there are fewer samples to work on. It is nil
// for no enlargement.
func (m *Model) chain(inW, inH, w, h int) []int {
	scales := m.scales()
	slices.SortFunc(scales, func(a, b int) int { return b - a })
	var best []int
	most := 0 // the enlargement of best
	var extend func(taken []int, product, from int)
	extend = func(taken []int, product, from int) {
		switch {
		case most > 0 && (product > most || product == most && len(taken) >= len(best)):
			return
		case inW*product >= w && inH*product >= h:
			best, most = slices.Clone(taken), product
			return
		}
		for i := from; i < len(scales); i++ {
			extend(append(taken, scales[i]), product*scales[i], i)
		}
	}
	extend(nil, 1, 0)
	return best
}

// newSibling makes a sibling that is opened once, when it is needed.
func newSibling(scale int, open func() (*Model, error)) sibling {
	return sibling{scale, sync.OnceValues(func() (*Model, error) {
		m, err := open()
		if err == nil && m.Scale != scale {
			err = fmt.Errorf("superres: a model of scale %d where %d is expected", m.Scale, scale)
		}
		return m, err
	})}
}
