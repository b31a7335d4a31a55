package serve

import (
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"strconv"

	"superres/cmd/internal/console"
	"superres/cmd/internal/serve/jobs"
	"superres/internal/imagefile"
	"superres/internal/safefile"
	"superres/superres"
)

// score answers r with the scores of a picture against the true one.
func (s *site) score(w http.ResponseWriter, r *http.Request) error {
	scale := 2
	for name, values := range r.URL.Query() {
		var err error
		if scale, err = strconv.Atoi(values[0]); name != "scale" || len(values) > 1 || err != nil || scale < 1 ||
			scale > superres.MaxScale {
			return console.Usage("%s=%s: expected no parameter but scale, a whole number of 1 to %d", name, values[0],
				superres.MaxScale)
		}
	}
	files, err := s.pair(w, r)
	defer func() {
		for _, f := range files {
			f.Close()
		}
	}()
	if err != nil {
		return err
	}
	p := &picture{site: s}
	defer p.leave()
	done, err := p.run(r.Context(), job{Job: jobs.Job{Call: "score", Scale: scale}}, files[:], nil)
	if err == nil {
		s.answer(w, http.StatusOK, done.Answer)
	}
	return err
}

// pair stores the two pictures of a form in unnamed files, which the caller closes. After an error, files holds those
// received so far, and nil.
func (s *site) pair(w http.ResponseWriter, r *http.Request) (files [len(jobs.Parts)]*os.File, err error) {
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
	for i, name := range jobs.Parts {
		if files[i] == nil {
			return files, console.Usage("score: no part %s; expected truth and picture", name)
		}
	}
	in.left = headBytes
	if _, err := io.Copy(io.Discard, in); err != nil {
		return files, unreceived(err)
	}
	return files, in.clearDeadline()
}

// take stores part in files, at the index of its name, and returns files. It fails for an unknown or repeated name.
func (m *metered) take(part *multipart.Part, files [len(jobs.Parts)]*os.File) ([len(jobs.Parts)]*os.File, error) {
	for i, name := range jobs.Parts {
		if name != part.FormName() || files[i] != nil {
			continue
		}
		m.left = imagefile.MaxBytes + headBytes
		var err error
		if files[i], err = safefile.Scratch(""); err == nil {
			_, err = store(files[i], part)
		}
		return files, err
	}
	return files, console.Usage("score: unexpected part %q; expected truth and picture, once each", part.FormName())
}

// headBytes is the most bytes of a form besides its pictures, as the form parser reads them into memory.
const headBytes = 64 << 10

// metered is a body that fails once more than left bytes have been read.
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
