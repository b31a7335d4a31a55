package upscale

import (
	"fmt"
	"strings"
	"sync"

	"superres/cmd/internal/console"
	"superres/cmd/internal/models"
	"superres/internal/imagefile"
	"superres/superres"
)

// engine is a model and what the outputs say of it.
type engine struct {
	name     string // or file
	model    *superres.Model
	software string // the provenance of the outputs; empty: not noted
}

// engines are the models of a call.
type engines struct {
	// first is for all pictures but those that jpeg is for.
	first engine
	// jpeg opens, once, the model for JPEG files of less than high quality. Nil is the
	// first for them, too.
	jpeg func() (engine, error)
}

// newEngines opens the models that the options ask for.
func newEngines(opt Options) (e engines, err error) {
	name := opt.Model
	if name == models.Auto {
		name = models.Photo
		jpeg := opt
		if jpeg.Effort == "fast" { // which this model is
			jpeg.Effort = "best"
		}
		e.jpeg = sync.OnceValues(func() (engine, error) { return newEngine(models.PhotoJPEG, jpeg) })
	}
	e.first, err = newEngine(name, opt)
	return e, err
}

// newEngine opens a model and tunes it as the options say.
func newEngine(name string, opt Options) (e engine, err error) {
	e.name = name
	m, err := models.Open(name)
	if err != nil {
		return e, err
	}
	if m, err = m.Effort(opt.Effort); err != nil {
		return e, err
	}
	if e.model, err = m.Tune(opt.Tuning); err != nil || !opt.Keep.record {
		return e, err
	}
	e.software, err = provenance(name, e.model, opt)
	return e, err
}

// of is what enlarges a picture.
func (e engines) of(pic *imagefile.Picture) (engine, error) {
	if e.jpeg != nil && pic.Quality > 0 && pic.Quality < models.HighQuality {
		return e.jpeg()
	}
	return e.first, nil
}

// all are those that may be wanted.
func (e engines) all() ([]engine, error) {
	if e.jpeg == nil {
		return []engine{e.first}, nil
	}
	jpeg, err := e.jpeg()
	return []engine{e.first, jpeg}, err
}

// about tells people of a picture and its model.
func about(pic *imagefile.Picture, model string, need int64) string {
	kind := strings.ToUpper(pic.Format)
	if pic.Quality > 0 {
		kind += fmt.Sprintf(" of quality %d", pic.Quality)
	}
	size := pic.Image.Bounds().Size()
	return fmt.Sprintf("%s, %dx%d, by %s, about %s", kind, size.X, size.Y, model, console.Bytes(need))
}
