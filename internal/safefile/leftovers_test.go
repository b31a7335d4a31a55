package safefile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"superres/internal/must"
)

// named is a name of a temporary file of a maker.
func named(m maker, number int) string {
	return fmt.Sprintf("%s%s-%s-%08x%s", tempPrefix, m.host, m.process, number, tempSuffix)
}

// ended is a process of this machine that runs no more.
var ended = maker{self.host, "00000000"}

// orphan gives the temporary files in a folder names as if the process that made them had ended.
func orphan(t *testing.T, dir string) {
	t.Helper()
	for i, name := range leftovers(t, dir) {
		must.Succeed(t, os.Rename(filepath.Join(dir, name), filepath.Join(dir, named(ended, i))))
	}
}

// What a process of this machine made goes when it has ended, whatever its age; what may be of one at work stays.
func TestRemoveLeftovers(t *testing.T) {
	dir := t.TempDir()
	old := time.Now().Add(-time.Hour)
	add := func(name string, age time.Time) string {
		t.Helper()
		must.Succeed(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
		must.Succeed(t, os.Chtimes(filepath.Join(dir, name), age, age))
		return name
	}
	far := maker{"00000000", "00000000"}
	spared := []string{
		add(named(far, 4), time.Now()), add("a.png", old), add(".superres-notes.tmp", old),
		add(".superres-0123456789ABCDEF.tmp", old), add(".superres-01234567-89abcdef-0123456.tmp", old),
		add("x"+named(ended, 7), old), add(named(ended, 8)+"x", old),
	}
	want := 2
	add(named(far, 3), old)
	add(named(ended, 2), old)
	farFolder, lost := named(far, 10), filepath.Join(dir, named(ended, 10), "problem")
	must.Succeed(t, errors.Join(os.Mkdir(filepath.Join(dir, farFolder), 0o700), os.MkdirAll(lost, 0o700)))
	must.Succeed(t, os.Chtimes(filepath.Join(dir, farFolder), old, old))
	_ = os.Symlink(filepath.Join(dir, "a.png"), filepath.Join(dir, named(ended, 9)))
	if f, err := os.Open(filepath.Join(dir, "a.png")); err == nil && lock(f) != unknown {
		f.Close()
		add(named(ended, 1), time.Now())
		want += 2 // that and the folder
		for _, by := range []maker{self, far} {
			used := must.Get(osDisk{}.Create(filepath.Join(dir, named(by, 12)), 0o600))(t)
			defer used.Release()
			used.Close() // what follows, giving it its name, is use still
			must.Succeed(t, os.Chtimes(used.Name(), old, old))
			spared = append(spared, named(by, 12))
		}
	}
	if n, err := RemoveLeftovers(dir, time.Minute); n != want || err != nil {
		t.Errorf("removed %d, %v; want %d", n, err, want)
	}
	for _, name := range append(spared, farFolder) {
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	none := filepath.Join(dir, "none")
	_, err := RemoveLeftovers(none, 0)
	checkRefusal(t, err, ErrOutput, none, "cannot be looked through for old temporary files: ")
}

// A program that is killed leaves a file with its name on it, which goes in the next run, and not
// before; so does its folder.
func TestMakerIsKilled(t *testing.T) {
	if dir := os.Getenv("SAFEFILE_TEST_FOLDER"); dir != "" {
		_, remove, err := TempFolder()
		must.Succeed(t, err)
		defer remove()
		_ = WriteAtomic(filepath.Join(dir, "a.png"), false, func(io.Writer) error {
			fmt.Println("at work")
			time.Sleep(time.Hour)
			return nil
		})
	}
	dir, temp := t.TempDir(), t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestMakerIsKilled$")
	cmd.Env = append(os.Environ(), "SAFEFILE_TEST_FOLDER="+dir, "TMPDIR="+temp, "TMP="+temp)
	out := must.Get(cmd.StdoutPipe())(t)
	must.Succeed(t, cmd.Start())
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{dir, temp} {
		if n, err := RemoveLeftovers(folder, time.Hour); n != 0 || err != nil {
			t.Errorf("at work: removed %d, %v", n, err)
		}
	}
	_ = cmd.Process.Kill()
	defer cmd.Wait()
	if runtime.GOOS != "linux" {
		_ = cmd.Wait()
	} // else it has ended as well when nobody has waited for it
	for _, folder := range []string{dir, temp} {
		removed := 0
		for began := time.Now(); removed == 0 && time.Since(began) < 10*time.Second; time.Sleep(time.Millisecond) {
			removed += must.Get(RemoveLeftovers(folder, time.Hour))(t) // its threads end one after the other
		}
		if left := leftovers(t, folder); removed != 1 || len(left) > 0 {
			t.Errorf("killed: removed %d, left %q", removed, left)
		}
	}
}

// At the end of a program all folders are cleared in which it has made files, and its own files
// go when it has given them up.
func TestClearFolders(t *testing.T) {
	dir := t.TempDir()
	for i := range 2 {
		must.Succeed(t, os.WriteFile(filepath.Join(dir, named(ended, i)), nil, 0o600))
		must.Succeed(t, WriteAtomic(filepath.Join(dir, "a"), true, writes("text")))
		if i == 1 {
			must.Succeed(t, os.WriteFile(filepath.Join(dir, named(self, i)), nil, 0o600))
		}
		ClearFolders(time.Hour, i == 1)
		if left := leftovers(t, dir); len(left) > 0 {
			t.Errorf("left over: %q", left)
		}
	}
}

func TestSameFile(t *testing.T) {
	dir := t.TempDir()
	a, b, hard, soft := filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "hard"),
		filepath.Join(dir, "soft")
	for _, name := range []string{a, b} {
		must.Succeed(t, os.WriteFile(name, []byte("same bytes"), 0o600))
	}
	if err := errors.Join(os.Link(a, hard), os.Symlink(a, soft)); err != nil {
		t.Skip(err)
	}
	none := filepath.Join(dir, "none")
	for other, want := range map[string]bool{
		a: true, filepath.Join(dir, ".", "a"): true, hard: true, soft: true, b: false, none: false,
	} {
		for _, name := range []string{a, soft} {
			if got := SameFile(name, other); got != want {
				t.Errorf("%s and %s: %v", name, other, got)
			}
		}
	}
	if SameFile(none, none) {
		t.Error("no file is one")
	}
}

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
