package parts

import (
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

// Where there is room for a part of a line, it is taken back, and the journal goes on when there is room again. A
// limit of the size of files stands for a full disk.
func TestFullDisk(t *testing.T) {
	name := filepath.Join(t.TempDir(), "journal.jsonl")
	j, err := OpenJournal[string](name, 0o666, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if err := j.Add("one"); err != nil {
		t.Fatal(err)
	}
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		t.Skip(err)
	}
	full := was
	full.Cur = uint64(j.size) + 3
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &full); err != nil {
		t.Skip(err)
	}
	failed := j.Add("two")
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	if failed == nil {
		t.Fatal("no error")
	}
	if err := j.Add("three"); err != nil {
		t.Fatal(err)
	}
	if list, _, damaged, err := readAll(name); err != nil || damaged != 0 ||
		!slices.Equal(list, []string{"one", "three"}) {
		t.Errorf("%q, line %d, %v after %v", list, damaged, err, failed)
	}
}
