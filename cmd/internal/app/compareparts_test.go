package app

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
)

func TestCompareInParts(t *testing.T) {
	dir := t.TempDir()
	idx(t, filepath.Join(dir, "train-images-idx3-ubyte"), 30)
	args := []string{
		"compare", "--protocol", "pooled", "--images", "train-images-idx3-ubyte", "--index", "3,9,30", "--learners", "rop,mod",
		"--seeds", "2", "--atoms", "16", "--patches", "60", "--iterations", "12", "-q", ".",
	}
	if _, errs, code := call(t, dir, "", append(slices.Clone(args), "-o", "whole")...); code != 0 {
		t.Fatalf("exit %d: %s", code, errs)
	}
	for i := range 2 {
		if _, errs, code := call(t, dir, "", append(slices.Clone(args), "-o", "parts", "--shard", fmt.Sprintf("%d/2", i))...); code != 0 {
			t.Fatalf("exit %d: %s", code, errs)
		}
	}
	if _, errs, code := call(t, dir, "", "merge", "parts"); code != 0 {
		t.Fatalf("exit %d: %s", code, errs)
	}
	a, b := readRuns(t, filepath.Join(dir, "whole")), readRuns(t, filepath.Join(dir, "parts"))
	if fmt.Sprintf("%+v", plainRuns(a)) != fmt.Sprintf("%+v", plainRuns(b)) || a.Command != b.Command {
		t.Error("two parts give other figures than the whole")
	}
}
