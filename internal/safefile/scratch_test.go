package safefile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"superres/internal/must"
)

// What is put aside can be read again, and nothing of it is left.
func TestScratch(t *testing.T) {
	dir := t.TempDir()
	f := must.Get(Scratch(dir))(t)
	if _, err := f.WriteString("aside"); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(f); err != nil || string(got) != "aside" {
		t.Errorf("%q, %v", got, err)
	}
	f.Close()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
	if _, err := Scratch(filepath.Join(dir, "none")); !errors.Is(err, ErrOutput) {
		t.Errorf("%v, expected an error of the output", err)
	}
}
