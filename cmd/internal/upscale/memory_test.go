package upscale

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"superres/cmd/internal/console/consoletest"
)

// A picture that takes memory without end is stopped and fails with a limit error; others, even those in work at the
// same time, succeed.
func TestOverrunFailsItsPicture(t *testing.T) {
	dir := t.TempDir()
	putMoody(t, dir)
	for i := range 5 {
		w := 20
		if i == 1 {
			w = greedy
		}
		consoletest.WritePicture(t, filepath.Join(dir, fmt.Sprintf("in/%d.png", i)), consoletest.Blob(w, 9))
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	want := "in/1.png: took more than twice the 64 MiB of memory that were expected, and was stopped; please report it"
	for _, c := range []struct {
		args string
		code int
		made []string
	}{
		{"in", 3, []string{"out/0.png", "out/2.png", "out/3.png", "out/4.png"}},
		{"in/1.png", 7, nil},
	} {
		before := consoletest.Tree(t, dir)
		_, stderr, code := call(t, dir, "", "upscale", c.args, "-m", "moody.npz", "-o", "out/", "--name", "{stem}")
		got := slices.DeleteFunc(consoletest.Tree(t, dir), func(f string) bool { return slices.Contains(before, f) })
		if code != c.code || strings.Count(stderr, want) != 1 || !slices.Equal(got, c.made) {
			t.Errorf("%s: exit %d, made %v, %s", c.args, code, got, stderr)
		}
	}
}

// All pictures in work are stopped if and only if the heap exceeds twice the sum of their estimates.
func TestOverrun(t *testing.T) {
	heap := int64(0)
	o := &overrun{heap: func() int64 { return heap }, quiet: 5 << 20, inWork: map[*watched]bool{}}
	first, a := o.begin(t.Context())
	a.promise(300 << 20)
	_, b := o.begin(t.Context())
	b.promise(1) // raised to headBytes, the estimate without a header
	second, c := o.begin(t.Context())
	c.promise(100 << 20)
	if stopped, _ := b.end(); stopped {
		t.Error("the second was stopped")
	}
	heap = 805 << 20
	if o.look(); first.Err() != nil || second.Err() != nil {
		t.Error("stopped at its limit")
	}
	heap++
	o.look()
	if context.Cause(first) != errOverrun || context.Cause(second) != errOverrun {
		t.Errorf("%v, %v", context.Cause(first), context.Cause(second))
	}
	if stopped, alone := a.end(); !stopped || alone {
		t.Error("the first is not told that it was stopped with others")
	}
	o.look()
	if stopped, alone := c.end(); !stopped || alone {
		t.Error("the last is told that it was stopped alone")
	}
	_, d := o.begin(t.Context())
	o.look()
	if stopped, alone := d.end(); !stopped || !alone {
		t.Error("one that was alone is not told so")
	}
}
