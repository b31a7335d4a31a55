package atoms

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"superres/cmd/internal/console/consoletest"
	"superres/cmd/internal/models"
	"superres/superres/stage"
)

// Models of several coupled stages, and of none.
func TestDictStages(t *testing.T) {
	dir := t.TempDir()
	putHalves(t, filepath.Join(dir, "bare.npz"), "low", "high")
	ok(t, dir, "dict", "import", "bare.npz", "-o", "one.npz")
	one, err := models.Open(filepath.Join(dir, "one.npz"))
	if err != nil {
		t.Fatal(err)
	}
	coupled, back := one.Stages[0], one.Stages[1]
	for name, stages := range map[string][]stage.Stage{"two.npz": {coupled, back, coupled}, "none.npz": {back}} {
		m := *one
		m.Stages = stages
		var b bytes.Buffer
		if err := m.Save(&b); err != nil {
			t.Fatal(err)
		}
		consoletest.Put(t, filepath.Join(dir, name), b.Bytes())
	}
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"show two.npz", 0, "stage 2, coupled: 3 atoms"},
		{"show two.npz --stage 2 -o a.png", 0, "stage 2, coupled: 3 atoms"},
		{"show two.npz -o b.png", 2, "two.npz has several coupled stages, [0 2] (from 0); choose one with --stage"},
		{"show two.npz --stage 1 -o b.png", 2, "--stage 1: the coupled stages of two.npz are [0 2]"},
		{"show -", 0, "standard input: ×2 from bicubic, coupled + backproject + coupled"},
		{"export two.npz -o b.npy", 2, "choose one with --stage"},
		{"export two.npz -o a.npy --stage 0", 0, "--back-projection 3 -o MODEL.npz a.npy; warning: stage 0 alone, " +
			"the model has others"},
		{"export two.npz -o c.npy --stage 2", 0, "--back-projection 0 -o MODEL.npz c.npy; warning: stage 2 alone"},
		{"show none.npz", 2, "none.npz has no coupled dictionary to show or export, its stages are backproject"},
		{"export none.npz -o b.npy", 2, "no coupled dictionary"},
	} {
		stdout, stderr, code := call(t, dir, string(consoletest.Read(t, dir, "two.npz")),
			append([]string{"dict"}, strings.Fields(c.args)...)...)
		if code != c.code || !strings.Contains(stdout+stderr, c.want) {
			t.Errorf("%s: exit %d, %s%s, expected %d with %q", c.args, code, stdout, stderr, c.code, c.want)
		}
	}
	if got, want := consoletest.Tree(t, dir), []string{"a.npy", "a.png", "bare.npz", "c.npy", "none.npz", "one.npz",
		"two.npz"}; !slices.Equal(got, want) {
		t.Errorf("files %v, expected %v", got, want)
	}
}
