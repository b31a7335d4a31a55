package serve

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"superres/cmd/internal/console"
	"superres/internal/imagefile"
	"superres/internal/safefile"
)

// newFile makes a file that nobody else sees and that is gone with its closing, however the
// program ends.
func newFile() (*os.File, error) {
	f, err := unseen()
	if err != nil {
		return nil, safefile.Unwritable(os.TempDir(), err)
	}
	return f, nil
}

// receive brings the body of a request into a file without a name, and tells how long it is.
func (s *site) receive(w http.ResponseWriter, r *http.Request) (f *os.File, size int64, err error) {
	if r.ContentLength > imagefile.MaxBytes {
		return nil, 0, tooLarge()
	}
	if f, err = newFile(); err != nil {
		return nil, 0, err
	}
	body := s.moving(w, r)
	if size, err = store(f, body); err == nil {
		err = body.rest()
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, size, nil
}

// store brings bytes into a file, and tells how many.
func store(f *os.File, from io.Reader) (int64, error) {
	size, err := io.Copy(f, io.LimitReader(from, imagefile.MaxBytes+1))
	switch {
	case err == nil && size > imagefile.MaxBytes:
		return 0, tooLarge()
	case err == nil:
		return size, nil
	}
	if _, ok := errors.AsType[*os.PathError](err); ok {
		return 0, safefile.Unwritable(os.TempDir(), err)
	}
	return 0, unreceived(err)
}

// unreceived words an error of the connection.
func unreceived(err error) error {
	if console.ExitCode(err) == console.ExitLimit { // of metered
		return err
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return console.Fail(console.ExitLimit, errors.New("the picture comes too slowly; send it again"))
	}
	return console.Fail(console.ExitInput, fmt.Errorf("the picture did not come whole: %w; send it again", err))
}

func tooLarge() error {
	return console.Fail(console.ExitLimit, fmt.Errorf("the picture has more than %d MiB; save it smaller or compressed", imagefile.MaxBytes>>20))
}

// body is that of a request, whose bytes must not stop coming.
type body struct {
	io.ReadCloser
	*http.ResponseController
	move  time.Duration // until the next
	until time.Time
}

func (s *site) moving(w http.ResponseWriter, r *http.Request) *body {
	return &body{r.Body, http.NewResponseController(w), s.patience.move, time.Now().Add(s.patience.body)}
}

func (b *body) Read(p []byte) (int, error) {
	next := time.Now().Add(b.move)
	if next.After(b.until) {
		next = b.until
	}
	if err := b.SetReadDeadline(next); err != nil {
		return 0, err
	}
	return b.ReadCloser.Read(p)
}

// rest lets the connection wait again for as long as it likes: that is how the end of the
// other side is noticed.
func (b *body) rest() error { return b.SetReadDeadline(time.Time{}) }

// drainBytes is what is taken of a body that is refused.
const drainBytes = 32 << 20

// drain takes the rest of a body that is refused, within reason, so that the other side comes to
// read why. One that waits to be asked for its body reads it at once.
func (s *site) drain(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Expect") != "" || r.ContentLength > drainBytes {
		return
	}
	if http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.patience.drain)) == nil {
		_, _ = io.CopyN(io.Discard, r.Body, drainBytes)
	}
}

// send sends a file as the answer; the other side must not stop taking it.
func (s *site) send(w http.ResponseWriter, f *os.File) {
	control := http.NewResponseController(w)
	until := time.Now().Add(s.patience.body)
	for {
		next := time.Now().Add(s.patience.move)
		if next.After(until) || control.SetWriteDeadline(next) != nil {
			return
		}
		if _, err := io.CopyN(w, f, 1<<20); err != nil {
			return // the end, or nobody is there
		}
	}
}
