package app

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"superres/cmd/internal/console"
	"superres/cmd/internal/console/consoletest"
	"superres/internal/must"
)

// typed is a line that somebody typed, without "superres", and what must come of it.
type typed struct {
	before string // lines typed before it, separated by semicolons
	line   string
	in     string   // the folder in which it is typed; empty: the one that has photo.jpg
	code   int      // the exit code
	answer []string // what the program must say
	made   string   // all files and folders that are new afterwards; a file in a new folder stands for both
}

// What people type in their first hour is done, or answered with what they meant before anything is done. photo.jpg,
// photos/a.png, photos/b.png, photos/more/c.png, a damaged picture in the folder cut, an
// empty folder, and pictures with the names scan and version are there.
func TestTyped(t *testing.T) {
	const (
		done, nothing, usage, some, input, output = 0, 1, 2, 3, 4, 5
		noFetch                                   = "superres does not fetch; download it first: curl -LO "
	)
	says := func(words ...string) []string { return words }
	for _, row := range []typed{
		// Where the result goes.
		{line: "photos/ large/", code: usage, answer: says("large/ is no file; write -o large/")},
		{line: "upscale photos large", code: usage, answer: says("write -o large/")},
		{line: "photo.jpg large/", code: usage, answer: says("write -o large/")},
		{line: "photo.jpg photos -s 3 large", code: usage, answer: says("write -o large/")},
		{line: "photo.jpg new/large", code: usage, answer: says("write -o new/large/")},
		{line: "photo.jpg empty", code: usage, answer: says("empty is empty; to write to it: -o empty")},
		{line: "photo.jpg out.heic", code: usage, answer: says("out.heic", "end in .png, .jpg, .webp, .tif or .bmp")},
		{line: "photo.jpg large.png", made: "large.png"},
		{before: "photo.jpg large.png", line: "photo.jpg large.png", code: output,
			answer: says("to make it again: -o large.png --on-exist overwrite")},
		{line: "photo.jpg -o large", code: usage, answer: says("write large.png", "or large/ for a folder")},
		{line: "photo.jpg -olarge/", made: "large/photo_2x.jpg"},

		// How large it is.
		{line: "photo.jpg 4x", code: usage, answer: says("4x is no file; write -s 4x")},
		{line: "photo.jpg x4", code: usage, answer: says("write -s x4")},
		{line: "photo.jpg 4", code: usage, answer: says("write -s 4")},
		{line: "2x photo.jpg", code: usage, answer: says("write -s 2x")},
		{line: "upscale photos 400%", code: usage, answer: says("write -s 400%")},
		{line: "photo.jpg 50%", code: usage, answer: says("50% is no file", "-s, from 1 to 16")},
		{line: "photo.jpg 1920x1080", code: usage, answer: says("write --fit 1920x1080")},
		{line: "photo.jpg 1920", code: usage, answer: says("write --width 1920")},
		{line: "photo.jpg 1920px", code: usage, answer: says("write --width 1920")},
		{line: "photo.jpg 4K", code: usage, answer: says("write --fit 4k")},
		{line: "-s 4 2 photo.jpg", code: usage, answer: says("2 is no file, and --scale says the size; leave it out")},
		{line: "photo.jpg scale=4", code: usage, answer: says("write --scale 4")},
		{line: "photo.jpg --scale=4x", made: "photo_4x.jpg"},
		{line: "photo.jpg --size 4", code: usage,
			answer: says(`unknown flag "--size"; sizes are -s 4, --width 1920 and --fit 1920x1080`)},
		{line: "photo.jpg -4x", code: usage, answer: says("write -s 4x")},

		{line: "photo.jpg --short-side 14 --name {size}", made: "18x14.jpg"},
		{line: "photo.jpg --long-side 18 --name {size}", made: "18x14.jpg"},
		{line: "photo.jpg --min-size 10x14 --name {size}", made: "18x14.jpg"},
		{line: "photo.jpg --min-size 4K", code: usage, answer: says("more than 16 times as large")},
		{line: "photo.jpg --megapixels 0.01 --name {size}", made: "113x88.jpg"},
		{line: "photo.jpg --short-side 9 -s 2", code: usage, answer: says("--scale and --short-side: expected one")},
		{line: "photo.jpg --long-side much", code: usage, answer: says("--long-side much: expected 1 or more")},
		{line: "photos photo.jpg --long-side 9 -o large", answer: says("photo.jpg: is large enough already, and is " +
			"copied"), made: "large/a_9x7.png large/b_9x7.png large/photo_9x7.jpg"},
		{line: "photo.jpg --long-side 8 --already-large skip", answer: says()},
		{line: "photo.jpg --long-side 8 --already-large fail", code: usage, answer: says("nothing is made smaller")},
		{before: "photo.jpg -o photos/a.jpg --provenance=false", line: "photos -f bmp -o large",
			made: "large/a.jpg_2x.bmp large/a.png_2x.bmp large/b_2x.bmp"},
		{line: "photo.jpg --replace", made: "photo.jpg.orig"},
		{before: "photo.jpg --replace", line: "photo.jpg --replace", code: output,
			answer: says("photo.jpg.orig exists: the photo was replaced before")},
		{line: "photo.jpg --replace -o large", code: usage, answer: says("--replace says where results go")},
		{line: "- --replace", code: usage, answer: says("--replace takes files")},

		// How it is made.
		{line: "photo.jpg --wrap both --name wrapped", made: "wrapped.jpg"},
		{line: "photo.jpg --wrap z", code: usage, answer: says("--wrap: unknown value", "auto none x y both")},
		{line: "photo.jpg --alpha none --background #ff8000 --name flat", made: "flat.jpg"},
		{line: "photo.jpg --background orange", code: usage, answer: says("expected #rrggbb, white, black or grey")},
		{line: "photo.jpg --background 1234567", code: usage, answer: says("expected #rrggbb, white, black or grey")},
		{line: "photo.jpg -m pixel --blend --alpha premultiplied --name own", made: "own.jpg"},
		{line: "photo.jpg -q 90", code: usage,
			answer: says("-q is --quiet; write --quality 90")},
		{line: "photo.jpg -q90", code: usage, answer: says("write --quality 90")},
		{line: "photo.jpg png", code: usage, answer: says("png is no file; write -f png")},
		{line: "photo.jpg max", code: usage, answer: says("write --effort max")},
		{line: "photo.jpg coupled", code: usage, answer: says("write -m coupled")},
		{line: "--gpu photo.jpg", code: usage, answer: says(`unknown flag "--gpu"; no GPU is needed`)},
		{line: "photo.jpg --map sure.png", made: "photo_2x.jpg sure.png", answer: says("sure.png: nine of ten pixels "+
			"are off by at most, in levels of 255: black 0, blue 1, red 5", "white 32 or more")},
		{line: "models photo", answer: says("architecture convolutional", "trained on", "terms")},
		{line: "models photo --json", answer: says(`"provenance": {`)},
		{line: "bench --only no-such", answer: says("workers: 1")},

		{line: "learners", answer: says("Aharon")},
		{line: "coders", answer: says("sparsity=0")},
		{line: "models", answer: says("\nphoto-real ")},
		{line: "help", answer: says("EXAMPLES")},

		// What is not there.
		{line: "https://example.com/x/y", code: usage, answer: says(noFetch + "https://example.com/x/y")},
		{line: "upscale https://example.com/x/y.jpg -o large/", code: usage, answer: says(noFetch)},
		{line: "photo.jpg http://example.com/y.jpg?size=l&page=1", code: usage,
			answer: says(noFetch + "'http://example.com/y.jpg?size=l&page=1'")},
		{line: "gone/gone.jpg", code: input, answer: says("gone/gone.jpg: does not exist; check the name")},
		{line: "gone/gone.jpg -o a/b/c/", code: input, answer: says("gone/gone.jpg: does not exist")},
		{line: "gone1.jpg gone2.jpg --resume -o a/b/", code: nothing, answer: says("gone1.jpg: does not exist")},
		{line: "photo.jpg gone.jpg other.jpg -o new/", code: some, answer: says("gone.jpg: does not exist"),
			made: "new/photo_2x.jpg"},
		{line: "*.tif", code: input, answer: says("*.tif: no file matches this pattern")},
		{line: "empty", code: input, answer: says("empty: no pictures in this folder")},
		{line: "cut -r -o a/b", code: input, answer: says("cut/cut.png: ")},
		{line: "cut/cut.png -o a/b/c.png", code: input, answer: says("cut/cut.png: ")},

		// Without the command, and with another one.
		{line: "photo.jpg", made: "photo_2x.jpg"},
		{line: "-s 4 photo.jpg", made: "photo_4x.jpg"},
		{line: "--quality=90 photo.jpg -o x.jpg", made: "x.jpg"},
		{line: "photos/", made: "photos_2x/a_2x.png photos_2x/b_2x.png"},
		{line: "$PWD/photos -s 4", made: "photos_4x/a_4x.png photos_4x/b_4x.png"},
		{line: "scan", made: "scan_2x.png"},
		{line: "version", answer: says("superres " + console.Version + " (")}, // the command, though a file is so named
		{line: "-v", answer: says("superres " + console.Version + " (")},
		{line: "--version", answer: says("superres " + console.Version + " (")},
		{line: ".", in: "photos", made: "../photos_2x/a_2x.png ../photos_2x/b_2x.png"},
		{line: "..", in: "photos/more", made: "../../photos_2x/a_2x.png ../../photos_2x/b_2x.png"},
		{line: "enlarge photo.jpg", code: usage, answer: says(`unknown command "enlarge"; did you mean "upscale"?`)},
		{line: "upscael photo.jpg", code: usage, answer: says(`did you mean "upscale"?`)},
		{line: "frobnicate", code: usage, answer: says("superres --help lists the commands")},
		{line: "-s 4 upscale photo.jpg", code: usage,
			answer: says("the command comes before its flags; begin with superres upscale")},
		{line: "-v photo.jpg", answer: says("by photo"), made: "photo_2x.jpg"},

		// Flags.
		{line: "upscale -s4 photo.jpg", made: "photo_4x.jpg"},
		{line: "upscale -j2 photo.jpg", made: "photo_2x.jpg"},
		{line: "upscale -rv photos", answer: says("photos/more/c.png: PNG"),
			made: "photos_2x/a_2x.png photos_2x/b_2x.png photos_2x/more/c_2x.png"},
		{line: "-rs3 photos/more", made: "photos/more_3x/c_3x.png"},
		{line: "-fpng photo.jpg", made: "photo_2x.png"},
		{line: "-i photo.jpg -o x.png", code: usage, answer: says(`unknown flag "-i"; inputs need no flag`)},
		{line: "photo.jpg -y", code: usage, answer: says(`unknown flag "-y"; write --on-exist overwrite`)},
		{line: "photo.jpg --out large/", code: usage, answer: says("write -o PATH")},
		{line: "photos --recursive --dry-run", answer: says("3 to make")},
		{line: "photo.jpg --suffix _big", code: usage, answer: says("--name '{stem}SUFFIX'")},
		{line: "photo.jpg --scael 4", code: usage,
			answer: says(`unknown flag "--scael"; did you mean "--scale"?` + "\n")},
		{line: "photo.jpg --foo", code: usage,
			answer: says(`unknown flag "--foo"; superres upscale --help all lists the flags` + "\n")},
		{line: "photo.jpg –s 4", code: usage, answer: says("U+2013", "write - or --")},
		{line: "--versoin", code: usage, answer: says(`did you mean "--version"?`)},
		{line: "eval --froce photos", code: usage, answer: says(`superres eval --help lists the flags`)},

		// The same again.
		{before: "photo.jpg", line: "*.jpg", code: output, answer: says("photo_2x.jpg exists; use --on-exist")},
		{before: "photo.jpg", line: "*.jpg --on-exist skip",
			answer: says("1 picture that superres enlarged before is left out; --on-result take enlarges it, too")},
		{before: "photo.jpg", line: "-s 3 photo.jpg photo_2x.jpg",
			answer: says("--on-result take"), made: "photo_3x.jpg"},
		{before: "photo.jpg", line: "-s 3 *.jpg --on-result take", made: "photo_3x.jpg photo_2x_3x.jpg"},
		{before: "photo.jpg", line: "-s 3 photo_2x.jpg", made: "photo_2x_3x.jpg"},
		{before: "photos", line: "photos_2x", made: "photos_2x_2x/a_2x_2x.png photos_2x_2x/b_2x_2x.png"},
		{before: "photos -o large", line: "-r .", in: "large", made: "../large_2x/a_2x_2x.png ../large_2x/b_2x_2x.png"},
		{before: "photos -o large", line: "photos large", code: usage, answer: says("to write there use -o large")},
		{before: "photos -o photos", line: "photos -o photos -s 3", answer: says("2 pictures that superres enlarged " +
			"before are left out; --on-result take enlarges them, too"), made: "photos/a_3x.png photos/b_3x.png"},
	} {
		row.run(t)
	}
}

// run types the lines of the row in a new folder with pictures, and checks what comes of the last.
func (row typed) run(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"photos/a.png", "photos/b.png", "photos/more/c.png", "empty/x.png", "scan",
		"version"} {
		consoletest.WritePicture(t, filepath.Join(dir, name), consoletest.Blob(9, 7))
	}
	tested.Succeeds(t, dir, "upscale", "photos/a.png", "-q", "-m", "nearest", "-s", "1", "-o", "photo.jpg",
		"--provenance=false")
	must.Succeed(t, os.Remove(filepath.Join(dir, "empty/x.png")))
	whole := consoletest.Read(t, dir, "scan")
	consoletest.Put(t, filepath.Join(dir, "cut/cut.png"), whole[:len(whole)-20])
	in := filepath.Join(dir, row.in)
	for line := range strings.SplitSeq(row.before, ";") {
		if line != "" {
			tested.Succeeds(t, dir, strings.Fields(line)...)
		}
	}
	before := everything(t, dir)
	stdout, stderr, code := call(t, in, "", strings.Fields(strings.ReplaceAll(row.line, "$PWD", dir))...)
	text := filepath.ToSlash(stdout + stderr)
	if code != row.code {
		t.Errorf("%s: exit %d, expected %d: %s", row.line, code, row.code, text)
	}
	for _, words := range row.answer {
		if !strings.Contains(text, words) {
			t.Errorf("%s: no %q in %s", row.line, words, text)
		}
	}
	if code == 2 && (strings.Count(text, "\n") != 1 || len(text) > 250) {
		t.Errorf("%s: not one short line: %s", row.line, text)
	}
	want := before
	for name := range strings.FieldsSeq(row.made) {
		for name = filepath.Join(in, name); !slices.Contains(want, name); name = filepath.Dir(name) {
			want = append(want, name)
		}
	}
	slices.Sort(want)
	if got := everything(t, dir); !slices.Equal(got, want) {
		t.Errorf("%s: has left\n%s, expected\n%s", row.line, strings.Join(got, " "), strings.Join(want, " "))
	}
}

// everything returns the paths of all files and folders in dir, in order.
func everything(t *testing.T, dir string) (list []string) {
	t.Helper()
	must.Succeed(t, filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		list = append(list, path)
		return err
	}))
	slices.Sort(list)
	return list
}
