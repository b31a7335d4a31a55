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

// newFile makes a file that has no name, or loses it with its closing, however the program
// ends.
func newFile() (*os.File, error) {
	f, err := os.CreateTemp("", "superres-*")
	if err != nil {
		return nil, safefile.Unwritable(os.TempDir(), err)
	}
	if err := os.Remove(f.Name()); err != nil {
		f.Close()
		return nil, safefile.Unwritable(os.TempDir(), err)
	}
	return f, nil
}

// receive brings the body of a request into a file without a name, and tells how long it is.
func receive(w http.ResponseWriter, r *http.Request) (f *os.File, size int64, err error) {
	if r.ContentLength > imagefile.MaxBytes {
		return nil, 0, tooLarge()
	}
	if f, err = newFile(); err != nil {
		return nil, 0, err
	}
	body := moving(w, r)
	size, err = io.Copy(f, http.MaxBytesReader(w, body, imagefile.MaxBytes))
	if err == nil {
		err = body.rest()
	}
	if err != nil {
		f.Close()
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return nil, 0, tooLarge()
		}
		if _, ok := errors.AsType[*os.PathError](err); ok {
			return nil, 0, safefile.Unwritable(os.TempDir(), err)
		}
		return nil, 0, console.Fail(console.ExitInput, fmt.Errorf("the picture did not come whole: %w; send it again", err))
	}
	return f, size, nil
}

func tooLarge() error {
	return console.Fail(console.ExitLimit, fmt.Errorf("the picture has more than %d MiB; save it smaller or compressed", imagefile.MaxBytes>>20))
}

// body is that of a request, whose bytes must not stop coming.
type body struct {
	io.ReadCloser
	*http.ResponseController
	until time.Time
}

func moving(w http.ResponseWriter, r *http.Request) *body {
	return &body{r.Body, http.NewResponseController(w), time.Now().Add(bodyTime)}
}

func (b *body) Read(p []byte) (int, error) {
	next := time.Now().Add(moveTime)
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

// send sends a file as the answer; the other side must not stop taking it.
func send(w http.ResponseWriter, f *os.File) {
	control := http.NewResponseController(w)
	until := time.Now().Add(bodyTime)
	for {
		next := time.Now().Add(moveTime)
		if next.After(until) || control.SetWriteDeadline(next) != nil {
			return
		}
		if _, err := io.CopyN(w, f, 1<<20); err != nil {
			return // the end, or nobody is there
		}
	}
}
