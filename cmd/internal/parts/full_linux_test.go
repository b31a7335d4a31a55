package parts

import (
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"superres/internal/must"
)

// If only a part of a line fits on the disk, that part is removed, and later lines are added once there is room. A
// limit of file size stands for a full disk.
func TestFullDisk(t *testing.T) {
	name := filepath.Join(t.TempDir(), "journal.jsonl")
	j := must.Get(OpenJournal[string](name, 0o666, nil))(t)
	defer j.Close()
	must.Succeed(t, j.Add("one"))
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
	must.Succeed(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was))
	if failed == nil {
		t.Fatal("no error")
	}
	must.Succeed(t, j.Add("three"))
	if list, _, damaged, err := readAll(name); err != nil || damaged != 0 ||
		!slices.Equal(list, []string{"one", "three"}) {
		t.Errorf("%q, line %d, %v after %v", list, damaged, err, failed)
	}
}
