package safefile

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"superres/internal/must"
)

// Data put aside can be read again, and leave nothing behind.
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

// A folder is made also while another program removes what killed ones left, which finds it before it is locked.
func TestTempFolderAmongLeftovers(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"TMPDIR", "TEMP", "TMP"} {
		t.Setenv(name, dir)
	}
	var made atomic.Bool
	var removing sync.WaitGroup
	for range 2 {
		removing.Go(func() {
			for !made.Load() {
				if _, err := RemoveLeftovers(dir, time.Hour); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 2000 {
		path, remove, err := TempFolder()
		if err != nil {
			t.Error(err)
			break
		}
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
		remove()
	}
	made.Store(true)
	removing.Wait()
}
