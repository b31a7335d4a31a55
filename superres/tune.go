package superres

import (
	"slices"

	"superres/learners/plugin"
	"superres/superres/stage"
)

// Tune returns a model with other settings and the same dictionaries. It fails
// when m has no stage that they concern. Siblings are tuned alike.
func (m *Model) Tune(t stage.Tuning) (*Model, error) {
	out, err := m.tune(t)
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

// tune is Tune, but for the siblings.
func (m *Model) tune(t stage.Tuning) (*Model, error) {
	steps, most := m.steps(), t.Stages
	switch {
	case t.Stages != 0 && steps == 0:
		return nil, plugin.Errorf("superres: this model is no cascade: it has no stages to choose from")
	case t.Stages < 0 || t.Stages > steps && !t.AtMost:
		return nil, plugin.Errorf("superres: %d stages, expected 1 to the %d of the model (0: all)", t.Stages, steps)
	case t.Stages == 0:
		most = steps
	}
	var back stage.Stage
	if t.BackProject != nil && *t.BackProject != 0 {
		if len(m.Stages) == 0 {
			return nil, plugin.Errorf("superres: a plain interpolation is not back-projected; name a trained model")
		}
		var err error
		if back, err = stage.NewBackProject(m.Scale, *t.BackProject, m.Degradation); err != nil {
			return nil, err
		}
	}
	out := *m
	out.Stages = nil
	used := 0
	for _, s := range m.Stages {
		step := stage.SettingsOf(s)&stage.Step != 0
		if step {
			if used++; used > most {
				break
			}
		}
		if tunable, ok := s.(stage.Tunable); ok {
			var err error
			if s, err = tunable.Tune(t); err != nil {
				return nil, err
			}
		}
		if s != nil {
			out.Stages = append(out.Stages, s)
		}
		if step && back != nil {
			out.Stages = append(out.Stages, back)
		}
	}
	if steps == 0 && back != nil {
		out.Stages = append(out.Stages, back)
	}
	if (t.Coder != "" || t.Sparsity != 0) && !m.has(stage.Coding) {
		return nil, plugin.Errorf("superres: this model codes no patches: a coder or a sparsity means nothing to it")
	}
	return &out, nil
}

// has tells whether a setting concerns a stage of the model.
func (m *Model) has(setting stage.Settings) bool {
	return slices.ContainsFunc(m.Stages, func(s stage.Stage) bool { return stage.SettingsOf(s)&setting != 0 })
}

// steps is how many steps the model has, when it is a cascade: it may end after any of
// them.
func (m *Model) steps() (count int) {
	for _, s := range m.Stages {
		if stage.SettingsOf(s)&stage.Step != 0 {
			count++
		}
	}
	return count
}

// Efforts are the names of how much of a cascade is run: fast its first step,
// balanced two, best all.
func Efforts() []string { return []string{"fast", "balanced", "best"} }

// Effort returns the model at an effort. A model that is no cascade knows best alone.
// The siblings of a model work at the same effort.
func (m *Model) Effort(name string) (*Model, error) {
	at := slices.Index(Efforts(), name)
	switch {
	case at < 0:
		return nil, plugin.Errorf("superres: %s", plugin.Unknown("effort", name, Efforts()))
	case name == "best":
		return m, nil
	case m.steps() == 0:
		return nil, plugin.Errorf("superres: this model is no cascade of stages and has one effort, best")
	}
	return m.Tune(stage.Tuning{Stages: at + 1, AtMost: true})
}
