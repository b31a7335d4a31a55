package digits

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"superres/internal/golden"
	"superres/mnist"
	"superres/superres"

	"superres/cmd/internal/console/consoletest"
	"superres/cmd/internal/scoring"
	"superres/superres/models"
	"superres/superres/resample"
	"superres/superres/score"
)

// strokes are pictures somewhat like digits: a bright ring on black, each another.
func strokes(n, w, h int) []*image.Gray {
	list := make([]*image.Gray, n)
	for i := range list {
		m := image.NewGray(image.Rect(0, 0, w, h))
		cx, cy, r := float64(w)/2+float64(i%5)-2, float64(h)/2-float64(i%3), float64(min(w, h))/5+float64(i%7)/2
		for y := range h {
			for x := range w {
				d := math.Hypot(float64(x)-cx, float64(y)-cy) - r
				m.SetGray(x, y, color.Gray{Y: uint8(255 * math.Exp(-d*d/2))})
			}
		}
		list[i] = m
	}
	return list
}

// idxImages and idxLabels are files in memory.
func idxImages(t *testing.T, list []*image.Gray) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := mnist.NewImageWriter(&b, len(list), list[0].Bounds().Dx(), list[0].Bounds().Dy())
	for _, m := range list {
		if err == nil {
			err = w.Write(m)
		}
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func idxLabels(t *testing.T, labels ...uint8) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := mnist.NewLabelWriter(&b, len(labels))
	for _, l := range labels {
		if err == nil {
			err = w.Write(l)
		}
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gzipped(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// readImages reads an IDX file of images.
func readImages(t *testing.T, path string) (list []*image.Gray) {
	t.Helper()
	f, err := mnist.OpenImages(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for img, err := range f.All() {
		if err != nil {
			t.Fatal(err)
		}
		own := *img
		own.Pix = slices.Clone(img.Pix)
		list = append(list, &own)
	}
	return list
}

// mnistJSON runs superres mnist --json.
func mnistJSON(t *testing.T, dir string, args ...string) (sum digitSummary, stderr string) {
	t.Helper()
	stdout, stderr, code := call(t, dir, "", append([]string{"mnist", "--json"}, args...)...)
	if err := json.Unmarshal([]byte(stdout), &sum); err != nil || code != 0 {
		t.Fatalf("%v: exit %d, %s%s%v", args, code, stdout, stderr, err)
	}
	return sum, stderr
}

// evalMeans are the means of superres eval for the same images.
func evalMeans(t *testing.T, dir string, args ...string) (means []float64) {
	t.Helper()
	stdout, stderr, code := call(t, dir, "", append([]string{"eval", "--json", "-m", "nearest", "-m", "bicubic", "-m", "digits", "--protocol", "nfe", "--degradation", "box"}, args...)...)
	var table scoring.Scores
	if err := json.Unmarshal([]byte(stdout), &table); err != nil || code != 0 {
		t.Fatalf("%v: exit %d, %s%v", args, code, stderr, err)
	}
	for _, c := range table.Mean {
		means = append(means, *c.NFE)
	}
	return means
}

func values(list []*float64) (out []float64) {
	for _, v := range list {
		out = append(out, *v)
	}
	return out
}

// The scores are those of eval, to the last bit; those of the labels agree with them.
func TestMNISTScores(t *testing.T) {
	dir := t.TempDir()
	const n = 40
	var labels []uint8
	for i := range n {
		labels = append(labels, uint8(i%3*100))
	}
	consoletest.Put(t, filepath.Join(dir, "a-ubyte.gz"), gzipped(t, idxImages(t, strokes(n, 28, 28))))
	consoletest.Put(t, filepath.Join(dir, "labels"), idxLabels(t, labels...))
	for _, args := range [][]string{{}, {"-s", "3"}, {"--index", "3,9,4,9,31", "--skip-index", "4"}, {"--skip-index", "0,1", "--limit", "7"}} {
		sum, _ := mnistJSON(t, dir, append(args, "a-ubyte.gz", "labels")...)
		if want := evalMeans(t, dir, append(args, "a-ubyte.gz")...); !slices.Equal(values(sum.Mean), want) || sum.Protocol != "nfe" || sum.Degradation != "box" {
			t.Errorf("%v: means %v, those of eval %v", args, values(sum.Mean), want)
		}
		total, together := 0, 0.0
		for _, c := range sum.Classes {
			total += c.Count
			together += float64(c.Count) * *c.Mean[2]
		}
		if len(sum.Classes) > 3 || total != sum.Count || math.Abs(together/float64(total)-*sum.Mean[2]) > 1e-12 {
			t.Errorf("%v: labels %+v, all %d", args, sum.Classes, sum.Count)
		}
		if sum.Worst == nil || sum.Worst.Error < *sum.Mean[2] || *sum.Worst.Label != int(labels[sum.Worst.Index]) || sum.PerSecond <= 0 {
			t.Errorf("%v: worst %+v, %g a second", args, sum.Worst, sum.PerSecond)
		}
	}
	stdout, stderr, code := call(t, dir, "", "mnist", "a-ubyte.gz", "labels")
	if code != 0 || !strings.Contains(stderr, "40 images of 28x28 by digits in ") || strings.Count(stderr, "\n") != 1 ||
		!strings.Contains(stdout, "protocol nfe, scale 2, reduced by box") || strings.Count(stdout, "\nlabel ") != 3 || !strings.Contains(stdout, "\nmean            40 ") || !strings.Contains(stdout, "worst by digits") {
		t.Errorf("exit %d\n%s%s", code, stdout, stderr)
	}
	if _, stderr, _ := call(t, dir, "", "mnist", "-q", "a-ubyte.gz"); stderr != "" {
		t.Errorf("quiet, it says %s", stderr)
	}
	// A plain interpolation is its own column.
	if sum, _ := mnistJSON(t, dir, "-m", "bicubic", "a-ubyte.gz"); !slices.Equal(sum.Columns, []string{"nearest", "bicubic"}) || sum.Classes != nil {
		t.Errorf("%+v", sum)
	}
}

// The results are what the library makes, in the order of the file, as IDX or as
// PNGs; bytes do not depend on the number of workers.
func TestMNISTOutputs(t *testing.T) {
	dir := t.TempDir()
	truth := strokes(1200, 12, 10) // several batches
	consoletest.Put(t, filepath.Join(dir, "a-ubyte"), idxImages(t, truth))
	labels := make([]uint8, len(truth))
	for i := range labels {
		labels[i] = uint8(i % 10)
	}
	consoletest.Put(t, filepath.Join(dir, "labels.gz"), gzipped(t, idxLabels(t, labels...)))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, j := range []string{"1", "4"} {
		for _, out := range []string{"r.idx3-ubyte", "r.idx.gz"} {
			stdout, stderr, code := call(t, dir, "", "mnist", "-j", j, "a-ubyte", "-o", j+out, "--sheet", j+".png", "--sheet-count", "25", "--on-exist", "overwrite")
			if code != 0 || !strings.Contains(stdout, "mean          1200 ") || !strings.HasPrefix(stderr, j+out+", "+j+".png: 1200 images of 12x10 by digits") {
				t.Fatalf("exit %d, %s%s", code, stdout, stderr)
			}
		}
	}
	for _, name := range []string{"r.idx3-ubyte", "r.idx.gz", ".png"} {
		if !bytes.Equal(consoletest.Read(t, filepath.Join(dir, "1"+name)), consoletest.Read(t, filepath.Join(dir, "4"+name))) {
			t.Errorf("%s differs between 1 and 4 workers", name)
		}
	}
	z, err := gzip.NewReader(bytes.NewReader(consoletest.Read(t, filepath.Join(dir, "1r.idx.gz"))))
	if err != nil {
		t.Fatal(err)
	}
	if plain, err := io.ReadAll(z); err != nil || !bytes.Equal(plain, consoletest.Read(t, filepath.Join(dir, "1r.idx3-ubyte"))) {
		t.Errorf("packed and plain results differ (%v)", err)
	}
	results := readImages(t, filepath.Join(dir, "1r.idx3-ubyte"))
	m, err := models.Open("digits")
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(truth); i += 97 {
		low, err := score.Reduce(truth[i], 2, resample.Box)
		if err != nil {
			t.Fatal(err)
		}
		want, err := m.Upscale(t.Context(), low, superres.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(want.(*image.Gray).Pix, results[i].Pix) {
			t.Errorf("image %d is not what the library makes", i)
		}
	}

	// PNGs are called by number and label, and hold the same.
	if _, stderr, code := call(t, dir, "", "mnist", "a-ubyte", "labels.gz", "-o", "png/", "--index", "7,1199,23"); code != 0 {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	if got := consoletest.Tree(t, filepath.Join(dir, "png")); !slices.Equal(got, []string{"00007_7.png", "00023_3.png", "01199_9.png"}) {
		t.Errorf("made %v", got)
	}
	if _, stderr, code := call(t, dir, "", "mnist", "a-ubyte", "-o", "png", "--index", "23"); code != 0 {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	for _, name := range []string{"00023.png", "00023_3.png"} {
		if img := golden.Open(t, filepath.Join(dir, "png", name)).(*image.Gray); !bytes.Equal(img.Pix, results[23].Pix) {
			t.Errorf("%s is not the result", name)
		}
	}

	// The sheet: two blocks, and in its first cell the first digit, its pixels enlarged.
	sheet := golden.Open(t, filepath.Join(dir, "1.png")).(*image.Gray)
	const zoom = 5 // 12 to 60 pixels
	if want := image.Pt(sheetMargin+20*(60+sheetGap)+sheetGap, 2*(2*sheetText+4*(50+sheetGap)+2*sheetGap)+sheetGap); sheet.Bounds().Size() != want {
		t.Errorf("the sheet has %v, expected %v", sheet.Bounds().Size(), want)
	}
	for y := range 50 {
		for x := range 60 {
			left, top := sheetMargin+x, sheetGap+sheetText+y
			a, b := truth[0].GrayAt(x/zoom, y/zoom).Y, results[0].GrayAt(x/zoom, y/zoom).Y
			at := func(row int) uint8 { return sheet.GrayAt(left, top+row*(50+sheetGap)).Y }
			if at(0) != a || at(2) != b || at(3) != max(a, b)-min(a, b) || at(1) != sheet.GrayAt(left-x%10, top-y%10+50+sheetGap).Y {
				t.Fatalf("the sheet is wrong at %d,%d", x, y)
			}
		}
	}
}

func TestMNISTEnlarges(t *testing.T) {
	dir := t.TempDir()
	low := strokes(9, 14, 13)
	consoletest.Put(t, filepath.Join(dir, "a"), idxImages(t, low))
	stdout, stderr, code := call(t, dir, "", "mnist", "--task", "enlarge", "a", "-o", "b.idx", "--sheet", "s.png", "-s", "3", "--skip-index", "0")
	if code != 0 || stdout != "" || !strings.Contains(stderr, "b.idx, s.png: 8 images of 42x39 by digits") {
		t.Fatalf("exit %d, %s%s", code, stdout, stderr)
	}
	m, err := models.Open("digits")
	if err != nil {
		t.Fatal(err)
	}
	want, err := m.Upscale(t.Context(), low[8], superres.Options{Scale: 3})
	if err != nil {
		t.Fatal(err)
	}
	if got := readImages(t, filepath.Join(dir, "b.idx")); len(got) != 8 || !bytes.Equal(got[7].Pix, want.(*image.Gray).Pix) {
		t.Errorf("%d images, or others than the library's", len(got))
	}
	if sum, _ := mnistJSON(t, dir, "--task", "enlarge", "a", "-o", "c.idx"); sum.Mean != nil || sum.Protocol != "" || sum.Count != 9 || sum.OutWidth != 28 || sum.Output != "c.idx" {
		t.Errorf("%+v", sum)
	}
}

// A black image has no error: it is named and left out, as by eval.
func TestMNISTBlack(t *testing.T) {
	dir := t.TempDir()
	list := append(strokes(3, 28, 28), image.NewGray(image.Rect(0, 0, 28, 28)))
	consoletest.Put(t, filepath.Join(dir, "a-ubyte"), idxImages(t, list))
	consoletest.Put(t, filepath.Join(dir, "labels"), idxLabels(t, 1, 1, 1, 2))
	sum, _ := mnistJSON(t, dir, "a-ubyte", "labels", "--sheet", "s.png")
	if sum.Black != 1 || sum.Count != 4 || !slices.Equal(values(sum.Mean), evalMeans(t, dir, "a-ubyte")) || sum.Classes[1].Mean[2] != nil {
		t.Errorf("%+v", sum)
	}
	stdout, _, code := call(t, dir, "", "mnist", "a-ubyte", "--index", "3")
	if code != 0 || !strings.Contains(stdout, "mean             1           -           -           -\nblack, so without an error, and left out of the means: 1 image\n") {
		t.Errorf("exit %d, %s", code, stdout)
	}
}

// Damage is found before anything is written: one clear line, the right exit code.
func TestMNISTErrors(t *testing.T) {
	dir := t.TempDir()
	whole := idxImages(t, strokes(20, 28, 28))
	packed := gzipped(t, whole)
	badSum := slices.Clone(packed)
	badSum[len(badSum)-5] ^= 1
	labels := idxLabels(t, make([]uint8, 20)...)
	badLabels := gzipped(t, labels)
	badLabels[len(badLabels)-5] ^= 1
	for name, data := range map[string][]byte{
		"good": whole, "good.gz": packed, "short": whole[:16+17*784+300], "long": append(slices.Clone(whole), 0), "cut.gz": packed[:len(packed)/2],
		"sum.gz": badSum, "magic": append([]byte("\x89PNG"), whole[4:]...), "empty": nil, "labels": labels, "few": idxLabels(t, 1, 2), "sumlabels.gz": badLabels,
		"shortlabels": labels[:20], "wide": {0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 16, 0, 0, 0, 16, 0}, "none": whole[:4], "no-ubyte": {0, 0, 8, 3, 0, 0, 0, 0, 0, 0, 0, 28, 0, 0, 0, 28},
		"there.idx": {}, "there.png": {}, "model.npz": []byte("PK no zip"), "tiny": idxImages(t, strokes(1, 1, 5)), "png/00004.png": whole, "deep/00000.png": {},
	} {
		consoletest.Put(t, filepath.Join(dir, name), data)
	}
	before := consoletest.Tree(t, dir)
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"short", 4, "short: image 17 of 20: file ends after 300 of 784 bytes"},
		{"long", 4, "long: file goes on after the last of 20 images"},
		{"cut.gz", 4, " of 20: file ends after "},
		{"sum.gz", 4, "sum.gz: after the last of 20 images: gzip: invalid checksum"},
		{"magic", 4, "magic: magic number: got 0x89504e47 (not IDX), expected 0x00000803 (IDX images)"},
		{"empty", 4, "empty: file is empty"},
		{"none", 4, "none: header: file ends after 4 of 16 bytes"},
		{"labels good", 4, "labels: magic number: got 0x00000801 (IDX labels), expected 0x00000803 (IDX images)"},
		{"good few", 4, "got 20 images in good but 2 labels in few, expected as many"},
		{"good good", 4, "(IDX images), expected 0x00000801 (IDX labels)"},
		{"good sumlabels.gz", 4, "after the last of 20 labels: gzip: invalid checksum"},
		{"good shortlabels", 4, "shortlabels: label 12 of 20"},
		{"missing", 4, "missing: no such file"},
		{"good missing", 4, "missing: no such file"},
		{"deep", 4, "not a regular file"},
		{"no-ubyte", 4, "no image is left to work on"},
		{"good --index 3 --skip-index 3", 4, "no image is left to work on"},
		{"tiny", 4, "images of 1x5 cannot be reduced by 2"},
		{"wide --max-pixels 16", 7, "images of 4096x4096 have more than 16 megapixels; use --max-pixels"},
		{"wide --max-memory 200 -j 2", 7, "the limit is 200 MiB; use --max-memory or a smaller -j"},
		{"wide", 7, "the sheet would have 4162x16454 pixels"},
		{"good --index 20", 2, "good has 20 images, there is no image 20"},
		{"good --index x", 2, "no image number"},
		{"good --limit -1", 2, "--limit -1"},
		{"good --scale 1", 2, "--scale 1: expected 2 to 16"},
		{"good --scale 17", 2, "--scale 17"},
		{"good --task restor", 2, `did you mean "restore"?`},
		{"good --task enlarge --degradation box", 2, "reduces nothing"},
		{"good --degradation bocks", 2, `unknown degradation "bocks"`},
		{"good --sheet-count 0", 2, "--sheet-count 0"},
		{"good --sheet sheet.jpg", 2, "expected a name that ends in .png"},
		{"good --on-exist ask", 2, "(known: fail overwrite)"},
		{"good -j -1", 2, "--jobs -1"},
		{"good --progress dots", 2, `--progress: unknown value "dots"`},
		{"", 2, "no images: name an IDX file"},
		{"good labels few", 2, `3 files, expected a file of images and perhaps one of labels; got "few" as well`},
		{"-", 2, "standard input cannot be checked"},
		{"good -o -", 2, "standard output gets the scores"},
		{"good -o out.png", 2, "-o out.png: expected an IDX file"},
		{"good -o out", 2, "or a folder: out/"},
		{"good -m digit", 6, `did you mean "digits"?`},
		{"good -m ./model.npz", 6, "not an .npz file"},
		{"good -o there.idx", 5, "there.idx exists; use --on-exist overwrite or another -o"},
		{"good --sheet there.png", 5, "there.png exists; use --on-exist overwrite or another --sheet"},
		{"good -o deep", 5, "deep/00000.png exists; use --on-exist overwrite"},
		{"good -o nowhere/x.idx", 5, "nowhere/x.idx: cannot be written"},
		{"good -o good/", 5, "good: "},
		{"no-ubyte -o no-ubyte --on-exist overwrite", 5, "no-ubyte: -o would write over the input"},
		{"good no-ubyte -o no-ubyte --on-exist overwrite", 5, "no-ubyte: -o would write over the input"},
		{"png/00004.png -o png --on-exist overwrite", 5, "png/00004.png: -o would write over the input"},
		{"there.png --sheet ./there.png --on-exist overwrite", 5, "--sheet would write over the input"},
	} {
		args := append([]string{"mnist"}, strings.Fields(c.args)...)
		if c.code == 4 || c.code == 7 {
			args = append(args, "-o", "new.idx3-ubyte.gz", "--sheet", "new.png")
		}
		stdout, stderr, code := call(t, dir, "", args...)
		if code != c.code || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 || !strings.HasPrefix(stderr, "superres: ") || stdout != "" {
			t.Errorf("%s: exit %d, expected %d with %q\n%s%s", c.args, code, c.code, c.want, stdout, stderr)
		}
		if c.code == 4 && !strings.Contains(c.args, "-") { // nor a folder of PNGs
			if _, stderr, code := call(t, dir, "", append([]string{"mnist", "-o", "newpng/"}, strings.Fields(c.args)...)...); code != c.code {
				t.Errorf("%s to a folder: exit %d, %s", c.args, code, stderr)
			}
		}
		if _, err := os.Stat(filepath.Join(dir, "newpng")); err == nil || !slices.Equal(before, consoletest.Tree(t, dir)) {
			t.Fatalf("%s left files: %v", c.args, consoletest.Tree(t, dir))
		}
	}
	// What goes wrong with standard output is an output error.
	var errs bytes.Buffer
	if code := program.Run(context.Background(), strings.NewReader(""), consoletest.Broken{}, &errs, []string{"superres", "mnist", "good"}); code != 5 {
		t.Errorf("a broken pipe: exit %d, %s", code, errs.String())
	}
}

// A file with the name of one of MNIST's and other content is named in a warning.
func TestMNISTWarns(t *testing.T) {
	dir := t.TempDir()
	consoletest.Put(t, filepath.Join(dir, "t10k-images-idx3-ubyte"), idxImages(t, strokes(3, 28, 28)))
	consoletest.Put(t, filepath.Join(dir, "other-labels"), idxLabels(t, 1, 2, 3))
	sum, stderr := mnistJSON(t, dir, "t10k-images-idx3-ubyte", "other-labels")
	const want = "t10k-images-idx3-ubyte: not the official MNIST file of this name"
	if len(sum.Warnings) != 1 || !strings.HasPrefix(sum.Warnings[0], want) || !strings.HasPrefix(stderr, "superres: warning: "+want) || sum.Official != "" || strings.Count(stderr, "\n") != 2 {
		t.Errorf("%q\n%s", sum.Warnings, stderr)
	}
}

// An interruption leaves nothing behind, and the file from before as it was.
func TestMNISTCancelled(t *testing.T) {
	dir := t.TempDir()
	consoletest.Put(t, filepath.Join(dir, "a"), idxImages(t, strokes(30000, 28, 28)))
	consoletest.Put(t, filepath.Join(dir, "b.idx"), []byte("old"))
	t.Chdir(dir)
	for _, args := range [][]string{{"-o", "b.idx"}, {"--sheet", "new.png"}} {
		program.Interrupted(t, dir, "restoring", append([]string{"mnist", "a", "--on-exist", "overwrite", "--progress", "bar"}, args...)...)
		if string(consoletest.Read(t, "b.idx")) != "old" {
			t.Errorf("%v: the output is another", args)
		}
	}
}

// MNIST itself, where it is at hand: the figures that the README states, of some of
// the images.
func TestMNISTFiles(t *testing.T) {
	images, labels := golden.Data(t, "mnist", "t10k-images-idx3-ubyte.gz"), golden.Data(t, "mnist", "t10k-labels-idx1-ubyte.gz")
	sum, stderr := mnistJSON(t, ".", "--limit", "500", images, labels)
	if sum.Official != "t10k-images-idx3-ubyte" || sum.OfficialLabels != "t10k-labels-idx1-ubyte" || sum.Warnings != nil || len(sum.Classes) != 10 {
		t.Errorf("%+v\n%s", sum, stderr)
	}
	if got := fmt.Sprintf("%.3f %.3f", *sum.Mean[0], *sum.Mean[1]); got != "0.170 0.116" || *sum.Mean[2] > 0.0160 {
		t.Errorf("means %s %.4f", got, *sum.Mean[2])
	}
	if want := evalMeans(t, ".", "--limit", "500", images); !slices.Equal(values(sum.Mean), want) {
		t.Errorf("means %v, those of eval %v", values(sum.Mean), want)
	}
}
