package trial

import (
	"image"
	"path/filepath"
	"strings"
	"testing"

	"github.com/disintegration/imaging"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/must"
)

var program = consoletest.Of(Command)

func TestMain(m *testing.M) { program.Main(m) }

// A page, a sheet and a table have each model with its figures; what is not there is told, where all are tried.
func TestTry(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("SUPERRES_MODELS", dir)
	hopper := must.Get(imaging.Open("../../../testdata/hopper.png"))(t)
	must.Succeed(t, imaging.Save(hopper, filepath.Join(dir, "a.png")))
	table, _ := program.Succeeds(t, dir, "try", "a.png", "--models", "photo-fast,bicubic,pixel")
	consoletest.InOrder(t, table, "a.png, 128×128: the part of 96×96 pixels at ", "photo-fast ", "bicubic ", "pixel ")
	page := string(consoletest.Read(t, dir, "try.html"))
	if strings.Count(page, " s, LR-PSNR ") != 2 || strings.Count(page, `data-scene="part"`) != 3 {
		t.Errorf("a page of %d bytes", len(page))
	}
	sheet := must.Get(imaging.Open(filepath.Join(dir, "try.png")))(t)
	if sheet.Bounds().Dx() < 3*192 || sheet.Bounds().Dy() < 192 {
		t.Errorf("a sheet of %v", sheet.Bounds())
	}
	for want, args := range map[string][]string{
		"expected one":             {"a.png", "b.png"},
		"expected X,Y":             {"a.png", "--at", "here"},
		"not in the picture":       {"a.png", "-o", "b.html", "--at", "500,2"},
		"ends in .html":            {"a.png", "-o", "a.png"},
		"--on-exist":               {"a.png"},
		`unknown model "fotograf"`: {"a.png", "-o", "b.html", "--models", "fotograf"},
	} {
		if stdout, stderr, code := program.Call(t, dir, "", append([]string{"try"}, args...)...); code == 0 ||
			!strings.Contains(stderr, want) {
			t.Errorf("%q: exit %d, %s%s", args, code, stdout, stderr)
		}
	}
}

// The part with the most detail is where the picture is not flat.
func TestPartOf(t *testing.T) {
	img := image.NewGray(image.Rect(0, 0, 400, 300))
	for y := 150; y < 240; y++ {
		for x := 250; x < 340; x++ {
			img.Pix[y*400+x] = uint8(x * y % 251)
		}
	}
	if got := partOf(img, nil); !image.Rect(270, 160, 320, 220).In(got) || got.Size() != image.Pt(96, 96) {
		t.Errorf("%v", got)
	}
	if got := partOf(img, &image.Point{X: 399}); got != image.Rect(304, 0, 400, 96) {
		t.Errorf("%v", got)
	}
}
