package scoring

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"superres/cmd/internal/console/consoletest"
	"superres/cmd/internal/pictures"
	"superres/cmd/internal/upscale"
	"superres/internal/golden"
)

// program is the program of this package, and of what its tests need besides.
var program = consoletest.Of(Eval, Diff, upscale.Command)

func TestMain(m *testing.M) { program.Main(m) }

var call = program.Call

func TestEvalFiles(t *testing.T) {
	dir := t.TempDir()
	consoletest.Blobs(t, dir, 40, 30, "ref/a.png")
	consoletest.Blobs(t, dir, 30, 40, "ref/b.png")
	call(t, dir, "", "upscale", "-s", "1", "ref", "-o", "test", "-m", "nearest")
	stdout, stderr, code := call(t, dir, "", "eval", "ref", "test", "-s", "2")
	if code != 0 || !strings.Contains(stdout, "protocol matlab-y, scale 2") || !strings.Contains(stdout, "- / 1.0000") {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
	os.Remove(filepath.Join(dir, "test/b_restored.png"))
	program.Ends(t, dir, 4, "b.png: no picture called b", "eval", "ref", "test")
}

// The default of upscale is scored as others are: it finds the noise that photo takes for detail.
func TestEvalAuto(t *testing.T) {
	picture := filepath.Join(golden.Root(t), "testdata", "hopper.png")
	stdout, _ := program.Succeeds(t, t.TempDir(), "eval", "--json", "-m", "photo", "-m", "auto", "--noise", "20",
		picture)
	scores := consoletest.Decode[Scores](t, stdout)
	if len(scores.Mean) != 2 || *scores.Mean[1].PSNR < *scores.Mean[0].PSNR+2 {
		t.Error(stdout)
	}
}

// Wrong input, wrong usage, wrong models: one clear line, the right exit code, no new file.
func TestEvalErrors(t *testing.T) {
	dir := t.TempDir()
	consoletest.Blobs(t, dir, 9, 7, "a.png", "exists.png")
	program.Refuses(t, dir, []consoletest.Refusal{
		{Args: []string{"eval", "a.png"}, Code: 2, Want: "expected REF and TEST"},
		{Args: []string{"eval", "a.png", "exists.png", "--protocol", "nef"}, Code: 2, Want: `did you mean "nfe"?`},
		{Args: []string{"eval", "-m", "photo", "missing.png"}, Code: 4, Want: "missing.png"},
	})
}

// What chooses images of IDX files says so where there is none, and pictures of kinds that cannot be read are counted.
func TestEvalLeavesOut(t *testing.T) {
	dir := t.TempDir()
	consoletest.Blobs(t, dir, 20, 12, "in/a.png", "in/b.png")
	consoletest.Put(t, filepath.Join(dir, "in/c.heic"), []byte("\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic"))
	const idle = "superres: --index, --skip-index and --limit choose images of IDX files, and none is named: all " +
		"pictures are taken\n"
	const heic = "superres: 1 file is of a kind that cannot be read: 1 HEIC\n"
	for args, want := range map[string]string{
		"-m nearest in --limit 1": heic + idle, "-m nearest in/a.png --index 0": idle, "-m nearest in/a.png": "",
		"in/a.png in/b.png --limit 1": idle,
		"in in":                       heic[:len("superres: ")] + "2 files are of kinds that cannot be read: 2 HEIC\n",
		"-m nearest in --limit 1 -q":  "",
	} {
		if _, stderr, code := call(t, dir, "", append([]string{"eval"}, strings.Fields(args)...)...); code != 0 ||
			stderr != want {
			t.Errorf("%s: exit %d, %q, expected %q", args, code, stderr, want)
		}
	}
}

// Every test picture goes to the reference whose name it fits best, and to no other.
func TestPair(t *testing.T) {
	list := func(places ...string) (out []pictures.Input) {
		for _, p := range places {
			out = append(out, pictures.Input{Path: "x/" + p, Place: p})
		}
		return out
	}
	got := pair(list("a.png", "a_b.png", "c.png", "d.png"),
		list("a_b_2x.png", "c_2x_old.png", "c_2x.png", "d.jpg", "d_2x.png"))
	want := []string{"", "a_b_2x.png", "c_2x.png", "d.jpg"}
	for i, in := range got {
		if in.Place != want[i] {
			t.Errorf("reference %d is scored by %q, expected %q", i, in.Place, want[i])
		}
	}
}
