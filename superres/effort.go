package superres

import (
	"slices"

	"superres/learners/plugin"
)

// Efforts are the names of how much of a cascade is run: fast its first stage,
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
	case !m.isCascade():
		return nil, plugin.Errorf("superres: this model is no cascade of stages and has one effort, best")
	}
	return m.Tune(Tuning{Stages: at + 1, AtMost: true})
}
