package upscale

import (
	"bytes"
	"fmt"
	"image"
	"image/jpeg"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"superres/cmd/internal/console"
	"superres/cmd/internal/console/consoletest"
	"superres/internal/imagefile/imagetest"
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
		"recursive": {[]string{"upscale", "-r", "in", "-o", "out"},
			[]string{"out/deep/z_2x.png", "out/x_2x.png", "out/y_2x.png"}},
		"template": {[]string{"upscale", "a.png", "--name", "{stem}{ext}-{scale}"}, []string{"apng-2.png"}},
		"pattern":  {[]string{"upscale", "in/*.png", "-o", "out"}, []string{"out/x_2x.png", "out/y_2x.png"}},
		"this folder": {[]string{"upscale", ".", "-o", "out"},
			[]string{"out/-odd_2x.png", "out/a_2x.png", "out/help_2x.png"}},
		"help is a file": {[]string{"upscale", "help", "-f", "png"}, []string{"help_2x.png"}},
		"bmp":            {[]string{"upscale", "-f", "bmp", "a.png"}, []string{"a_2x.bmp"}},
		"include": {[]string{"upscale", "-r", "src", "-o", "out", "--include", "*.png", "--include", "a.*"},
			[]string{"out/a_2x.jpg", "out/b/a_2x.png", "out/b/deep/a_2x.png", "out/c/a_2x.png"}},
		"exclude": {[]string{"upscale", "-r", "src", "--exclude", "deep", "--exclude", "a.jpg"},
			[]string{"src_2x/b/a_2x.png", "src_2x/c/a_2x.png"}},
		"out within": {[]string{"upscale", "-r", "src", "-o", "src/b"},
			[]string{"src/b/a_2x.jpg", "src/b/c/a_2x.png"}},
		"pattern of folder": {[]string{"upscale", "-r", "src/*", "--exclude", "*.jpg"},
			[]string{"src/b_2x/a_2x.png", "src/b_2x/deep/a_2x.png", "src/c_2x/a_2x.png"}},
		"pattern and out": {[]string{"upscale", "-r", "src/b*", "-o", "out"},
			[]string{"out/a_2x.png", "out/deep/a_2x.png"}},
		"model": {[]string{"upscale", "src/a.jpg", "--name", "{stem}-{model}", "-m", "nearest"},
			[]string{"src/a-nearest.jpg"}},
		"width":    {[]string{"upscale", "src/a.jpg", "--width", "20"}, []string{"src/a_20w.jpg"}},
		"after --": {[]string{"upscale", "--", "-odd.png"}, []string{"-odd_2x.png"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for _, f := range []string{"a.png", "help", "-odd.png", "in/x.png", "in/y.png", "in/deep/z.png",
				"src/a.jpg", "src/b/a.png", "src/b/deep/a.png", "src/c/a.png"} {
				consoletest.WritePicture(t, filepath.Join(dir, f), consoletest.Blob(9, 7))
			}
			before := consoletest.Tree(t, dir)
			stdout, stderr, code := call(t, dir, "", slices.Insert(c.args, 1, "-q", "-m", "nearest")...)
			if code != 0 || stdout != "" || stderr != "" {
				t.Fatalf("exit %d, stdout %q, stderr %q", code, stdout, stderr)
			}
			got := slices.DeleteFunc(consoletest.Tree(t, dir),
				func(f string) bool { return slices.Contains(before, f) })
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
		if _, stderr, code := call(t, dir, "", "upscale", "a.png"); code != 0 ||
			consoletest.Size(t, filepath.Join(dir, "a_2x.png")) != s.Mul(2) {
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
	if code != 3 || !strings.Contains(stderr, "b.png: not an image") ||
		!strings.Contains(stderr, "1 of 3 pictures failed, 2 are done") {
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

// Links: a folder named by one is read, an output tree is not left through one.
func TestLinks(t *testing.T) {
	dir := t.TempDir()
	consoletest.WritePicture(t, filepath.Join(dir, "in/sub/a.png"), consoletest.Blob(9, 7))
	for _, link := range [][2]string{{"in", "link"}, {"../elsewhere", "out/sub"}} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, link[1])), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(link[0], filepath.Join(dir, link[1])); err != nil {
			t.Skip("no symbolic links here")
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "elsewhere"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := call(t, dir, "", "upscale", "-r", "link", "-o", "new"); code != 0 ||
		!slices.Contains(consoletest.Tree(t, dir), "new/sub/a_2x.png") {
		t.Errorf("a link to a folder: exit %d, %s", code, stderr)
	}
	if _, stderr, code := call(t, dir, "", "upscale", "-r", "in", "-o", "out"); code != 5 || !strings.Contains(stderr,
		"nothing is written through it") || len(consoletest.Tree(t, filepath.Join(dir, "elsewhere"))) != 0 {
		t.Errorf("a link out of the tree: exit %d, %s", code, stderr)
	}
}

// Parts of an upscale are complete when each has come to its end, also those without
// a picture; what failed is told.
func TestMergePictures(t *testing.T) {
	dir := t.TempDir()
	for i := range 6 {
		consoletest.WritePicture(t, filepath.Join(dir, fmt.Sprintf("in/%d.png", i)), consoletest.Blob(5+i, 6))
	}
	consoletest.Put(t, filepath.Join(dir, "in", "bad.png"), []byte("no picture"))
	args := []string{"upscale", "-m", "bicubic", "-o", "out", "-q", "in"}
	if _, _, code := call(t, dir, "", append(args, "-o", "whole")...); code != console.ExitSome {
		t.Fatalf("exit %d", code)
	}
	const parts = 9
	for i := range parts {
		if i == parts-1 {
			if _, errs, code := call(t, dir, "", "merge", "out"); code != console.ExitInput ||
				!strings.Contains(errs, "--shard 8/9") {
				t.Errorf("a part is missing: exit %d, %s", code, errs)
			}
		}
		call(t, dir, "", append(args, "--resume", "--shard", fmt.Sprintf("%d/%d", i, parts))...)
	}
	out, errs, code := call(t, dir, "", "merge", "out")
	if code != console.ExitSome || out != "in/bad.png: failed\n9 parts: 6 pictures done, 1 failed\n" {
		t.Errorf("exit %d, %s%s", code, out, errs)
	}
	if !maps.Equal(consoletest.Results(t, filepath.Join(dir, "whole")),
		consoletest.Results(t, filepath.Join(dir, "out"))) {
		t.Error("the parts give other pictures than the whole")
	}
	consoletest.WritePicture(t, filepath.Join(dir, "in/bad.png"), consoletest.Blob(4, 4))
	for i := range parts {
		if _, errs, code := call(t, dir, "",
			append(args, "--resume", "--shard", fmt.Sprintf("%d/%d", i, parts))...); code != 0 {
			t.Errorf("part %d: exit %d, %s", i, code, errs)
		}
	}
	if out, errs, code := call(t, dir, "", "merge", "out"); code != 0 || out != "9 parts: 7 pictures done, 0 failed\n" {
		t.Errorf("exit %d, %s%s", code, out, errs)
	}
	if _, errs, code := call(t, dir, "", "merge", "in"); code != console.ExitInput ||
		!strings.Contains(errs, "no part was done there") {
		t.Errorf("exit %d, %s", code, errs)
	}
}

// What was begun last counts: parts that were done before pictures were added are to be run
// again, and another division is not complete because the one before was.
func TestMergeOfOtherPictures(t *testing.T) {
	dir := t.TempDir()
	draw := func(from, to int) {
		for i := from; i < to; i++ {
			consoletest.WritePicture(t, filepath.Join(dir, fmt.Sprintf("in/%d.png", i)), consoletest.Blob(5+i, 6))
		}
	}
	part := func(shard string) {
		t.Helper()
		if _, errs, code := call(t, dir, "", "upscale", "-m", "bicubic", "-o", "out", "-q", "--resume", "--shard",
			shard, "in"); code != 0 {
			t.Fatalf("part %s: exit %d, %s", shard, code, errs)
		}
	}
	merged := func(want string) {
		t.Helper()
		if out, errs, code := call(t, dir, "", "merge", "out"); (code == 0) != strings.HasPrefix(out, want) ||
			!strings.Contains(out+errs, want) {
			t.Errorf("exit %d, %s%s, expected %s", code, out, errs, want)
		}
	}
	draw(0, 5)
	part("0/2")
	part("1/2")
	merged("2 parts: 5 pictures done")
	draw(5, 10)
	part("0/2")
	merged("run the command with --shard 1/2")
	part("1/2")
	merged("2 parts: 10 pictures done")
	part("1/3")
	merged("run the command with --shard 0/3, 2/3")
}

// A result that is written in strips, as with --tile, has the bytes of one that is made as a
// whole, in every form; what fails on the way leaves nothing.
func TestStrips(t *testing.T) {
	dir := t.TempDir()
	photo := imagetest.Encoded(t, func(b *bytes.Buffer) error { return jpeg.Encode(b, consoletest.Blob(90, 61), nil) })
	consoletest.Put(t, filepath.Join(dir, "photo.jpg"), photo)
	consoletest.WritePicture(t, filepath.Join(dir, "grey.png"), imagetest.GreyRamp(90, 61))
	consoletest.WritePicture(t, filepath.Join(dir, "clear.png"),
		imagetest.Ramp(28, 61)) // with transparency, which is none in strips
	for _, args := range []string{
		"photo.jpg -o a.jpg", "photo.jpg -o a.png -s 3.3", "photo.jpg -o a.png --depth 16 -m bicubic", "grey.png -o a.png", "grey.png -o a.jpg -s 1", "clear.png -o a.png",
		"clear.png -o a.jpg -m lanczos", "photo.jpg -o a.tif -m lanczos", "photo.jpg -o a.png -m digits -s 2", "photo.jpg -o a.png --strength 0.5 --denoise 0.4",
	} {
		var results [2]string
		for i, rows := range []string{"0", "9"} {
			words := strings.Fields(args)
			_, stderr, code := call(t, dir, "",
				append([]string{"upscale", "--on-exist", "overwrite", "--tile", rows}, words...)...)
			if code != 0 {
				t.Fatalf("%s: exit %d, %s", args, code, stderr)
			}
			results[i] = string(consoletest.Read(t, dir, words[2]))
		}
		if results[0] != results[1] {
			t.Errorf("%s: other bytes in strips", args)
		}
	}
	program.Interrupted(t, dir, "", "upscale", "photo.jpg", "-o", "new.png", "--tile", "9")
	if stderr, code := program.Into(consoletest.Broken{}, "upscale", "photo.jpg", "-o", "-", "--tile",
		"9"); code != console.ExitOutput || strings.Count(stderr, "\n") != 1 {
		t.Errorf("exit %d, %s", code, stderr)
	}
	program.Refuses(t, dir, []consoletest.Refusal{
		{Args: []string{"upscale", "photo.jpg", "--tile", "9", "--timeout", "1ns"}, Code: console.ExitLimit,
			Want: "photo.jpg: takes longer to"},
		{Args: []string{"upscale", "photo.jpg", "--tile", "-1"}, Code: console.ExitUsage,
			Want: "--tile -1: expected 0 or more rows"},
	})
}
