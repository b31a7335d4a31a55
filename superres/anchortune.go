package superres

import (
	"runtime"
	"slices"

	"superres/learners/plugin"
)

// isCascade tells whether the model has anchored stages.
func (m *Model) isCascade() bool {
	return slices.ContainsFunc(m.Stages, func(s Stage) bool { return s.Kind() == "anchored" })
}

// tuneCascade returns the first stages of a cascade, with other back-projections after
// each. All stages were learned one after the other, so that fewer are a model too: a
// faster one.
func (m *Model) tuneCascade(t Tuning) (*Model, error) {
	count := 0
	for _, s := range m.Stages {
		if s.Kind() == "anchored" {
			count++
		}
	}
	switch {
	case count == 0:
		return nil, plugin.Errorf("superres: this model has no anchored stages to choose from")
	case t.Coder != "" || t.Sparsity != 0:
		return nil, plugin.Errorf("superres: anchored stages choose one atom a patch: a coder or a sparsity means nothing to them")
	case t.AtMost && t.Stages > count:
		t.Stages = count
	case t.Stages < 0 || t.Stages > count:
		return nil, plugin.Errorf("superres: %d stages, expected 1 to the %d of the model (0: all)", t.Stages, count)
	case t.Stages == 0:
		t.Stages = count
	}
	out := *m
	out.Stages = nil
	var back *BackProject
	if t.BackProject != nil && *t.BackProject != 0 {
		var err error
		if back, err = NewBackProject(m.Scale, *t.BackProject, m.Degradation); err != nil {
			return nil, err
		}
	}
	used := 0
	for _, s := range m.Stages {
		switch s.(type) {
		case *Anchored:
			if used++; used > t.Stages {
				return &out, nil
			}
			out.Stages = append(out.Stages, s)
			if back != nil {
				out.Stages = append(out.Stages, back)
			}
		case *BackProject:
			if t.BackProject == nil {
				out.Stages = append(out.Stages, s)
			}
		default:
			out.Stages = append(out.Stages, s)
		}
	}
	return &out, nil
}

// tableBytes is about what the stage itself takes.
func (a *Anchored) tableBytes() int64 {
	return int64(2*len(a.tables.maps) + 8*a.params.Anchors*a.params.SearchDims)
}

// memory is what the stage takes beside planes, while it is applied to one of the
// given width.
func (a *Anchored) memory(width int) int64 {
	p := a.params
	g := a.grid(width, 1<<20)
	rows := a.bandRows(g)
	blocks := int64(rows+(g.block-1)/g.cell) * int64(a.stripBytes(g))
	input := 4 * int64(rows*g.step+g.patch) * int64(g.step*(vectors(g.cols)+g.patch))
	worker := int64(patchesTogether+lanes) * int64(4*(p.rowWords()+p.outWidth()+7))
	return blocks + input + worker*int64(runtime.GOMAXPROCS(0))
}
