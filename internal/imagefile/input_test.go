package imagefile

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"superres/internal/imagefile/imagetest"
	"superres/internal/must"
	"superres/internal/safefile"
)

// badReader gives some bytes and then an error.
type badReader struct {
	r   io.Reader
	err error
}

func (b badReader) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if err == io.EOF {
		err = b.err
	}
	return n, err
}

func TestReadErrors(t *testing.T) {
	broken := errors.New("the line is dead")
	for _, n := range []int{0, 10, 50} {
		r := badReader{bytes.NewReader(imagetest.Sound(t)["colour.png"][:n]), broken}
		_, err := Decode(context.Background(), r, "stdin", Limits{})
		checkRefusal(t, err, safefile.ErrInput, "stdin", "cannot be read: the line is dead;")
		if !errors.Is(err, broken) {
			t.Errorf("the cause is lost in %v", err)
		}
	}
}

func TestForeignFilesAreNotRead(t *testing.T) {
	r := io.MultiReader(strings.NewReader(strings.Repeat("text ", 2000)),
		badReader{strings.NewReader(""), errors.New("read too far")})
	_, err := Decode(context.Background(), r, "stdin", Limits{})
	checkRefusal(t, err, safefile.ErrInput, "stdin", "not an image")
}

func TestOpenRefusals(t *testing.T) {
	dir := t.TempDir()
	_, err := Open(context.Background(), filepath.Join(dir, "none.png"), Limits{})
	checkRefusal(t, err, safefile.ErrInput, filepath.Join(dir, "none.png"), "does not exist; check the name")
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the cause is lost in %v", err)
	}
	_, err = Open(context.Background(), dir, Limits{})
	checkRefusal(t, err, safefile.ErrInput, dir, "is a folder, not a file; name a file in it")

	big := filepath.Join(dir, "big.png")
	must.Succeed(t, os.WriteFile(big, nil, 0o600))
	if err := os.Truncate(big, 300<<20); err != nil {
		t.Skip("no sparse files here")
	}
	_, err = Open(context.Background(), big, Limits{})
	checkRefusal(t, err, safefile.ErrLimit, big, "has 300 MiB, more than the limit of 256 MiB; save it smaller")
}
