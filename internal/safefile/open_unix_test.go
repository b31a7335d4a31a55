//go:build unix

package safefile

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"superres/internal/must"
)

// within fails the test if f does not return soon.
func within(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(5 * time.Second):
		t.Fatal("still waiting")
	}
}

func TestOpenRegularWaitsForNothing(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "x.png")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skip(err)
	}
	within(t, func() {
		_, _, err := OpenRegular(fifo)
		checkRefusal(t, err, ErrInput, fifo, "is a pipe, not a file")
		checkRemedy(t, err, StandardInput)
	})
	// Even if the name becomes a FIFO between the look at it and the open.
	within(t, func() {
		f, err := openWithoutWaiting(fifo)
		if err != nil {
			t.Error(err)
			return
		}
		f.Close()
	})
	within(t, func() {
		_, _, err := OpenRegular("/dev/zero")
		checkRefusal(t, err, ErrInput, "/dev/zero", "is a device or socket")
	})
}

func TestOpenRegularFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	file, link, loop := filepath.Join(dir, "a.png"), filepath.Join(dir, "b.png"), filepath.Join(dir, "c.png")
	must.Succeed(t, os.WriteFile(file, []byte("12345"), 0o600))
	if err := os.Symlink(file, link); err != nil {
		t.Skip(err)
	}
	if f, size, err := OpenRegular(link); err != nil || size != 5 {
		t.Errorf("%d bytes, %v", size, err)
	} else {
		f.Close()
	}
	must.Succeed(t, os.Symlink(loop, loop))
	_, _, err := OpenRegular(loop)
	checkRefusal(t, err, ErrInput, loop, "cannot be read: ")
}

func TestWriteAtomicLeavesPipesAlone(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "x.png")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skip(err)
	}
	within(t, func() {
		err := WriteAtomic(fifo, true, writes("new"))
		checkRefusal(t, err, ErrOutput, fifo, "is a device or pipe, not a file")
		checkRemedy(t, err, StandardOutput)
	})
}

func TestWriteAtomicMode(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a.png")
	old := syscall.Umask(0o027)
	defer syscall.Umask(old)

	check := func(want os.FileMode) {
		t.Helper()
		info := must.Get(os.Stat(name))(t)
		if got := info.Mode(); got != want {
			t.Errorf("mode %v, want %v", got, want)
		}
	}
	must.Succeed(t, WriteAtomic(name, false, writes("one")))
	check(0o640) // 0666 &^ 027
	must.Succeed(t, os.Chmod(name, 0o606))
	must.Succeed(t, WriteAtomic(name, true, writes("two")))
	check(0o606)
	must.Succeed(t, os.Chmod(name, 0o444))
	checkRefusal(t, WriteAtomic(name, true, writes("three")), ErrOutput, name, "is write-protected; change its mode")
}
