package enlarging

import (
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	"superres/internal/imagefile"
	"superres/internal/usage"
	"superres/superres"
	"superres/superres/models"
)

// Enlarger enlarges picture files, all by the same settings. It is safe for concurrent use.
type Enlarger struct {
	Settings
	clean engine // model for pictures without flaws; for all pictures if choosing is nil
	// choosing combines the clean and the robust model, and chooses for each picture. If it is nil, clean is used.
	choosing *superres.Model
	// robust opens the model for pictures with flaws; the caller tunes the model to the strength of the flaws.
	robust func() (engine, error)
}

// engine is a model that is ready to use, with the text about it that outputs record.
type engine struct {
	name       string // name of the model, or path of its file
	model      *superres.Model
	provenance string // text about the model for the outputs; empty: none is recorded
}

// New opens the model that s names; a model that removes noise beside it is opened when a picture first needs it. New
// fails if the model cannot be opened or cannot do what s asks for.
func New(s Settings) (*Enlarger, error) {
	e := &Enlarger{Settings: s}
	name, robust := s.Model, s.Model
	if name == models.Auto {
		name, robust = models.Photo, models.PhotoReal
	}
	var err error
	if e.clean, err = s.open(name); err != nil {
		return nil, err
	}
	e.takeOwnScale(e.clean.model)
	if s.Model != models.Auto && !e.clean.model.IsGraded() { // the model cannot be tuned to a strength of noise
		if s.Denoise > 0 {
			return nil, usage.Errorf("denoise %g: the model %s takes no noise away; %s does", s.Denoise, s.Model,
				models.PhotoReal)
		}
		return e, nil
	}
	if s.Denoise == 0 { // a negative number stands for the strength that is measured
		return e, nil
	}
	e.robust = func() (engine, error) { return e.clean, nil } // a model that can be tuned is both
	if robust != name {
		e.robust = sync.OnceValues(func() (engine, error) { return s.open(robust) })
	}
	e.choosing = e.clean.model.WithRobust(func() (*superres.Model, error) {
		found, err := e.robust()
		return found.model, err
	})
	if s.Model == models.Auto {
		e.choosing = e.choosing.WithJudge()
	}
	return e, nil
}

// open returns the model called name, adapted to the effort and the tuning in s, with the text about it to record.
func (s Settings) open(name string) (e engine, err error) {
	e.name = name
	open := s.Open
	if open == nil {
		open = models.Open
	}
	m, err := open(name)
	if err != nil {
		return e, err
	}
	if m, err = m.Effort(s.Effort); err != nil {
		return e, err
	}
	if e.model, err = m.Tune(s.Tuning); err != nil || !s.Keep.Record {
		return e, err
	}
	s.takeOwnScale(m) // in this copy of s, because the text below states the scale
	e.provenance, err = s.provenanceOf(name, e.model)
	return e, err
}

// takeOwnScale sets the scale to the only scale of m, if s.OwnScale is set and m is a network of another program.
func (s *Settings) takeOwnScale(m *superres.Model) {
	if s.OwnScale && m.Network != nil {
		s.Size.Scale = float64(m.Scale)
	}
}

// madeBy is the text with which the record of provenance in a result begins.
const madeBy = "superres "

// IsResult reports whether the file at path holds a picture enlarged by superres, according to the record of provenance
// in the file. It is false too if the file cannot be read or has no such record.
func IsResult(path string) bool { return imagefile.SoftwareBegins(path, madeBy) }

// provenanceOf returns one line for the output about the program, the model called name and the options in s. The line
// contains no folder and no time, so that the same command gives the same bytes everywhere. The fingerprint covers the
// given model or, for an embedded one, all scales and stages that the program has of it.
func (s Settings) provenanceOf(name string, model *superres.Model) (string, error) {
	text := fmt.Sprintf("%s%s; model %s", madeBy, superres.Version, filepath.Base(name))
	sum := models.Fingerprint(name)
	if !slices.Contains(models.Names(), name) { // not embedded
		var err error
		if sum, err = model.Fingerprint(); err != nil {
			return "", err
		}
	}
	if sum != "" {
		text += fmt.Sprintf(" (sha256 %s)", sum[:16])
	}
	text += fmt.Sprintf("; %s %s", SizeRule(s.Size), SizeText(s.Size))
	for _, option := range s.Given {
		text += "; " + option
	}
	return text, nil
}

// Identify returns, for the clean model and, if pictures may need it, the robust model at full strength, its hash and
// the text about it for outputs. It fails if a model cannot be opened.
func (e *Enlarger) Identify() (fingerprints, provenances []string, err error) {
	all := []Choice{describe(e.clean, superres.Choice{Model: e.clean.model})}
	if e.choosing != nil {
		strongest, err := e.atStrength(1)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, strongest)
	}
	for _, one := range all {
		sum, err := one.Model.Fingerprint()
		if err != nil {
			return nil, nil, err
		}
		fingerprints, provenances = append(fingerprints, sum), append(provenances, one.provenance)
	}
	return fingerprints, provenances, nil
}

// Interpolates returns the name of the model for clean pictures, and whether this model has no learned stages.
func (e *Enlarger) Interpolates() (name string, is bool) {
	return e.clean.name, e.clean.model.IsPlain()
}

// Chooser returns the model for pictures that are already decoded: a model that chooses for each picture or, depending
// on the settings, the clean model or the robust model at strength Settings.Denoise.
func (e *Enlarger) Chooser() (*superres.Model, error) {
	switch {
	case e.choosing == nil:
		return e.clean.model, nil
	case e.Denoise < 0:
		return e.choosing, nil
	}
	return e.choosing.Robust(e.Denoise)
}
