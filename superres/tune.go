package superres

import (
	"errors"
	"image"
	"maps"
	"slices"
	"sync"

	"superres/internal/usage"
	"superres/superres/flaws"
	"superres/superres/stage"
)

// Tune returns a copy of the model with the settings of t; what was learned does not change. Its siblings, and its
// models for other efforts, are tuned in the same way when they are first needed; those that take no trust ignore
// t.Trust. It is an error if a setting is out of its range, or if no stage of the model uses it.
func (m *Model) Tune(t stage.Tuning) (*Model, error) {
	out, err := m.tuneAlone(t)
	if err != nil {
		return nil, err
	}
	tune := func(other *Model) (*Model, error) {
		known := t
		if !other.IsTrusting() {
			known.Trust = 0
		}
		return other.Tune(known)
	}
	for name, open := range m.efforts {
		out = out.WithEffort(name, changed(open, tune))
	}
	out.siblings = m.changedSiblings(tune)
	return out.withRobustOf(m, tune), nil
}

// tuneAlone returns a copy of the model with the settings of t. Its siblings are the untuned siblings of m, and it has
// no models for other efforts. Back-projection becomes a new last stage. tuneAlone fails if nothing uses a setting.
func (m *Model) tuneAlone(t stage.Tuning) (*Model, error) {
	out := *m
	out.Stages, out.efforts = nil, nil
	for _, s := range m.Stages {
		if tunable, ok := s.(stage.Tunable); ok {
			var err error
			if s, err = tunable.Tune(t); err != nil {
				return nil, err
			}
		}
		if s != nil { // nil: the settings remove the stage
			out.Stages = append(out.Stages, s)
		}
	}
	if t.BackProject != nil && *t.BackProject != 0 {
		if m.IsPlain() {
			return nil, usage.Errorf("superres: a plain interpolation is not back-projected; name a trained model")
		}
		if m.Network != nil && (m.Scale < 2 || m.Scale > 4) {
			return nil, usage.Errorf("superres: results are back-projected at scales 2 to 4, and this network "+
				"has scale %d", m.Scale)
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
	for _, c := range out.colourFields() {
		if *c.field != nil {
			var err error
			if *c.field, err = (*c.field).Tune(t); err != nil {
				return nil, err
			}
		}
	}
	if t.Strength != 0 && !m.has(stage.Graded) {
		return nil, usage.Errorf("superres: this model has no levels of noise, blur or sharpening")
	}
	if t.Trust != 0 && !m.IsTrusting() {
		return nil, usage.Errorf("superres: this model does not know how pictures were reduced")
	}
	return &out, nil
}

// TuneFor returns the model tuned to the strength of the degradation that package flaws estimates for a picture and, if
// the model is trusting, to flaws.UnknownTrust; or m itself if the model is not graded. quality is the quality of the
// JPEG file that img was read from, 1 to 100, or 0 for any other file.
func (m *Model) TuneFor(img image.Image, quality int) (*Model, error) {
	if !m.IsGraded() {
		return m, nil
	}
	return m.tuneTo(flaws.Measure(img, quality).Strength(), flaws.UnknownTrust)
}

// tuneTo returns the model tuned to a strength and, if the model is trusting, to a trust.
func (m *Model) tuneTo(strength, trust float64) (*Model, error) {
	if !m.IsTrusting() {
		trust = 0
	}
	return m.Tune(stage.Tuning{Strength: strength, Trust: trust})
}

// Effort returns the model for the effort called name, with its robust model at the same effort; for best, and for
// pixel art, m itself. It fails for unknown efforts, for fast if m has no smaller model (see WithEffort), and for fast
// and max if m is a plain interpolation. max averages orientations, of a larger model if WithEffort has given m one.
func (m *Model) Effort(name string) (*Model, error) {
	atEffort := func(other *Model) (*Model, error) { return other.Effort(name) }
	open := m.efforts[name]
	switch {
	case !slices.Contains(Efforts(), name):
		return nil, usage.Errorf("superres: %s", usage.Unknown("effort", name, Efforts()))
	case name == "best", m.pixels: // pixel art has a single effort
		return m, nil
	case m.IsPlain() || name == "fast" && open == nil:
		return nil, usage.Errorf("superres: this model has no effort %q", name)
	}
	out := m
	if open != nil {
		var err error
		if out, err = open(); err != nil {
			return nil, err
		}
	}
	if name == "max" {
		most := *out
		most.maxEffort, most.efforts = true, m.efforts
		out = &most
	}
	return out.withRobustOf(m, atEffort), nil
}

// fastest returns the model at the effort fast; or m, if it has no such model or has the effort max.
func (m *Model) fastest() (*Model, error) {
	if m.efforts["fast"] == nil || m.maxEffort {
		return m, nil
	}
	return m.Effort("fast")
}

// WithEffort returns m with the model that open returns for the effort of the given name: a smaller one for fast, or a
// larger one for max. open is called at most once, when Effort is first called with that name.
func (m *Model) WithEffort(name string, open func() (*Model, error)) *Model {
	out := *m
	out.efforts = maps.Clone(m.efforts)
	if out.efforts == nil {
		out.efforts = map[string]opener{}
	}
	out.efforts[name] = sync.OnceValues(open)
	return &out
}

// Large returns m marked as a model that takes several times as long as others: at the effort max it enlarges a picture
// in two orientations, where others take four.
func (m *Model) Large() *Model {
	out := *m
	out.large = true
	return &out
}

// WithRobust returns m with the robust model that open returns: a model for pictures with noise or compression, which
// can be tuned to their strength. Upscale and Stream of the result choose between the two models for each picture, as
// Choose does. open is called at most once, when a picture first needs the robust model.
func (m *Model) WithRobust(open func() (*Model, error)) *Model {
	out := *m
	out.robust = &robust{open: sync.OnceValues(open), known: map[tuned]*Model{}}
	return &out
}

// WithJudge returns m with a judge, which estimates in what shares m and its robust model suit a picture: see
// flaws.StepShares. m must have a robust model; the judge has learned from photo and photo-real. Without a judge,
// Choose uses only the strength.
func (m *Model) WithJudge() *Model {
	out := *m
	out.robust = &robust{open: m.robust.open, known: map[tuned]*Model{}, isJudged: true}
	return &out
}

// withRobustOf returns m with the robust model of other, changed by the function change; m itself if other has none.
func (m *Model) withRobustOf(other *Model, change func(*Model) (*Model, error)) *Model {
	r := other.robust
	if r == nil {
		return m
	}
	out := m.WithRobust(changed(r.open, change))
	out.robust.isJudged = r.isJudged
	return out
}

// Robust returns the robust model of WithRobust, tuned to a strength of 0 to 1. A robust model that takes a trust, the
// probability that a picture was reduced cleanly, gets flaws.UnknownTrust. Robust fails if m has no robust model, or if
// the robust model cannot be opened or tuned. It may be called concurrently.
func (m *Model) Robust(strength float64) (*Model, error) {
	return m.tunedRobust(tuned{strength: strength, trust: flaws.UnknownTrust})
}

// tunedRobust returns the robust model of m, tuned as t says, and keeps it for the next call. A model that takes no
// trust ignores t.trust, and a model without a smaller one ignores t.isFast.
func (m *Model) tunedRobust(t tuned) (*Model, error) {
	r := m.robust
	if r == nil {
		return nil, errors.New("superres: this model has no robust model")
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	if found := r.known[t]; found != nil {
		return found, nil
	}
	found, err := r.open()
	if err != nil {
		return nil, err
	}
	if t.isFast {
		if found, err = found.fastest(); err != nil {
			return nil, err
		}
	}
	if found, err = found.tuneTo(t.strength, t.trust); err != nil {
		return nil, err
	}
	r.known[t] = found
	return found, nil
}
