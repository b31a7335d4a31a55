package safefile

import (
	"runtime"
	"testing"
)

// A folder is occupied while anybody is at work in it, of whom there may be several.
func TestOccupy(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("not every system has locks")
	}
	dir := t.TempDir()
	looked := func(want bool, when string) {
		t.Helper()
		if got := Occupied(dir); got != want {
			t.Errorf("%s: occupied %v", when, got)
		}
	}
	looked(false, "before")
	one, two := Occupy(dir), Occupy(dir)
	looked(true, "two at work")
	one()
	looked(true, "one at work")
	two()
	looked(false, "afterwards")
	Occupy(dir + "/none")()
	if Occupied(dir + "/none") {
		t.Error("what is not there is occupied")
	}
}
