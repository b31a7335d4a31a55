package upscale

import (
	"bytes"
	"image"
	"image/jpeg"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"superres/cmd/internal/console"
	"superres/cmd/internal/console/consoletest"
	"superres/internal/imagefile"
	"superres/internal/imagefile/imagetest"
	"superres/internal/must"
)

// rawFile returns a DNG with a small preview that can be read and raw sensor data that cannot.
func rawFile() string {
	small := [][4]uint32{{254, 4, 1, 1}, {256, 4, 1, 4}, {257, 4, 1, 2}, {258, 3, 1, 8}, {259, 3, 1, 1}, {262, 3, 1, 1},
		{273, 4, 1, 8}, {279, 4, 1, 8}, {50706, 1, 4, 0x401}}
	below := uint32(8 + 2 + 12*(len(small)+1) + 4)
	small = append(small, [4]uint32{330, 4, 1, below})
	return imagetest.TIFFStart + string(imagetest.TIFFPage(0, small...)) +
		string(imagetest.TIFFPage(0, [4]uint32{254, 4, 1, 0}, [4]uint32{262, 3, 1, 32803}))
}

const heic = "\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic"

// Raw files of cameras are refused where no other program may read them, by any name: the preview in them is not the
// picture.
func TestRawFilesAreRefused(t *testing.T) {
	dir := t.TempDir()
	want := "DNG cannot be read (known: PNG JPEG GIF WebP TIFF BMP AVIF); " +
		"develop it in a program for raw files, and enlarge the TIFF or PNG that it makes"
	for _, name := range []string{"a.dng", "b.tif", "c.jpg"} {
		putText(t, dir, name, rawFile())
		program.RefusesLines(t, dir, "upscale", []consoletest.RefusedLine{
			{name + " --first-frame --decoder none", console.ExitInput, name + ": " + want}})
	}
	// With nothing but a small picture in it, the name tells it.
	var lone bytes.Buffer
	must.Succeed(t, imagefile.Encode(&lone, consoletest.Blob(9, 7), imagefile.TIFF, imagefile.EncodeOptions{}))
	for _, kind := range []string{"NEF", "CR2", "ARW"} {
		name := "lone." + strings.ToLower(kind)
		putText(t, dir, name, lone.String())
		program.RefusesLines(t, dir, "upscale", []consoletest.RefusedLine{
			{name + " --decoder none", console.ExitInput, strings.Replace(want, "DNG", name+": "+kind, 1)}})
	}
	if out, _ := expect(t, dir, rawFile(), "-", console.ExitInput, want); out != "" {
		t.Errorf("a pipe: %d bytes", len(out))
	}
	expect(t, dir, "", "-", console.ExitInput, "standard input: is empty")
}

// Files of a folder are recognised by their content. Those of kinds that cannot be read are counted, and listed on
// request.
func TestFolderOfAllKinds(t *testing.T) {
	dir := t.TempDir()
	photo := string(imagetest.Encoded(t,
		func(b *bytes.Buffer) error { return jpeg.Encode(b, consoletest.Blob(9, 7), nil) }))
	for name, text := range map[string]string{
		"a.jpg": photo, "b.JFIF": photo, "c.jpe": photo, "photo": photo,
		"download.bin": string(imagetest.Sound(t)["colour.png"]), "IMG_1.HEIC": heic, "deep/IMG_2.heic": heic,
		"raw.dng": rawFile(), "noname": heic, "notes.txt": "Dear all", "a.jpg.xmp": "<x:xmpmeta>",
		"Thumbs.db": "\xd0\xcf\x11\xe0\xa1\xb1", "bill.pdf": "%PDF-1.7", "empty": "", ".hidden.heic": heic,
		"film.mp4": "\x00\x00\x00\x18ftypisom\x00\x00\x00\x00isomiso2", "code.ts": "export const a = 1",
	} {
		putText(t, dir, "in/"+name, text)
	}
	const (
		command = "in -r -m nearest --decoder none -o "
		tally   = "4 files are of kinds that cannot be read: 3 HEIC, 1 DNG"
		film    = "1 video in a folder is left out; name it to enlarge it: in/film.mp4\n"
	)
	list := []string{"IMG_1.HEIC: left out, HEIC cannot be read; save it as PNG or JPEG first", "IMG_2.heic: left out",
		"noname: left out", "raw.dng: left out, DNG cannot be read; develop it"}
	stdout, _ := expect(t, dir, "", command+"plan --dry-run", 0)
	consoletest.InOrder(t, stdout, append(list, film+tally+"\n5 to make, 0 skipped, 0 cannot be")...)
	expect(t, dir, "", command+"out", 0, "superres: "+film+"superres: "+tally+
		"; --verbose lists them\nsuperres: save it as PNG or JPEG first\nsuperres: develop it")
	want := []string{"a_2x.jpg", "b_2x.JFIF", "c_2x.jpe", "download_2x.png", "photo_2x.jpg"}
	if got := consoletest.Tree(t, filepath.Join(dir, "out")); !slices.Equal(got, want) {
		t.Errorf("made %v, expected %v", got, want)
	}
	_, stderr := expect(t, dir, "", command+"verbose --verbose", 0, append(list, tally+"\n")...)
	if strings.Count(stderr, ": left out, ") != len(list)+1 ||
		!strings.Contains(stderr, "film.mp4: left out, a video") {
		t.Errorf("verbose: %s", stderr)
	}
	succeeds(t, dir, command+"quiet -q")
	stdout, _ = expect(t, dir, "", command+"events --json", 0)
	events, last := decodeEvents(t, stdout)
	if e := events[0]; e.Event != "unreadable" || e.Kind != "HEIC" || filepath.Base(string(e.Input)) != "IMG_1.HEIC" ||
		last.Unreadable != 4 || last.Videos != 1 || events[4].Event != "video" || last.Total != 5 || last.Done != 5 {
		t.Errorf("events: %s", stdout)
	}
	// Filters apply to unreadable files as well, so that a script can leave them out.
	if _, stderr := expect(t, dir, "", command+"some --include *.jpg", 0); strings.Contains(stderr, "cannot be read") {
		t.Error(stderr)
	}
	program.RefusesLines(t, dir, "upscale", []consoletest.RefusedLine{
		{"in/deep --decoder none", console.ExitInput,
			"in/deep: no picture in this folder can be read: 1 HEIC; save it"},
	})
	putText(t, dir, "films/a.mp4", "\x00\x00\x00\x18ftypisom\x00\x00\x00\x00isomiso2")
	program.RefusesLines(t, dir, "upscale", []consoletest.RefusedLine{
		{"films", console.ExitInput, "films: no pictures in this folder, and 1 video in a folder is left out"}})
	// A file that is named itself gives the same result as in a folder.
	succeeds(t, dir, "in/photo -m nearest -o alone/")
	if !bytes.Equal(consoletest.Read(t, dir, "alone/photo_2x.jpg"), consoletest.Read(t, dir, "out/photo_2x.jpg")) {
		t.Error("other bytes alone")
	}
}

// What to install for a kind of files is said once.
func TestWithoutPrograms(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	for name, text := range map[string]string{"a.heic": heic, "b.heic": heic, "c.jxl": "\xff\x0a"} {
		putText(t, dir, "in/"+name, text)
	}
	putText(t, dir, "in/d.png", string(imagetest.Sound(t)["colour.png"]))
	const named, listed = "in/a.heic in/b.heic in/c.jxl in/d.png -m nearest -o named", "in -m nearest -o listed"
	for line, code := range map[string]int{named: console.ExitSome, listed: 0} {
		_, stderr := expect(t, dir, "", line, code)
		for _, what := range []string{"libheif-examples", "libjxl-tools"} {
			if strings.Count(stderr, what) != 1 {
				t.Errorf("%s: %s", line, stderr)
			}
		}
	}
}

// Several pictures in one pipe, one after the other, are refused in any format, as all but one would be lost.
func TestPipeOfSeveral(t *testing.T) {
	dir := t.TempDir()
	sound := imagetest.Sound(t)
	for name, data := range sound {
		expect(t, dir, string(data)+"\n\x00\x00", "-m nearest -", 0)
		for _, next := range [][]byte{data, sound["colour.png"]} {
			stream := string(data) + string(next)
			out, stderr := expect(t, dir, stream, "-m nearest -", console.ExitInput)
			if out != "" || stderr != "superres: standard input: holds several pictures, one behind the other; "+
				"give them as files, or use --first-frame\n" {
				t.Errorf("%s: %s", name, stderr)
			}
			expect(t, dir, stream, "-m nearest - --first-frame", 0)
		}
	}
	// Previews that a camera appends to its picture do not count.
	photo := sound["grey.jpeg"]
	copies := slices.Concat(photo[:2], imagetest.JPEGSegment(0xe2, []byte("MPF\x00MM\x00*")...), photo[2:], photo)
	expect(t, dir, string(copies), "-m nearest -", 0)
}

// Programs read what a folder has of their kinds. JPEG and PNG are its results, by what it holds. The TIFF that one
// makes of a raw file is none, though that is the name.
func TestFolderByProgram(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program is a shell script")
	}
	dir := t.TempDir()
	consoletest.Blobs(t, dir, 6, 5, "made.png", "in/b.png")
	putText(t, dir, "in/a.heic", heic)
	putText(t, dir, "in/small.jxl", "\xff\x0a\xc3\x40\x42\xe5\xde\x2a\x82\x00") // of 8 bits
	putText(t, dir, "in/raw.dng", rawFile())
	made := must.Get(imagefile.Open(t.Context(), filepath.Join(dir, "made.png"), imagefile.Limits{}))(t)
	putText(t, dir, "made.tif", string(imagetest.Encoded(t, func(b *bytes.Buffer) error {
		return imagefile.Encode(b, made.Image, imagefile.TIFF, imagefile.EncodeOptions{})
	})))
	script := filepath.Join(dir, "program")
	must.Succeed(t, os.WriteFile(script, []byte("#!/bin/sh\ncp "+filepath.Join(dir, "made")+".${2##*.} $2\n"), 0o700))
	_, stderr, code := call(t, dir, "", "upscale", "in", "-o", "out", "-m", "nearest", "--decoder",
		"heic="+script+" {in} {out}", "--decoder", "jxl="+script+" {in} {out}", "--decoder",
		"raw="+script+" {in} {stem}.tif")
	got := consoletest.Tree(t, filepath.Join(dir, "out"))
	if code != 0 || !slices.Equal(got, []string{"a_2x.png", "b_2x.png", "raw_2x.png", "small_2x.jpg"}) ||
		!strings.Contains(stderr, "what other programs read becomes JPEG where it has 8 bits") {
		t.Errorf("exit %d, %v, %s", code, got, stderr)
	}
	for _, name := range got {
		pic := must.Get(imagefile.Open(t.Context(), filepath.Join(dir, "out", name), imagefile.Limits{}))(t)
		if size := pic.Image.Bounds().Size(); size != image.Pt(12, 10) {
			t.Errorf("%s: %v", name, size)
		}
	}
}
