package serve

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"superres/cmd/internal/console"
	"superres/internal/imagefile"
	"superres/internal/safefile"
)

// receive copies the body of r to a temporary file without a name, which the caller closes. It fails as store does.
func (s *site) receive(w http.ResponseWriter, r *http.Request) (f *os.File, err error) {
	if r.ContentLength > imagefile.MaxBytes {
		return nil, tooLarge()
	}
	if f, err = safefile.Scratch(""); err != nil {
		return nil, err
	}
	body := s.timedBody(w, r, s.patience.body)
	if _, err = store(f, body); err == nil {
		err = body.clearDeadline()
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// convert has another program convert the picture in f. It returns the converted file, and notes in j.Made which
// program made it. made is nil, without an error, if superres reads pictures of this kind itself, if it knows no
// program for them, or if --decoder none forbids programs. Only one program runs at a time.
func (s *site) convert(ctx context.Context, f *os.File, j *job) (made *os.File, err error) {
	name := cmp.Or(safefile.OneLine(j.Params.Get("name")), "picture")
	if _, kind, _ := imagefile.IdentifyAt(f, name); kind.Title == "" || s.programs.Ignores(kind) {
		return nil, nil
	}
	select {
	case s.converting <- struct{}{}:
		defer func() { <-s.converting }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	dir, remove, err := safefile.TempFolder()
	if err != nil {
		return nil, err
	}
	defer remove()
	path := filepath.Join(dir, "picture"+filepath.Ext(filepath.Base(name))) // programs may go by the extension
	err = safefile.WriteAtomic(path, false, func(w io.Writer) error {
		info, err := f.Stat()
		if err == nil {
			_, err = io.Copy(w, io.NewSectionReader(f, 0, info.Size()))
		}
		return err
	})
	if err == nil {
		made, j.Made, err = s.programs.Convert(ctx, path, name, f)
	}
	return made, err
}

// store copies the bytes of source to f and returns their number. It fails if there are more than imagefile.MaxBytes.
// An error of f, a *os.PathError, concerns the server's disk; all other errors come from source, the client.
func store(f *os.File, source io.Reader) (int64, error) {
	size, err := io.Copy(f, io.LimitReader(source, imagefile.MaxBytes+1))
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

// unreceived returns the error to send to the client after err ended the receipt of its body.
func unreceived(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return console.Fail(console.ExitLimit, errors.New("the picture comes too slowly; send it again"))
	}
	return console.Failf(console.ExitInput, "the picture did not come whole: %w; send it again", err)
}

func tooLarge() error {
	return console.Failf(console.ExitLimit, "the picture has more than %d MiB; save it smaller or compressed",
		imagefile.MaxBytes>>20)
}

// smallBody is how many bytes of a body are received or sent before the transfer may pause for small pictures.
const smallBody = 256 << 10

// body is the body of a request, read with the deadlines that move and until set.
type body struct {
	io.ReadCloser
	*http.ResponseController
	move  time.Duration // longest wait for more bytes
	until time.Time     // when the whole body must have arrived
	had   int64         // number of bytes read so far
	pause func()        // waits while small pictures are enlarged
}

// timedBody returns the body of r. Reading fails if no bytes arrive for patience.move, or once total has passed.
func (s *site) timedBody(w http.ResponseWriter, r *http.Request, total time.Duration) *body {
	transfer := s.scheduler.Transfer()
	return &body{ReadCloser: r.Body, ResponseController: http.NewResponseController(w), move: s.patience.move,
		until: time.Now().Add(total), pause: func() { transfer.Pause(r.Context()) }}
}

// Read reads from the client, which has b.move to send something, and until b.until for the whole body. Once more than
// smallBody bytes have come, it first waits while small pictures are enlarged.
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

// clearDeadline removes the read deadline of the connection, so that package http notices when the client closes it.
func (b *body) clearDeadline() error { return b.SetReadDeadline(time.Time{}) }

// drainBytes is the largest number of bytes of a refused body that are read.
const drainBytes = 32 << 20

// drain reads and discards a refused body: if the connection ended while the client sends, it might not see the answer.
// It does nothing if the stated length exceeds drainBytes, or if the client sent an Expect header and no body yet.
func (s *site) drain(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Expect") != "" || r.ContentLength > drainBytes {
		return
	}
	_, _ = io.CopyN(io.Discard, s.timedBody(w, r, s.patience.drain), drainBytes)
}

// send sends the next size bytes of f as the answer to r. After each smallBody bytes it lets small pictures go first.
// It gives up if such a part takes longer than patience.move, or if less than that is left of patience.body.
func (s *site) send(w http.ResponseWriter, r *http.Request, f *os.File, size int64) {
	control, transfer := http.NewResponseController(w), s.scheduler.Transfer()
	until := time.Now().Add(s.patience.body)
	for sent := int64(0); sent < size; sent += smallBody {
		if sent > 0 {
			transfer.Pause(r.Context())
		}
		next := time.Now().Add(s.patience.move)
		if next.After(until) || control.SetWriteDeadline(next) != nil {
			return
		}
		if _, err := io.CopyN(w, f, min(smallBody, size-sent)); err != nil {
			return
		}
	}
}
