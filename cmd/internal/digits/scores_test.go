package digits

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"image"
	"math"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"superres/cmd/internal/console/consoletest"
	"superres/cmd/internal/scoring"
	"superres/internal/golden"
	"superres/internal/must"
	"superres/mnist"
)

// program has the command of this package and another command that its tests use.
var program = consoletest.Of(Command, scoring.Eval)

func TestMain(m *testing.M) { program.Main(m) }

var call = program.Call

// mnistJSON runs superres mnist --json.
func mnistJSON(t *testing.T, dir string, args ...string) (sum summary, stderr string) {
	t.Helper()
	stdout, stderr := program.Succeeds(t, dir, append([]string{"mnist", "--json"}, args...)...)
	return consoletest.Decode[summary](t, stdout), stderr
}

// evalMeans returns the mean errors that superres eval gives with args.
func evalMeans(t *testing.T, dir string, args ...string) (means []float64) {
	t.Helper()
	stdout, _ := program.Succeeds(t, dir, append([]string{"eval", "--json", "-m", "nearest", "-m", "bicubic", "-m",
		"digits", "--protocol", "nfe", "--degradation", "box"}, args...)...)
	for _, c := range consoletest.Decode[scoring.Scores](t, stdout).Mean {
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

// The scores equal those of superres eval to the last bit, and the scores of the labels agree with them.
func TestScores(t *testing.T) {
	dir := t.TempDir()
	const n = 40
	var labels []uint8
	for i := range n {
		labels = append(labels, uint8(i%3*100))
	}
	consoletest.Put(t, filepath.Join(dir, "a-ubyte.gz"), gzipped(t, consoletest.IDX(consoletest.Rings(n, 28, 28))))
	consoletest.Put(t, filepath.Join(dir, "labels"), idxLabels(labels...))
	for _, args := range [][]string{{}, {"-s", "3"}, {"--index", "3,9,4,9,31", "--skip-index", "4"},
		{"--skip-index", "0,1", "--limit", "7"}} {
		sum, _ := mnistJSON(t, dir, append(args, "a-ubyte.gz", "labels")...)
		if want := evalMeans(t, dir, append(args, "a-ubyte.gz")...); !slices.Equal(values(sum.Mean), want) ||
			sum.Protocol != "nfe" || sum.Degradation != "box" {
			t.Errorf("%v: means %v, those of eval %v", args, values(sum.Mean), want)
		}
		total, weighted := 0, 0.0
		for _, c := range sum.Classes {
			total += c.Count
			weighted += float64(c.Count) * *c.Mean[2]
		}
		if len(sum.Classes) > 3 || total != sum.Count || math.Abs(weighted/float64(total)-*sum.Mean[2]) > 1e-12 {
			t.Errorf("%v: labels %+v, all %d", args, sum.Classes, sum.Count)
		}
		if sum.Worst == nil || sum.Worst.Error < *sum.Mean[2] || *sum.Worst.Label != int(labels[sum.Worst.Index]) ||
			sum.PerSecond <= 0 {
			t.Errorf("%v: worst %+v, %g a second", args, sum.Worst, sum.PerSecond)
		}
	}
	stdout, stderr, code := call(t, dir, "", "mnist", "a-ubyte.gz", "labels")
	if code != 0 || !strings.Contains(stderr, "40 images of 28×28 by digits in ") || strings.Count(stderr, "\n") != 1 ||
		!strings.Contains(stdout, "reduced by box and restored by digits, scale 2. The error, protocol nfe,") ||
		strings.Count(stdout, "  label ") != 3 ||
		!strings.Contains(stdout, " mean       40 ") || !strings.Contains(stdout, "worst by digits") {
		t.Errorf("exit %d\n%s%s", code, stdout, stderr)
	}
	if _, stderr, _ := call(t, dir, "", "mnist", "-q", "a-ubyte.gz"); stderr != "" {
		t.Errorf("quiet, it says %s", stderr)
	}
	// If the model is an interpolation, it is one of the usual columns.
	if sum, _ := mnistJSON(t, dir, "-m", "bicubic", "a-ubyte.gz"); !slices.Equal(sum.Columns,
		[]string{"nearest", "bicubic"}) || sum.Classes != nil {
		t.Errorf("%+v", sum)
	}
}

// A black image has no error: it is counted and left out of means, as by superres eval.
func TestBlack(t *testing.T) {
	dir := t.TempDir()
	list := append(consoletest.Rings(3, 28, 28), image.NewGray(image.Rect(0, 0, 28, 28)))
	consoletest.Put(t, filepath.Join(dir, "a-ubyte"), consoletest.IDX(list))
	consoletest.Put(t, filepath.Join(dir, "labels"), idxLabels(1, 1, 1, 2))
	sum, _ := mnistJSON(t, dir, "a-ubyte", "labels", "--sheet", "s.html")
	if sum.Black != 1 || sum.Count != 4 || !slices.Equal(values(sum.Mean), evalMeans(t, dir, "a-ubyte")) ||
		sum.Classes[1].Mean[2] != nil {
		t.Errorf("%+v", sum)
	}
	stdout, _, code := call(t, dir, "", "mnist", "a-ubyte", "--index", "3")
	if code != 0 || !strings.Contains(stdout, "black, so without an error, and left out of the means: 1 image\n") ||
		!strings.Contains(stdout, "mean        1         -         -        -\n") {
		t.Errorf("exit %d, %s", code, stdout)
	}
}

// MNIST itself, where it is at hand: the figures that superres/README.md states, of some of the images.
func TestFiles(t *testing.T) {
	images, labels := golden.Data(t, "mnist", "t10k-images-idx3-ubyte.gz"),
		golden.Data(t, "mnist", "t10k-labels-idx1-ubyte.gz")
	sum, stderr := mnistJSON(t, ".", "--limit", "500", images, labels)
	if sum.Official != "t10k-images-idx3-ubyte" || sum.OfficialLabels != "t10k-labels-idx1-ubyte" ||
		sum.Warnings != nil || len(sum.Classes) != 10 {
		t.Errorf("%+v\n%s", sum, stderr)
	}
	if got := fmt.Sprintf("%.3f %.3f", *sum.Mean[0], *sum.Mean[1]); got != "0.170 0.116" || *sum.Mean[2] > 0.0160 {
		t.Errorf("means %s %.4f", got, *sum.Mean[2])
	}
	if want := evalMeans(t, ".", "--limit", "500", images); !slices.Equal(values(sum.Mean), want) {
		t.Errorf("means %v, those of eval %v", values(sum.Mean), want)
	}
}

// A folder as argument stands for MNIST's test images in it and their labels, or else the training images.
func TestFolder(t *testing.T) {
	dir := t.TempDir()
	consoletest.Put(t, filepath.Join(dir, "mnist/train-images-idx3-ubyte.gz"),
		gzipped(t, consoletest.IDX(consoletest.Rings(3, 28, 28))))
	if sum, _ := mnistJSON(t, dir, "mnist"); sum.Count != 3 || len(sum.Classes) != 0 {
		t.Errorf("%+v", sum)
	}
	consoletest.Put(t, filepath.Join(dir, "mnist/t10k-images-idx3-ubyte"),
		consoletest.IDX(consoletest.Rings(5, 28, 28)))
	consoletest.Put(t, filepath.Join(dir, "mnist/t10k-labels-idx1-ubyte.gz"), gzipped(t, idxLabels(1, 2, 1, 2, 7)))
	folder, _ := mnistJSON(t, dir, "mnist/")
	files, _ := mnistJSON(t, dir, "mnist/t10k-images-idx3-ubyte", "mnist/t10k-labels-idx1-ubyte.gz")
	if folder.Count != 5 || len(folder.Classes) != 3 || !reflect.DeepEqual(folder.Classes, files.Classes) {
		t.Errorf("%+v, expected %+v", folder, files)
	}
}

// The digits of the paper's Table 1, from MNIST's training file where it is at hand: the scores that superres/README.md
// states, by the command that the help shows.
func TestTable1(t *testing.T) {
	file := golden.Data(t, "mnist", "train-images-idx3-ubyte.gz")
	var list []string
	for _, d := range mnist.Table1() {
		list = append(list, fmt.Sprint(d.Index))
	}
	stdout, _ := program.Succeeds(t, ".", "eval", "-m", "nearest", "-m", "digits", "--index", strings.Join(list, ","),
		"--json", file)
	table := consoletest.Decode[scoring.Scores](t, stdout)
	if len(table.Rows) != 4 || table.Protocol != "nfe" || fmt.Sprintf("%.4f", *table.Mean[0].NFE) != "0.1051" ||
		*table.Mean[1].NFE > 0.0080 {
		t.Errorf("%s", stdout)
	}
	// Each image number picks one image, and none twice.
	program.Ends(t, ".", 2, "no image 60000", "eval", "-m", "digits", "--index", "60000", file)
}

// idxLabels is an IDX file of labels.
func idxLabels(labels ...uint8) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{0, 0, 8, 1}, uint32(len(labels))), labels...)
}

func gzipped(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	must.Get(z.Write(data))(t)
	must.Succeed(t, z.Close())
	return b.Bytes()
}

// readImages reads an IDX file of images.
func readImages(t *testing.T, path string) (list []*image.Gray) {
	t.Helper()
	f := must.Get(mnist.OpenImages(path))(t)
	defer f.Close()
	for img, err := range f.All() {
		must.Succeed(t, err)
		own := *img
		own.Pix = slices.Clone(img.Pix)
		list = append(list, &own)
	}
	return list
}
