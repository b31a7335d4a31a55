package app

import (
	"bytes"
	"encoding/json"
	"image"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"superres/cmd/internal/console"
	"superres/internal/golden"

	"superres/cmd/internal/console/consoletest"
	"superres/cmd/internal/pictures"
)

func TestUpscaleNames(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		want []string // new files
	}{
		"beside":         {[]string{"upscale", "a.png"}, []string{"a_2x.png"}},
		"flags behind":   {[]string{"upscale", "a.png", "-s", "3", "-o", "b.png"}, []string{"b.png"}},
		"with =":         {[]string{"upscale", "a.png", "--scale=1.5"}, []string{"a_1.5x.png"}},
		"format":         {[]string{"upscale", "-f", "jpeg", "a.png"}, []string{"a_2x.jpg"}},
		"format by name": {[]string{"upscale", "a.png", "-o", "b.tif"}, []string{"b.tif"}},
		"into folder":    {[]string{"upscale", "a.png", "-o", "out/"}, []string{"out/a_2x.png"}},
		"folder":         {[]string{"upscale", "in"}, []string{"in_2x/x_2x.png", "in_2x/y_2x.png"}},
		"recursive":      {[]string{"upscale", "-r", "in", "-o", "out"}, []string{"out/deep/z_2x.png", "out/x_2x.png", "out/y_2x.png"}},
		"template":       {[]string{"upscale", "a.png", "--name", "{stem}{ext}-{scale}"}, []string{"apng-2.png"}},
		"pattern":        {[]string{"upscale", "in/*.png", "-o", "out"}, []string{"out/x_2x.png", "out/y_2x.png"}},
		"this folder":    {[]string{"upscale", ".", "-o", "out"}, []string{"out/-odd_2x.png", "out/a_2x.png"}},
		"help is a file": {[]string{"upscale", "help", "-f", "png"}, []string{"help_2x.png"}},
		"bmp":            {[]string{"upscale", "-f", "bmp", "a.png"}, []string{"a_2x.bmp"}},
		"after --":       {[]string{"upscale", "--", "-odd.png"}, []string{"-odd_2x.png"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for _, f := range []string{"a.png", "help", "-odd.png", "in/x.png", "in/y.png", "in/deep/z.png"} {
				consoletest.WritePicture(t, filepath.Join(dir, f), consoletest.Blob(9, 7))
			}
			before := consoletest.Tree(t, dir)
			stdout, stderr, code := call(t, dir, "", slices.Insert(c.args, 1, "-q")...)
			if code != 0 || stdout != "" || stderr != "" {
				t.Fatalf("exit %d, stdout %q, stderr %q", code, stdout, stderr)
			}
			got := slices.DeleteFunc(consoletest.Tree(t, dir), func(f string) bool { return slices.Contains(before, f) })
			if !slices.Equal(got, c.want) {
				t.Errorf("made %v, expected %v", got, c.want)
			}
		})
	}
}

func TestUpscaleGivesTheSameBytes(t *testing.T) {
	dir := t.TempDir()
	consoletest.WritePicture(t, filepath.Join(dir, "in/a.png"), consoletest.Blob(40, 33))
	raw, err := os.ReadFile(filepath.Join(dir, "in/a.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	call(t, dir, "", "upscale", "in/a.png", "-o", "one.png", "-j", "1")
	call(t, dir, "", "upscale", "in/a.png", "-o", "two.png", "-j", "2")
	call(t, dir, "", "upscale", "in", "-o", "folder")
	piped, stderr, code := call(t, dir, string(raw), "upscale", "-")
	if code != 0 || stderr != "" {
		t.Fatalf("pipe: exit %d, %s", code, stderr)
	}
	want, err := os.ReadFile(filepath.Join(dir, "one.png"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{"two.png", "folder/a_2x.png"} {
		if got, err := os.ReadFile(filepath.Join(dir, f)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs (%v)", f, err)
		}
	}
	if piped != string(want) {
		t.Error("the pipe differs")
	}
	if s := consoletest.Size(t, filepath.Join(dir, "one.png")); s != image.Pt(80, 66) {
		t.Errorf("size %v", s)
	}
}

func TestOddSizes(t *testing.T) {
	for _, s := range []image.Point{{1, 1}, {1, 200}, {200, 1}, {7, 5}} {
		dir := t.TempDir()
		consoletest.WritePicture(t, filepath.Join(dir, "a.png"), consoletest.Blob(s.X, s.Y))
		if _, stderr, code := call(t, dir, "", "upscale", "a.png"); code != 0 || consoletest.Size(t, filepath.Join(dir, "a_2x.png")) != s.Mul(2) {
			t.Errorf("%v: exit %d, %s", s, code, stderr)
		}
	}
}

// One bad file does not end a batch.
func TestSomeFail(t *testing.T) {
	dir := t.TempDir()
	consoletest.WritePicture(t, filepath.Join(dir, "in/a.png"), consoletest.Blob(9, 7))
	consoletest.WritePicture(t, filepath.Join(dir, "in/c.png"), consoletest.Blob(9, 7))
	if err := os.WriteFile(filepath.Join(dir, "in/b.png"), []byte("no picture"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, stderr, code := call(t, dir, "", "upscale", "in")
	if code != 3 || !strings.Contains(stderr, "b.png: not an image") || !strings.Contains(stderr, "1 of 3 pictures failed, 2 are done") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	if got := consoletest.Tree(t, filepath.Join(dir, "in_2x")); !slices.Equal(got, []string{"a_2x.png", "c_2x.png"}) {
		t.Errorf("made %v", got)
	}
	if _, stderr, code = call(t, dir, "", "upscale", "in", "--on-exist", "skip"); code != 3 {
		t.Errorf("again with skip: exit %d, %s", code, stderr)
	}
	os.Remove(filepath.Join(dir, "in/b.png"))
	if _, stderr, code = call(t, dir, "", "upscale", "in", "--on-exist", "skip"); code != 0 {
		t.Errorf("all there: exit %d, %s", code, stderr)
	}
}

func TestCancelledLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	consoletest.WritePicture(t, filepath.Join(dir, "a.png"), consoletest.Blob(300, 300))
	t.Chdir(dir)
	program.Interrupted(t, dir, consoletest.AtOnce, "upscale", "a.png")
}

// A model trained twice has the same bytes wherever its pictures lie, is used from
// its file, and tells how it was made.
func TestTrainAndUse(t *testing.T) {
	dir := t.TempDir()
	for _, f := range []string{"one/set/a.png", "two/set/a.png"} {
		consoletest.WritePicture(t, filepath.Join(dir, f), golden.Open(t, filepath.Join(golden.Root(t), "testdata", "hopper.png")))
	}
	flags := []string{"--atoms", "30", "--iterations", "2", "--patches", "500"}
	for _, c := range [][]string{{"one/set", "-o", "1.npz"}, {"two/set/", "-o", "2.npz", "-j", "1"}} {
		if _, stderr, code := call(t, dir, "", append(append([]string{"train"}, c...), flags...)...); code != 0 {
			t.Fatalf("exit %d, %s", code, stderr)
		}
	}
	a, _ := os.ReadFile(filepath.Join(dir, "1.npz"))
	b, _ := os.ReadFile(filepath.Join(dir, "2.npz"))
	if len(a) == 0 || !bytes.Equal(a, b) {
		t.Error("the two models differ")
	}
	stdout, _, _ := call(t, dir, "", "models", "1.npz")
	var told struct{ Provenance struct{ Command string } }
	if err := json.Unmarshal([]byte(stdout), &told); err != nil || !strings.HasSuffix(told.Provenance.Command, "--seed 1 --recursive=false --limit 0 set") {
		t.Errorf("%v: %q", err, told.Provenance.Command)
	}
	if _, stderr, code := call(t, dir, "", "upscale", "-m", "1.npz", "one/set/a.png", "-o", "a.png", "--sparsity", "1", "--back-projection", "0"); code != 0 {
		t.Errorf("exit %d, %s", code, stderr)
	}
	stdout, stderr, code := call(t, dir, "", "eval", "one/set/a.png", "-m", "bicubic", "-m", "1.npz", "--json")
	var table struct {
		Mean []struct{ PSNR, SSIM float64 }
	}
	if err := json.Unmarshal([]byte(stdout), &table); err != nil || code != 0 || len(table.Mean) != 2 || table.Mean[0].PSNR < 20 {
		t.Errorf("exit %d, %s %v %s", code, stderr, err, stdout)
	}
}

// A cascade is trained, its command makes the same bytes again, and flags of the other
// kind of model are refused.
func TestTrainCascade(t *testing.T) {
	dir := t.TempDir()
	for i, f := range []string{"set/a.png", "set/b.png", "set/c.png"} {
		consoletest.WritePicture(t, filepath.Join(dir, f), consoletest.Blob(60+10*i, 50))
	}
	train := []string{"train", "--stages", "2", "--atoms", "40", "--reduce", "0.8", "--held-out", "1", "--flat", "0.1", "set", "-o", "1.npz"}
	if _, stderr, code := call(t, dir, "", train...); code != 0 {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	if got := consoletest.Tree(t, dir); len(got) != 4 {
		t.Errorf("files %v", got)
	}
	stdout, _, _ := call(t, dir, "", "models", "1.npz")
	var told struct {
		Provenance struct {
			Command     string
			StageScores []any `json:"stage_scores"`
		}
	}
	if err := json.Unmarshal([]byte(stdout), &told); err != nil || len(told.Provenance.StageScores) != 2 {
		t.Fatalf("%v: %s", err, stdout)
	}
	again := append(strings.Fields(told.Provenance.Command)[1:], "-o", "2.npz")
	if _, stderr, code := call(t, dir, "", again...); code != 0 {
		t.Fatalf("%v: exit %d, %s", again, code, stderr)
	}
	a, _ := os.ReadFile(filepath.Join(dir, "1.npz"))
	b, _ := os.ReadFile(filepath.Join(dir, "2.npz"))
	if len(a) == 0 || !bytes.Equal(a, b) {
		t.Error("the command that the model records makes another model")
	}
	if _, stderr, code := call(t, dir, "", "upscale", "-m", "1.npz", "set/a.png", "-o", "a.png", "--back-projection", "2"); code != 0 {
		t.Errorf("exit %d, %s", code, stderr)
	}
	for _, c := range [][]string{
		{"--stages", "2", "--detail=false"}, {"--stages", "2", "--sparsity", "3"}, {"--stages", "1", "--patches", "9"}, {"--symmetries", "none"}, {"--input-dims", "9"},
		{"--stages", "-1"}, {"--stages", "1", "--patch", "4"}, {"--stages", "1", "--symmetries", "some"}, {"--stages", "99"}, {"--stages", "1", "--learner", "ksdv"},
	} {
		if _, stderr, code := call(t, dir, "", append(append([]string{"train"}, c...), "set", "-o", "x.npz")...); code != 2 {
			t.Errorf("%v: exit %d, %s", c, code, stderr)
		}
	}
}

func TestEvalFiles(t *testing.T) {
	dir := t.TempDir()
	consoletest.WritePicture(t, filepath.Join(dir, "ref/a.png"), consoletest.Blob(40, 30))
	consoletest.WritePicture(t, filepath.Join(dir, "ref/b.png"), consoletest.Blob(30, 40))
	call(t, dir, "", "upscale", "-s", "1", "ref", "-o", "test", "-m", "nearest")
	stdout, stderr, code := call(t, dir, "", "eval", "ref", "test", "-s", "2")
	if code != 0 || !strings.Contains(stdout, "protocol matlab-y, scale 2") || !strings.Contains(stdout, "- / 1.0000") {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
	os.Remove(filepath.Join(dir, "test/b_1x.png"))
	if _, stderr, code = call(t, dir, "", "eval", "ref", "test"); code != 4 || !strings.Contains(stderr, "b.png: no picture called b") {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

func TestLists(t *testing.T) {
	for command, want := range map[string]string{
		"learners": "Aharon", "coders": "sparsity=0", "models": "×2 from box", "version": "superres " + console.Version, "--version": "superres " + console.Version, "help": "EXAMPLES",
	} {
		if stdout, stderr, code := call(t, ".", "", command); code != 0 || stderr != "" || !strings.Contains(stdout, want) {
			t.Errorf("%s: exit %d, %s%s", command, code, stdout, stderr)
		}
	}
	for _, c := range []string{"upscale", "eval", "train", "learn", "recover", "mnist", "models", "learners", "coders", "version"} {
		stdout, stderr, code := call(t, ".", "", c, "--help")
		if code != 0 || stderr != "" || !strings.Contains(stdout, "EXAMPLES\n   superres "+c) {
			t.Errorf("%s --help: exit %d, %s%s", c, code, stdout, stderr)
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
	got := pair(list("a.png", "a_b.png", "c.png", "d.png"), list("a_b_2x.png", "c_2x_old.png", "c_2x.png", "d.jpg", "d_2x.png"))
	want := []string{"", "a_b_2x.png", "c_2x.png", "d.jpg"}
	for i, in := range got {
		if in.Place != want[i] {
			t.Errorf("reference %d is scored by %q, expected %q", i, in.Place, want[i])
		}
	}
}

// The first command of the README does what the README says.
func TestReadme(t *testing.T) {
	root := golden.Root(t)
	text, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile("(?s)```sh\ngo run ./cmd/superres (.*?)\n```.*```sh\ngo test ./...\n```").FindSubmatch(text)
	if m == nil {
		t.Fatal("the two commands are not there")
	}
	out := filepath.Join(t.TempDir(), "out.png")
	args := strings.Fields(string(m[1]))
	args[slices.Index(args, "-o")+1] = out
	if _, stderr, code := call(t, root, "", args...); code != 0 || consoletest.Size(t, out) != image.Pt(256, 256) {
		t.Errorf("exit %d, %s", code, stderr)
	}
	for _, link := range regexp.MustCompile(`\((testdata/[^)]*)\)`).FindAllSubmatch(text, -1) {
		if _, err := os.Stat(filepath.Join(root, string(link[1]))); err != nil {
			t.Error(err)
		}
	}
}
