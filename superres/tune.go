package superres

import (
	"image"
	"slices"
	"sync"

	"superres/internal/usage"
	"superres/superres/flaws"
	"superres/superres/stage"
)

// Tune returns a model with other settings and the same dictionaries. It fails
// when m has no stage that they concern. Siblings are tuned alike; the result has no smaller
// model for the effort fast.
func (m *Model) Tune(t stage.Tuning) (*Model, error) {
	out, err := m.tuneAlone(t)
	if err != nil {
		return nil, err
	}
	out.siblings = nil
	for _, s := range m.siblings {
		out.siblings = append(out.siblings, newSibling(s.scale, func() (*Model, error) {
			other, err := s.open()
			if err != nil {
				return nil, err
			}
			return other.Tune(t)
		}))
	}
	return out, nil
}

// tuneAlone returns the model with other settings; its siblings are those of m, untuned.
func (m *Model) tuneAlone(t stage.Tuning) (*Model, error) {
	out := *m
	out.Stages, out.fast = nil, nil
	for _, s := range m.Stages {
		if tunable, ok := s.(stage.Tunable); ok {
			var err error
			if s, err = tunable.Tune(t); err != nil {
				return nil, err
			}
		}
		if s != nil {
			out.Stages = append(out.Stages, s)
		}
	}
	if t.BackProject != nil && *t.BackProject != 0 {
		if len(m.Stages) == 0 {
			return nil, usage.Errorf("superres: a plain interpolation is not back-projected; name a trained model")
		}
		back, err := stage.NewBackProject(m.Scale, *t.BackProject, m.Degradation)
		if err != nil {
			return nil, err
		}
		out.Stages = append(out.Stages, back)
	}
	if (t.Coder != "" || t.Sparsity != 0) && !m.has(stage.Coding) {
		return nil, usage.Errorf("superres: this model codes no patches: a coder or a sparsity means nothing to it")
	}
	for _, c := range []*stage.Colour{&out.Colour, &out.Subsampled} {
		if *c != nil {
			var err error
			if *c, err = (*c).Tune(t); err != nil {
				return nil, err
			}
		}
	}
	if t.Strength != 0 && !m.has(stage.Graded) {
		return nil, usage.Errorf("superres: this model knows no level of what is wrong with a picture")
	}
	return &out, nil
}

// IsGraded tells whether the model can be tuned to the strength of a picture's degradation.
func (m *Model) IsGraded() bool { return m.has(stage.Graded) }

// For returns the model at the strength of a picture's degradation, as package flaws measures it; m
// itself when it is not graded. quality is that of the JPEG file that the picture comes
// out of, 1 to 100; 0: of another file.
func (m *Model) For(img image.Image, quality int) (*Model, error) {
	if !m.IsGraded() {
		return m, nil
	}
	return m.Tune(stage.Tuning{Strength: flaws.Measure(img, quality).Strength()})
}

// has tells whether a setting concerns a stage of the model.
func (m *Model) has(setting stage.Settings) bool {
	return slices.ContainsFunc(m.Stages, func(s stage.Stage) bool { return stage.SettingsOf(s)&setting != 0 })
}

// Efforts returns the names of how much is done for a picture: fast, what the smaller model
// that belongs to this one makes of it; best, what the model makes of it; max, the mean of what
// it makes of the eight flips and quarter turns of the picture, which takes eight times as long.
func Efforts() []string { return []string{"fast", "best", "max"} }

// Effort returns the model at an effort: m itself at best. It fails when there is no such
// effort, or the model does not have it. The siblings of a model work at the same effort.
func (m *Model) Effort(name string) (*Model, error) {
	switch {
	case !slices.Contains(Efforts(), name):
		return nil, usage.Errorf("superres: %s", usage.Unknown("effort", name, Efforts()))
	case name == "best":
		return m, nil
	case name == "max" && len(m.Stages) > 0:
		out := *m
		out.eight = true
		return &out, nil
	case name == "fast" && m.fast != nil:
		return m.fast()
	}
	return nil, usage.Errorf("superres: this model has no effort %q", name)
}

// WithFast returns m with a smaller model, for the effort fast, which open makes once, when
// it is needed.
func (m *Model) WithFast(open func() (*Model, error)) *Model {
	out := *m
	out.fast = sync.OnceValues(open)
	return &out
}
