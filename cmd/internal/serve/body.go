package serve

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"superres/cmd/internal/console"
	"superres/internal/imagefile"
	"superres/internal/safefile"
)

// receive brings the body of a request into a file without a name.
func (s *site) receive(w http.ResponseWriter, r *http.Request) (f *os.File, err error) {
	if r.ContentLength > imagefile.MaxBytes {
		return nil, tooLarge()
	}
	if f, err = safefile.Scratch(""); err != nil {
		return nil, err
	}
	body := s.moving(w, r, s.patience.body)
	if _, err = store(f, body); err == nil {
		err = body.rest()
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
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
	return console.Failf(console.ExitInput, "the picture did not come whole: %w; send it again", err)
}

func tooLarge() error {
	return console.Failf(console.ExitLimit, "the picture has more than %d MiB; save it smaller or compressed",
		imagefile.MaxBytes>>20)
}

// smallBody is how many bytes of a body come without pauses for small pictures.
const smallBody = 256 << 10

// body is that of a request, whose bytes must not stop coming.
type body struct {
	io.ReadCloser
	*http.ResponseController
	move  time.Duration // until the next
	until time.Time
	had   int64 // bytes
	pause func()
}

// moving is the body of a request, which may take so long in all.
func (s *site) moving(w http.ResponseWriter, r *http.Request, all time.Duration) *body {
	transfer := s.scheduler.transfer()
	return &body{r.Body, http.NewResponseController(w), s.patience.move, time.Now().Add(all), 0,
		func() { transfer.pause(r.Context()) }}
}

func (b *body) Read(p []byte) (int, error) {
	if b.had > smallBody {
		b.pause()
	}
	next := time.Now().Add(b.move)
	if next.After(b.until) {
		next = b.until
	}
	if err := b.SetReadDeadline(next); err != nil {
		return 0, err
	}
	n, err := b.ReadCloser.Read(p)
	b.had += int64(n)
	return n, err
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
	_, _ = io.CopyN(io.Discard, s.moving(w, r, s.patience.drain), drainBytes)
}

// send sends a file of size bytes as the answer. It gives up if the client stops reading.
func (s *site) send(w http.ResponseWriter, r *http.Request, f *os.File, size int64) {
	control, transfer := http.NewResponseController(w), s.scheduler.transfer()
	until := time.Now().Add(s.patience.body)
	for sent := int64(0); sent < size; sent += smallBody {
		if sent > 0 {
			transfer.pause(r.Context())
		}
		next := time.Now().Add(s.patience.move)
		if next.After(until) || control.SetWriteDeadline(next) != nil {
			return
		}
		if _, err := io.CopyN(w, f, min(smallBody, size-sent)); err != nil {
			return // nobody is there
		}
	}
}
