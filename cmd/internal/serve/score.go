package serve

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"mime/multipart"
	"net/http"
	"strconv"

	"superres/cmd/internal/console"
	"superres/cmd/internal/scoring"
	"superres/cmd/internal/upscale"
	"superres/internal/imagefile"
	"superres/superres"
	"superres/superres/score"
)

// scores are the answer to a call of score.
type scores struct {
	Protocol score.Protocol `json:"protocol"`
	Scale    int            `json:"scale"` // so many pixels of the border are left out
	scoring.Cell
	Mean    float64 `json:"mean_absolute_difference"` // of colours, in levels of 0..255
	Largest float64 `json:"largest_difference"`
}

// scoreBytes is what a pixel takes of the truth: both pictures, and to score them.
const scoreBytes = 112

// score compares a picture with the truth.
func (s *site) score(w http.ResponseWriter, r *http.Request) error {
	scale := 2
	for name, values := range r.URL.Query() {
		var err error
		if scale, err = strconv.Atoi(values[0]); name != "scale" || len(values) > 1 || err != nil || scale < 1 || scale > superres.MaxScale {
			return console.Usage("%s=%s: expected no parameter but scale, a whole number of 1 to %d", name, values[0], superres.MaxScale)
		}
	}
	files, err := s.pair(w, r)
	defer func() {
		for _, f := range files {
			if f != nil {
				f.Close()
			}
		}
	}()
	if err != nil {
		return err
	}
	looked, err := s.look(r.Context())
	if err != nil {
		return err
	}
	defer looked()
	pixels := int64(0)
	for i, name := range parts {
		size, err := s.sizeOf(r.Context(), files[i], name)
		if err != nil {
			return err
		}
		pixels = max(pixels, int64(size.X)*int64(size.Y))
	}
	looked()
	need := pixels * scoreBytes
	if err := console.EnoughMemory(s.memory(), "scoring", float64(need), ", or smaller pictures"); err != nil {
		return err
	}
	turn, err := s.turns.enter(r.Context(), upscale.Load{Memory: need, Pixels: pixels}, nil)
	if err != nil {
		return err
	}
	defer turn.end()
	var images [len(parts)]image.Image
	for i, name := range parts {
		pic, err := s.open(r.Context(), files[i], name, nil)
		if err != nil {
			return err
		}
		images[i] = pic.Image
	}
	answer := scores{Protocol: score.MatlabY, Scale: scale}
	metrics, err := answer.Protocol.Compare(images[0], images[1], scale)
	if err != nil {
		return console.Fail(console.ExitInput, err)
	}
	by, err := score.Differ(images[0], images[1], scale)
	if err != nil {
		return console.Fail(console.ExitInput, err)
	}
	answer.Cell, answer.Mean, answer.Largest = scoring.CellOf(metrics), by.Mean, by.Max
	s.answer(w, http.StatusOK, answer)
	return nil
}

// parts are the names of the parts of a call of score.
var parts = [...]string{"truth", "picture"}

// pair brings the pictures of a call of score into files without names; what has come is
// returned with an error, too.
func (s *site) pair(w http.ResponseWriter, r *http.Request) (files [len(parts)]*file, err error) {
	in := &metered{body: s.moving(w, r, s.patience.body)}
	r.Body = in
	form, err := r.MultipartReader()
	if err != nil {
		return files, console.Usage("score: expected a form, multipart/form-data, with truth and picture: %w", err)
	}
	for {
		in.left = headBytes
		part, err := form.NextPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return files, unreceived(err)
		}
		if files, err = in.take(part, files); err != nil {
			return files, err
		}
	}
	for i, name := range parts {
		if files[i] == nil {
			return files, console.Usage("score: no part %s; expected truth and picture", name)
		}
	}
	in.left = headBytes
	if _, err := io.Copy(io.Discard, in); err != nil {
		return files, unreceived(err)
	}
	return files, in.rest()
}

// take brings a part into its file.
func (m *metered) take(part *multipart.Part, files [len(parts)]*file) ([len(parts)]*file, error) {
	for i, name := range parts {
		if name != part.FormName() || files[i] != nil {
			continue
		}
		m.left = imagefile.MaxBytes + headBytes
		var err error
		if files[i], err = newFile(); err == nil {
			_, err = store(files[i], part)
		}
		return files, err
	}
	return files, console.Usage("score: unexpected part %q; expected truth and picture, once each", part.FormName())
}

// headBytes is how many bytes may come in a form beside a picture, for reading takes them
// into memory.
const headBytes = 64 << 10

// metered is a body of which no more bytes come than are left.
type metered struct {
	*body
	left int64
}

func (m *metered) Read(p []byte) (int, error) {
	if m.left <= 0 {
		return 0, tooLarge()
	}
	n, err := m.body.Read(p[:min(int64(len(p)), m.left)])
	m.left -= int64(n)
	return n, err
}

// errSize ends the reading of a picture whose size is known.
var errSize = errors.New("the size is known")

// sizeOf reads the size of a picture.
func (s *site) sizeOf(ctx context.Context, f *file, name string) (size image.Point, err error) {
	_, err = s.open(ctx, f, name, func(cfg image.Config, _ int64) error {
		size = image.Pt(cfg.Width, cfg.Height)
		return errSize
	})
	if errors.Is(err, errSize) {
		err = nil
	}
	return size, err
}

// open reads a picture to be scored.
func (s *site) open(ctx context.Context, f *file, name string, accept func(image.Config, int64) error) (*imagefile.Picture, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return imagefile.OpenAt(ctx, f, info.Size(), name, imagefile.Limits{Pixels: s.limits.Pixels, Time: s.decode, Strip: true, Accept: accept})
}
