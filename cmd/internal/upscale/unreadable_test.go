package upscale

import (
	"bytes"
	"image/jpeg"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"superres/cmd/internal/console"
	"superres/cmd/internal/console/consoletest"
	"superres/internal/imagefile/imagetest"
)

// rawFile is a DNG: a small copy that can be read, and below it what the sensor saw.
func rawFile() []byte {
	small := [][4]uint32{{254, 4, 1, 1}, {256, 4, 1, 4}, {257, 4, 1, 2}, {258, 3, 1, 8}, {259, 3, 1, 1}, {262, 3, 1, 1},
		{273, 4, 1, 8}, {279, 4, 1, 8}, {50706, 1, 4, 0x401}}
	below := uint32(8 + 2 + 12*(len(small)+1) + 4)
	small = append(small, [4]uint32{330, 4, 1, below})
	return slices.Concat([]byte(imagetest.TIFFStart), imagetest.TIFFPage(0, small...),
		imagetest.TIFFPage(0, [4]uint32{254, 4, 1, 0}, [4]uint32{262, 3, 1, 32803}))
}

const heic = "\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1heic"

// The raw file of a camera is refused by name, whatever it is called: the small copy in it is
// not the picture.
func TestRawFilesAreRefused(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.dng", "b.tif", "c.jpg"} {
		consoletest.Put(t, filepath.Join(dir, name), rawFile())
	}
	want := "DNG cannot be read (known: PNG JPEG GIF WebP TIFF BMP); develop it in a program for raw files, and enlarge the TIFF or PNG that it makes"
	program.Refuses(t, dir, []consoletest.Refusal{
		{Args: []string{"upscale", "a.dng"}, Code: console.ExitInput, Want: "a.dng: " + want},
		{Args: []string{"upscale", "b.tif"}, Code: console.ExitInput, Want: "b.tif: " + want},
		{Args: []string{"upscale", "c.jpg", "--first-frame"}, Code: console.ExitInput, Want: "c.jpg: " + want},
		{Args: []string{"upscale", "-"}, Code: console.ExitInput, Want: "standard input: is empty"},
	})
	if out, stderr, code := call(t, dir, string(rawFile()), "upscale", "-"); code != console.ExitInput || out != "" ||
		!strings.Contains(stderr, want) {
		t.Errorf("a pipe: exit %d, %s", code, stderr)
	}
}

// A folder drops nothing without a word: pictures are told by their content, and those of
// kinds that cannot be read are counted, and listed on request.
func TestFolderOfAllKinds(t *testing.T) {
	dir := t.TempDir()
	photo := string(imagetest.Encoded(t,
		func(b *bytes.Buffer) error { return jpeg.Encode(b, consoletest.Blob(9, 7), nil) }))
	still := string(imagetest.Sound(t)["colour.png"])
	for name, data := range map[string]string{
		"a.jpg": photo, "b.JFIF": photo, "c.jpe": photo, "photo": photo, "download.bin": still, "IMG_1.HEIC": heic, "deep/IMG_2.heic": heic, "raw.dng": string(rawFile()), "noname": heic,
		"notes.txt": "Dear all", "a.jpg.xmp": "<x:xmpmeta>", "Thumbs.db": "\xd0\xcf\x11\xe0\xa1\xb1", "bill.pdf": "%PDF-1.7", "empty": "", ".hidden.heic": heic, "film.mp4": "\x00\x00\x00\x18ftypisom\x00\x00\x00\x00isomiso2",
	} {
		consoletest.Put(t, filepath.Join(dir, "in", name), []byte(data))
	}
	upscale := func(args ...string) (string, string, int) {
		return call(t, dir, "", append([]string{"upscale", "in", "-r", "-m", "nearest"}, args...)...)
	}
	list := []string{"IMG_1.HEIC: skipped, HEIC cannot be read; save it as PNG or JPEG first", "IMG_2.heic: skipped",
		"noname: skipped", "raw.dng: skipped, DNG cannot be read; develop it"}
	const tally = "4 files are of kinds that cannot be read: 3 HEIC, 1 DNG"
	lists := func(text string) bool {
		return !slices.ContainsFunc(list, func(want string) bool { return !strings.Contains(text, want) }) &&
			strings.Count(text, ": skipped, ") == len(list)
	}

	stdout, stderr, code := upscale("-o", "plan", "--dry-run")
	if code != 0 || !lists(stdout) || !strings.Contains(stdout, tally+"\n5 to make, 0 skipped, 0 cannot be") {
		t.Errorf("dry run: exit %d, %s%s", code, stdout, stderr)
	}
	_, stderr, code = upscale("-o", "out")
	if code != 0 || !strings.HasSuffix(stderr, "superres: "+tally+"; --verbose lists them, with what to do\n") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	if got, want := consoletest.Tree(t, filepath.Join(dir, "out")), []string{"a_2x.jpg", "b_2x.JFIF", "c_2x.jpe",
		"download_2x.png", "photo_2x.jpg"}; !slices.Equal(got, want) {
		t.Errorf("made %v, expected %v", got, want)
	}
	if _, stderr, code = upscale("-o", "verbose", "--verbose"); code != 0 || !lists(stderr) ||
		!strings.HasSuffix(stderr, tally+"\n") {
		t.Errorf("verbose: exit %d, %s", code, stderr)
	}
	if _, stderr, code = upscale("-o", "quiet", "-q"); code != 0 || stderr != "" {
		t.Errorf("quiet: exit %d, %s", code, stderr)
	}
	stdout, _, code = upscale("-o", "events", "--json")
	events, last := decodeEvents(t, stdout)
	if e := events[0]; code != 0 || e.Event != "unreadable" || e.Kind != "HEIC" ||
		filepath.Base(string(e.Input)) != "IMG_1.HEIC" || last.Unreadable != 4 || last.Total != 5 || last.Done != 5 {
		t.Errorf("events: exit %d, %s", code, stdout)
	}
	// A filter is for them as well, and a script may have none of them.
	if _, stderr, code = upscale("-o", "some", "--include", "*.jpg"); code != 0 ||
		strings.Contains(stderr, "cannot be read") {
		t.Errorf("include: exit %d, %s", code, stderr)
	}
	program.Refuses(t, dir, []consoletest.Refusal{
		{Args: []string{"upscale", "in", "-o", "no", "--on-unreadable", "fail"}, Code: console.ExitInput,
			Want: "IMG_1.HEIC: HEIC cannot be read; save it as PNG or JPEG first (and 2 more; --dry-run lists all)"},
		{Args: []string{"upscale", "in/deep"}, Code: console.ExitInput,
			Want: "in/deep: no picture in this folder can be read: 1 HEIC; save it"},
		{Args: []string{"upscale", "in", "--on-unreadable", "skpi"}, Code: console.ExitUsage,
			Want: `did you mean "skip"?`},
	})
	// One that is named itself gives what the folder gives.
	if _, stderr, code = call(t, dir, "", "upscale", "in/photo", "-m", "nearest", "-o", "alone/"); code != 0 ||
		string(consoletest.Read(t, dir, "alone/photo_2x.jpg")) != string(consoletest.Read(t, dir, "out/photo_2x.jpg")) {
		t.Errorf("exit %d, %s", code, stderr)
	}
}

// A pipe of several pictures, one behind the other, of any format, is refused: one of them
// would be the result, without a word.
func TestPipeOfSeveral(t *testing.T) {
	dir := t.TempDir()
	sound := imagetest.Sound(t)
	for name, data := range sound {
		if _, stderr, code := call(t, dir, string(data)+"\n\x00\x00", "upscale", "-m", "nearest", "-"); code != 0 {
			t.Errorf("%s: exit %d, %s", name, code, stderr)
		}
		for other, next := range map[string][]byte{name: data, "colour.png": sound["colour.png"]} {
			stream := string(data) + string(next)
			out, stderr, code := call(t, dir, stream, "upscale", "-m", "nearest", "-")
			if want := "superres: standard input: holds several pictures, one behind the other; give them as files, or use --first-frame\n"; code != console.ExitInput || out != "" || stderr != want {
				t.Errorf("%s and %s: exit %d, %s", name, other, code, stderr)
			}
			if _, stderr, code := call(t, dir, stream, "upscale", "-m", "nearest", "-", "--first-frame"); code != 0 {
				t.Errorf("the first of %s and %s: exit %d, %s", name, other, code, stderr)
			}
		}
	}
	// Copies that a camera puts behind its picture are not several pictures.
	photo := sound["grey.jpeg"]
	copies := slices.Concat(photo[:2], imagetest.JPEGSegment(0xe2, []byte("MPF\x00MM\x00*")...), photo[2:], photo)
	if _, stderr, code := call(t, dir, string(copies), "upscale", "-m", "nearest", "-"); code != 0 {
		t.Errorf("exit %d, %s", code, stderr)
	}
}
