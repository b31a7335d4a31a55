package safefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"superres/internal/must"
)

// failing is the machine's disk with one call, or all from one on, that fail.
type failing struct {
	osDisk
	at      int    // the number of the call that fails, from 1
	dead    bool   // all calls from there on fail, as after a kill
	noLinks bool   // Link always fails
	calls   int    // made so far
	failed  string // the name of the first failed call
}

func (d *failing) next(call string) error {
	d.calls++
	if d.calls != d.at && !(d.dead && d.calls > d.at) {
		return nil
	}
	if d.failed == "" {
		d.failed = call
	}
	return &fs.PathError{Op: call, Path: "secret", Err: syscall.ENOSPC}
}

// do makes a call unless it is to fail.
func (d *failing) do(call string, f func() error) error {
	if err := d.next(call); err != nil {
		return err
	}
	return f()
}

func (d *failing) Lstat(name string) (info fs.FileInfo, err error) {
	err = d.do("lstat", func() error { info, err = d.osDisk.Lstat(name); return err })
	return info, err
}

func (d *failing) Create(name string, perm fs.FileMode) (f file, err error) {
	err = d.do("create", func() error { f, err = d.osDisk.Create(name, perm); return err })
	return &failingFile{f, d}, err
}

func (d *failing) Link(from, to string) error {
	if d.noLinks {
		return &os.LinkError{Op: "link", Old: from, New: to, Err: syscall.EPERM}
	}
	return d.do("link", func() error { return d.osDisk.Link(from, to) })
}

func (d *failing) Rename(from, to string) error {
	return d.do("rename", func() error { return d.osDisk.Rename(from, to) })
}

func (d *failing) Remove(name string) error {
	return d.do("remove", func() error { return d.osDisk.Remove(name) })
}

func (d *failing) Chtimes(name string, modified time.Time) error {
	return d.do("chtimes", func() error { return d.osDisk.Chtimes(name, modified) })
}

func (d *failing) SyncDir(dir string) {
	_ = d.do("syncdir", func() error { d.osDisk.SyncDir(dir); return nil })
}

type failingFile struct {
	file
	d *failing
}

func (f *failingFile) Write(p []byte) (int, error) {
	if err := f.d.next("write"); err != nil {
		n, _ := f.file.Write(p[:len(p)/2])
		return n, err
	}
	return f.file.Write(p)
}

func (f *failingFile) Sync() error { return f.d.do("sync", f.file.Sync) }
func (f *failingFile) Chmod(mode fs.FileMode) error {
	return f.d.do("chmod", func() error { return f.file.Chmod(mode) })
}
func (f *failingFile) Close() error { return errors.Join(f.d.next("close"), f.file.Close()) }

// Whatever fails, and whenever the run is killed, the name has its whole old file or a whole new one.
func TestWriteAtomicFailsAtEveryCall(t *testing.T) {
	const oldText = "the old file"
	newText := strings.Repeat("the new file ", 20000) // several writes
	modified := time.Unix(2, 0)
	for _, c := range []struct{ overwrite, dead, noLinks bool }{
		{overwrite: true}, {overwrite: true, dead: true},
		{}, {dead: true}, {noLinks: true}, {noLinks: true, dead: true},
	} {
		before := ""
		if c.overwrite {
			before = oldText
		}
		seen := map[string]bool{}
		for k := 1; ; k++ {
			dir := t.TempDir()
			name := filepath.Join(dir, "a.png")
			if c.overwrite {
				must.Succeed(t, os.WriteFile(name, []byte(oldText), 0o604))
			}
			d := &failing{at: k, dead: c.dead, noLinks: c.noLinks}
			err := writeAtomic(d, name, 0o666, modified, c.overwrite, fillNamed(name, writes(newText)))
			if d.failed == "" {
				must.Succeed(t, err)
				break
			}
			seen[d.failed] = true
			what := fmt.Sprintf("%+v, %s at call %d", c, d.failed, k)
			got := content(t, name)
			reservation := c.noLinks && c.dead && got == "" // the one weakness of disks without links
			if got != before && got != newText && !reservation {
				t.Errorf("%s: the file has %d bytes of neither", what, len(got))
			}
			if err == nil && got != newText {
				t.Errorf("%s: success without the new file", what)
			}
			if err != nil {
				checkRefusal(t, err, ErrOutput, name, "cannot be written: "+syscall.ENOSPC.Error()+"; free some space")
				if got != before && !c.dead {
					t.Errorf("%s: failure, but the file is the new one", what)
				}
			}
			left := leftovers(t, dir)
			if len(left) > 0 && !c.dead && d.failed != "remove" {
				t.Errorf("%s: left over: %q", what, left)
			}
			orphan(t, dir)
			if n, err := RemoveLeftovers(dir, 0); n != len(left) || err != nil {
				t.Errorf("%s: removed %d of %q, %v", what, n, left, err)
			}
			if got != content(t, name) {
				t.Errorf("%s: removing leftovers changed the file", what)
			}
		}
		for _, call := range []string{"lstat", "create", "write", "sync", "close", "syncdir", "remove"} {
			if !seen[call] {
				t.Errorf("%+v: no failing %s was tried", c, call)
			}
		}
	}
}
