package upscale

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/models"
	"superres/internal/imagefile"
	"superres/superres"
)

// engine is a model and what the outputs say of it.
type engine struct {
	name     string
	model    *superres.Model
	software string
}

// engineFor is what enlarges a picture.
func (u *upscaler) engineFor(pic *imagefile.Picture) (engine, error) {
	if u.jpeg != nil && pic.Quality > 0 && pic.Quality < models.HighQuality {
		return u.jpeg()
	}
	return u.engine, nil
}

// engines are all that may be wanted.
func (u *upscaler) engines() ([]engine, error) {
	if u.jpeg == nil {
		return []engine{u.engine}, nil
	}
	jpeg, err := u.jpeg()
	return []engine{u.engine, jpeg}, err
}

// newEngine opens a model and tunes it as the flags say.
func (u *upscaler) newEngine(c *cli.Context, name string, tuning superres.Tuning) (e engine, err error) {
	e.name = name
	m, err := models.Open(name)
	if err != nil {
		return e, err
	}
	if m, err = m.Effort(c.String("effort")); err != nil {
		return e, err
	}
	if e.model, err = m.Tune(tuning); err != nil || !u.keep.record {
		return e, err
	}
	e.software, err = provenance(c, name, e.model, u.size)
	return e, err
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
