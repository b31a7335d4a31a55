package scoring

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg"
	"math"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/golden"
)

// shifted is a picture with so much added to its red, where there is room.
func shifted(m *image.NRGBA, by uint8) *image.NRGBA {
	out := image.NewNRGBA(m.Rect)
	copy(out.Pix, m.Pix)
	for i := 0; i < len(out.Pix); i += 4 {
		out.Pix[i] = min(out.Pix[i], 255-by) + by
	}
	return out
}

// The scores are those of eval, the differences are right, and JSON and the page agree.
func TestDiffScores(t *testing.T) {
	dir := t.TempDir()
	ref := consoletest.Blob(40, 30)
	consoletest.WritePicture(t, filepath.Join(dir, "a.png"), ref)
	consoletest.WritePicture(t, filepath.Join(dir, "b.png"), shifted(ref, 5))
	consoletest.WritePicture(t, filepath.Join(dir, "c.png"), ref)
	stdout, stderr := program.Succeeds(t, dir, "diff", "--json", "a.png", "b.png", "c.png")
	got := consoletest.Decode[comparison](t, stdout)
	if stderr != "" || len(got.Pictures) != 3 || got.Protocol != "matlab-y" || got.Page != "diff.html" {
		t.Fatal(stdout, stderr)
	}
	stdout, _ = program.Succeeds(t, dir, "eval", "--json", "a.png", "b.png")
	table := consoletest.Decode[Scores](t, stdout)
	b, c, want := got.Pictures[1], got.Pictures[2], table.Rows[0].Cells[0]
	if *b.PSNR != *want.PSNR || *b.SSIM != *want.SSIM || *b.Largest != 5 || math.Abs(*b.Mean-5./3) > 0.2 {
		t.Errorf("scores %g %g %g %g, eval has %g %g", *b.PSNR, *b.SSIM, *b.Mean, *b.Largest, *want.PSNR, *want.SSIM)
	}
	if c.PSNR != nil || *c.SSIM != 1 || *c.Mean != 0 || *c.Largest != 0 {
		t.Errorf("equal pictures: %+v", c)
	}
	page := consoletest.Read(t, dir, "diff.html")
	row := fmt.Sprintf("<th scope=\"row\">2 b.png</th><td>40×30</td><td>%.2f</td><td>%.4f</td><td>%.3f</td><td>5</td>",
		*b.PSNR, *b.SSIM, *b.Mean)
	consoletest.InOrder(t, string(page), "protocol matlab-y, scale 2, reference a.png", row, "<td>∞</td>")
	stdout, _ = program.Succeeds(t, dir, "diff", "a.png", "b.png", "-o", "again.html")
	if !strings.Contains(stdout, "again.html: protocol matlab-y") ||
		!strings.Contains(stdout, fmt.Sprintf("%.2f   %.4f", *b.PSNR, *b.SSIM)) {
		t.Error(stdout)
	}
}

// outside is a pattern of what refers to anything outside of a page.
const outside = `(?i)https?:|src="[^d]|href=|\burl\(|@import|fetch\(|XMLHttp`

// The page holds its pictures and refers to nothing else, whatever files are called, and has the same bytes every time.
func TestDiffPage(t *testing.T) {
	dir := t.TempDir()
	names := []string{"sub/</script><b>&\".png", "two/x.png", "three/x.png"}
	for i, name := range names {
		consoletest.WritePicture(t, filepath.Join(dir, name), shifted(consoletest.Blob(20, 20), uint8(i)))
	}
	page, stderr, code := call(t, dir, "", append([]string{"diff", "-o", "-"}, names...)...)
	if code != 0 || !strings.Contains(stderr, "standard output: protocol") {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	again, _, _ := call(t, dir, "", append([]string{"diff", "-j", "1", "-o", "-"}, names...)...)
	if again != page {
		t.Error("the same pictures give another page")
	}
	if n := strings.Count(page, `src="data:image/png;base64,`); n != 3 {
		t.Errorf("%d pictures", n)
	}
	if found := regexp.MustCompile(outside+"|<b>").FindAllString(page, -1); found != nil {
		t.Errorf("the page has %q", found)
	}
	for _, want := range []string{"default-src &#39;none&#39;", "two/x.png", "three/x.png"} {
		if !strings.Contains(page, want) && !strings.Contains(page, strings.ReplaceAll(want, "&#39;", "'")) {
			t.Errorf("no %s", want)
		}
	}
}

// Pictures of all kinds go in: 16 bits, grey, alpha.
func TestDiffKinds(t *testing.T) {
	dir := t.TempDir()
	grey16, deep, clear := image.NewGray16(image.Rect(0, 0, 30, 30)), image.NewNRGBA64(image.Rect(0, 0, 30, 30)),
		consoletest.Blob(30, 30)
	for i := range 900 {
		x, y := i%30, i/30
		grey16.SetGray16(x, y, color.Gray16{Y: uint16(70 * i)})
		deep.SetNRGBA64(x, y, color.NRGBA64{uint16(70*i) + 128, uint16(70 * i), uint16(70 * i), 0xffff})
		clear.Pix[4*i+3] = uint8(i)
	}
	consoletest.WritePicture(t, filepath.Join(dir, "grey.png"), grey16)
	consoletest.WritePicture(t, filepath.Join(dir, "deep.png"), deep)
	consoletest.WritePicture(t, filepath.Join(dir, "clear.png"), clear)
	stdout, _ := program.Succeeds(t, dir, "diff", "--json", "grey.png", "deep.png", "clear.png")
	got := consoletest.Decode[comparison](t, stdout)
	if d := got.Pictures[1]; math.Abs(*d.Largest-128./257) > 1e-3 || math.Abs(*d.Mean-128./257/3) > 1e-3 {
		t.Errorf("half a level of red is a difference of %g, %g in the mean", *d.Largest, *d.Mean)
	}
	if d := got.Pictures[2]; d.PSNR == nil || *d.Largest < 100 {
		t.Errorf("%+v", d)
	}
}

// Sizes that belong together, and those that do not.
func TestShownSize(t *testing.T) {
	scene := image.Pt(768, 512)
	for _, c := range []struct{ size, want image.Point }{
		{scene, scene}, {image.Pt(384, 256), scene}, {image.Pt(767, 511), image.Pt(767, 511)},
		{image.Pt(512, 341), scene}, {image.Pt(256, 170), image.Pt(768, 510)}, {image.Pt(255, 170), scene},
		{image.Pt(3, 2), scene}, {image.Pt(512, 768), image.Point{}}, {image.Pt(700, 512), image.Point{}},
		{image.Pt(384, 250), image.Point{}}, {image.Pt(1, 100), image.Point{}},
	} {
		got, ok := coveredSize(c.size, scene, 2)
		if ok != (c.want != image.Point{}) || ok && got != c.want {
			t.Errorf("%v is shown as %v, %v, expected %v", c.size, got, ok, c.want)
		}
	}
}

func TestDiffRefuses(t *testing.T) {
	dir := t.TempDir()
	consoletest.WritePicture(t, filepath.Join(dir, "a.png"), consoletest.Blob(40, 30))
	consoletest.WritePicture(t, filepath.Join(dir, "half.png"), consoletest.Blob(20, 15))
	consoletest.WritePicture(t, filepath.Join(dir, "turned.png"), consoletest.Blob(30, 40))
	consoletest.Put(t, filepath.Join(dir, "there.html"), []byte("<p>no picture"))
	program.RefusesLines(t, dir, "diff", []consoletest.RefusedLine{
		{"a.png", 2, "expected two pictures or more"},
		{strings.Repeat("a.png ", 10), 2, "expected 9 at most"},
		{"a.png turned.png", 4, "turned.png is 30×40, which is not the shape of a.png, 40×30"},
		{"a.png missing.png", 4, "missing.png: does not exist"},
		{"a.png there.html", 4, "there.html: not an image"},
		{"a.png a.png -o there.html", 5, "there.html exists; use --on-exist overwrite"},
		{"a.png a.png -o a.png --on-exist overwrite", 5, "would write over the input"},
		{"a.png a.png -o no/there.html", 5, "no/there.html"},
	})
	stdout, _, code := call(t, dir, "", "diff", "half.png", "a.png")
	if code != 0 || !strings.Contains(stdout, "a.png²   40×30") ||
		!strings.Contains(stdout, "² not scored: the picture is 40×30, its reference 20×15\n") {
		t.Errorf("exit %d, %s", code, stdout)
	}
	program.Succeeds(t, dir, "diff", "a.png", "a.png", "--on-exist", "overwrite", "--max-memory", "1", "-o", "new.html")
	consoletest.WritePicture(t, filepath.Join(dir, "large.png"), consoletest.Blob(200, 200))
	program.Ends(t, dir, 0, "not scored: that needs 1 MiB more; use --max-memory", "diff", "large.png", "large.png",
		"--max-memory", "2", "-o", "large.html")
	consoletest.WritePicture(t, filepath.Join(dir, "larger.png"), consoletest.Blob(300, 300))
	program.Ends(t, dir, 7, "--max-memory", "diff", "larger.png", "larger.png", "--max-memory", "1", "-o",
		"larger.html")
}

// rough is a picture of noise, which no format makes small.
func rough(w, h int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	state := uint32(1)
	for i := range m.Pix {
		state = state*1664525 + 1013904223
		m.Pix[i] = uint8(state>>24) | 255*uint8(i%4/3)
	}
	return m
}

// The page opens where the pictures differ most, and where they do not, in the middle.
func TestDiffOpens(t *testing.T) {
	golden.NotShort(t, "it makes and compares large pictures")
	dir := t.TempDir()
	ref, other := consoletest.Blob(1000, 760), consoletest.Blob(1000, 760)
	for y := 600; y < 650; y++ {
		for x := 200; x < 260; x++ {
			other.Pix[other.PixOffset(x, y)+1] ^= 128
		}
	}
	other.Pix[other.PixOffset(900, 50)] ^= 255 // the largest, but alone
	consoletest.WritePicture(t, filepath.Join(dir, "a.png"), ref)
	consoletest.WritePicture(t, filepath.Join(dir, "b.png"), other)
	consoletest.WritePicture(t, filepath.Join(dir, "same.png"), ref)
	for _, c := range []struct {
		args []string
		near image.Rectangle
	}{
		{[]string{"a.png", "b.png"}, image.Rect(0, 625-230, 230+330, 625+230)},
		{[]string{"same.png", "a.png", "b.png", "-j", "1"}, image.Rect(0, 625-230, 230+330, 625+230)},
		{[]string{"a.png", "same.png"}, image.Rect(500, 380, 501, 381)},
	} {
		stdout, _ := program.Succeeds(t, dir,
			append([]string{"diff", "--json", "--on-exist", "overwrite", "--max-memory", "24"}, c.args...)...)
		got := consoletest.Decode[comparison](t, stdout)
		if at := image.Pt(got.Place.X, got.Place.Y); !at.In(c.near) {
			t.Errorf("%v opens at %v, expected within %v", c.args, at, c.near)
		}
	}
}

// Large pictures are worked on in little memory, and make the same page for any number of workers. Regions for which it
// has no room are left out.
func TestDiffLarge(t *testing.T) {
	golden.NotShort(t, "it makes and compares large pictures")
	dir := t.TempDir()
	consoletest.WritePicture(t, filepath.Join(dir, "small.png"), rough(1050, 600))
	consoletest.WritePicture(t, filepath.Join(dir, "large.png"), rough(2100, 1200))
	// Less than reading the large one has taken at 80 bytes for a pixel, as scoring does.
	args := []string{"diff", "small.png", "large.png", "--json", "--max-memory", "64"}
	program.Succeeds(t, dir, args...)
	page := consoletest.Read(t, dir, "diff.html")
	if held := strings.Count(string(page), " data-region=") / 2; held != 6 {
		t.Fatalf("a page of %d bytes with %d regions", len(page), held)
	}
	program.Succeeds(t, dir, append(args, "-o", "new.html", "-j", "1")...)
	if !bytes.Equal(consoletest.Read(t, dir, "new.html"), page) {
		t.Error("the page is another with one worker")
	}
	p := &comparedPicture{tiles: [][]byte{make([]byte, 20<<20), make([]byte, 20<<20)}}
	d := &comparison{scene: image.Pt(2000, 600), Pictures: []*comparedPicture{p}, Place: position{1500, 300}}
	if d.chooseRegions(); len(d.inPage) != 1 || !d.inPage[1] {
		t.Errorf("the page holds %v of two regions of 20 MiB", d.inPage)
	}
}
