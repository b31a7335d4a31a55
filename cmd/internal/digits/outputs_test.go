package digits

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"html"
	"image"
	"image/png"
	"io"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/golden"
	"superres/internal/must"
	"superres/superres"
	embedded "superres/superres/models"
	"superres/superres/resample"
	"superres/superres/score"
)

// The results are as package superres makes them, in the order of the file, as IDX or PNG files; their bytes do not
// depend on the number of workers.
func TestOutputs(t *testing.T) {
	dir := t.TempDir()
	truth := consoletest.Rings(600, 12, 10) // more than one batch
	consoletest.Put(t, filepath.Join(dir, "a-ubyte"), consoletest.IDX(truth))
	labels := make([]uint8, len(truth))
	for i := range labels {
		labels[i] = uint8(i % 10)
	}
	consoletest.Put(t, filepath.Join(dir, "labels.gz"), gzipped(t, idxLabels(labels...)))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, j := range []string{"1", "4"} {
		for _, out := range []string{"r.idx3-ubyte", "r.idx.gz"} {
			stdout, stderr, code := call(t, dir, "", "mnist", "-j", j, "a-ubyte", "-o", j+out, "--sheet", j+".html",
				"--sheet-count", "25", "--on-exist", "overwrite")
			if code != 0 || !strings.Contains(stdout, "mean      600 ") ||
				!strings.HasPrefix(stderr, j+out+", "+j+".html: 600 images of 12×10 by digits") {
				t.Fatalf("exit %d, %s%s", code, stdout, stderr)
			}
		}
	}
	for _, name := range []string{"r.idx3-ubyte", "r.idx.gz"} {
		if !bytes.Equal(consoletest.Read(t, filepath.Join(dir, "1"+name)),
			consoletest.Read(t, filepath.Join(dir, "4"+name))) {
			t.Errorf("%s differs between 1 and 4 workers", name)
		}
	}
	z := must.Get(gzip.NewReader(bytes.NewReader(consoletest.Read(t, filepath.Join(dir, "1r.idx.gz")))))(t)
	if plain, err := io.ReadAll(z); err != nil ||
		!bytes.Equal(plain, consoletest.Read(t, filepath.Join(dir, "1r.idx3-ubyte"))) {
		t.Errorf("packed and plain results differ (%v)", err)
	}
	results := readImages(t, filepath.Join(dir, "1r.idx3-ubyte"))
	m := must.Get(embedded.Open("digits"))(t)
	for i := 0; i < len(truth); i += 97 {
		low := must.Get(score.Reduce(truth[i], 2, resample.Box))(t)
		want := must.Get(m.Upscale(t.Context(), low, superres.Options{}))(t)
		if !bytes.Equal(want.(*image.Gray).Pix, results[i].Pix) {
			t.Errorf("image %d is not what the library makes", i)
		}
	}

	// PNG files are named by index and label, and have the same pixels.
	program.Succeeds(t, dir, "mnist", "a-ubyte", "labels.gz", "-o", "png/", "--index", "7,599,23")
	if got := consoletest.Tree(t, filepath.Join(dir, "png")); !slices.Equal(got,
		[]string{"00007_7.png", "00023_3.png", "00599_9.png"}) {
		t.Errorf("made %v", got)
	}
	program.Succeeds(t, dir, "mnist", "a-ubyte", "-o", "png", "--index", "23")
	for _, name := range []string{"00023.png", "00023_3.png"} {
		if img := golden.Open(t, filepath.Join(dir, "png", name)).(*image.Gray); !bytes.Equal(img.Pix,
			results[23].Pix) {
			t.Errorf("%s is not the result", name)
		}
	}
}

// --transpose-images gives what the file with its images transposed gives.
func TestTransposed(t *testing.T) {
	dir := t.TempDir()
	images := consoletest.Rings(3, 14, 12)
	consoletest.Put(t, filepath.Join(dir, "a"), consoletest.IDX(images))
	for i, img := range images {
		images[i] = image.NewGray(image.Rect(0, 0, 12, 14))
		for p := range images[i].Pix {
			images[i].Pix[p] = img.GrayAt(p/12, p%12).Y
		}
	}
	consoletest.Put(t, filepath.Join(dir, "b"), consoletest.IDX(images))
	program.Succeeds(t, dir, "mnist", "--transpose-images", "a", "-o", "a.idx")
	program.Succeeds(t, dir, "mnist", "b", "-o", "b.idx")
	if !bytes.Equal(consoletest.Read(t, dir, "a.idx"), consoletest.Read(t, dir, "b.idx")) {
		t.Error("the results differ")
	}
}

// An interruption leaves no new file, and keeps the earlier file as it was.
func TestCancelled(t *testing.T) {
	dir := t.TempDir()
	consoletest.Put(t, filepath.Join(dir, "a"), consoletest.IDX(consoletest.Rings(8000, 28, 28)))
	consoletest.Put(t, filepath.Join(dir, "b.idx"), []byte("old"))
	t.Chdir(dir)
	for _, args := range [][]string{{"-o", "b.idx"}, {"--sheet", "new.html"}} {
		program.Interrupted(t, dir, "restoring",
			append([]string{"mnist", "a", "--on-exist", "overwrite", "--progress", "bar"}, args...)...)
		if string(consoletest.Read(t, "b.idx")) != "old" {
			t.Errorf("%v: the output is another", args)
		}
	}
}

// An HTML sheet has the finding first, then the pictures of the digits, then the errors with the least of a row in
// bold.
func TestSheetPage(t *testing.T) {
	dir := t.TempDir()
	consoletest.Put(t, filepath.Join(dir, "a-ubyte"), consoletest.IDX(consoletest.Rings(40, 12, 10)))
	labels := make([]uint8, 40)
	for i := range labels {
		labels[i] = uint8(i % 2)
	}
	consoletest.Put(t, filepath.Join(dir, "labels"), idxLabels(labels...))
	stdout, _ := program.Succeeds(t, dir, "mnist", "a-ubyte", "labels", "--sheet", "sheet.html", "--sheet-count", "3")
	finding, _, _ := strings.Cut(stdout, "\n")
	if !strings.HasPrefix(finding, "digits ") || !strings.Contains(finding, " of 40 images; the mean difference is ") {
		t.Errorf("the finding is %q", finding)
	}
	page := string(consoletest.Read(t, filepath.Join(dir, "sheet.html")))
	consoletest.InOrder(t, page, `<p class="finding">`+html.EscapeString(finding),
		"<code>superres mnist a-ubyte labels --sheet sheet.html --sheet-count 3</code>", "<details>",
		"image 0, label 0", "data-scene=", "Errors", "label 1", `class="best"`)
	if n := strings.Count(page, "data-scene="); n != 3*3 {
		t.Errorf("%d pictures can be laid over one another, expected 9", n)
	}
	if n := strings.Count(page, `class="best"`); n != 3 {
		t.Errorf("%d figures are in bold, expected one in each of 3 rows", n)
	}
	var shown []*image.Gray // truth, low resolution, result and difference of the first digit
	for _, data := range regexp.MustCompile(`data:image/png;base64,([^"]+)"`).FindAllStringSubmatch(page, 4) {
		img := must.Get(png.Decode(base64.NewDecoder(base64.StdEncoding, strings.NewReader(data[1]))))(t)
		shown = append(shown, img.(*image.Gray))
	}
	if low := shown[1].Bounds().Size(); low != image.Pt(6, 5) {
		t.Errorf("low resolution of %v", low)
	}
	for i, v := range shown[0].Pix {
		if got, result := shown[3].Pix[i], shown[2].Pix[i]; got != max(v, result)-min(v, result) {
			t.Fatalf("pixel %d: %d and %d differ by %d", i, v, result, got)
		}
	}
}
