package imagefile

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"superres/internal/golden"
	"superres/internal/must"
)

// viewers are the commands by which a program writes what it sees in a file as PNG, to its output or to FILE.out.png.
var viewers = []struct{ name, command string }{
	{"Pillow", ""}, // by one call for all files
	{"FFmpeg", "ffmpeg @ -pix_fmt rgba -c:v png -f image2pipe -"},
	{"ImageMagick", "convert @[0] -auto-orient -depth 8 png32:-"},
	{"libvips", "vips autorot @ @.out.png"},
}

// view returns what viewer number i sees in the file, nil where it sees nothing.
func view(ctx context.Context, i int, file string) image.Image {
	var data []byte
	if i == 0 {
		data, _ = os.ReadFile(file + ".pil.png")
	} else {
		data, _ = runProgram(ctx, strings.Fields(strings.ReplaceAll(viewers[i].command, "@", file))...)
		if out, err := os.ReadFile(file + ".out.png"); err == nil && len(data) == 0 {
			data = out
		}
	}
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	return img
}

// looksAlike reports whether two pictures have one size and no sample that differs by more than tolerance, without the
// colour of pixels that are transparent in one.
func looksAlike(a, b image.Image, tolerance int) bool {
	if a == nil || b == nil || a.Bounds() != b.Bounds() {
		return false
	}
	w, h := a.Bounds().Dx(), a.Bounds().Dy()
	for i := range w * h {
		p, q := shownColour(a, i%w, i/w), shownColour(b, i%w, i/w)
		for k := range p {
			if d := int(p[k]) - int(q[k]); (d > tolerance || -d > tolerance) && (k == 3 || p[3] > 0 && q[3] > 0) {
				return false
			}
		}
	}
	return true
}

// Files of other programs look as the programs see them, where at least two of four agree. SUPERRES_FULL tries all
// files, else every sixteenth is tried. A program that is not installed makes and sees nothing.
func TestFilesOfPrograms(t *testing.T) {
	for _, program := range []string{"convert", "vips", "ffmpeg", "tiffcp", "cjpeg", "jpegtran", "cwebp"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Logf("%s is not installed: its files are left out", program)
		}
	}
	if _, err := runProgram(t.Context(), "python3", "-c", "import PIL, numpy"); err != nil {
		t.Log("Pillow is not installed: its files are left out")
	}
	golden.NotShort(t, "programs take some seconds")
	step := 16
	if os.Getenv("SUPERRES_FULL") != "" {
		step = 1
	}
	kinds := makeByPrograms(t, step)
	if len(kinds) == 0 {
		t.Skip("none of ImageMagick, libvips, FFmpeg, libtiff-tools, libjpeg-turbo-progs, webp and Pillow is installed")
	}
	script := filepath.Join(t.TempDir(), "pillow.py")
	must.Succeed(t, os.WriteFile(script, []byte(pillow), 0o600))
	call := []string{"python3", script, "view", ""}
	for _, k := range kinds {
		call = append(call, k.path)
	}
	_, _ = runProgram(t.Context(), call...)
	compared := make([]int, len(kinds))
	inParallel(len(kinds), func(i int) { compared[i] = compareWithPrograms(t, kinds[i]) })
	n := 0
	for _, c := range compared {
		n += c
	}
	t.Logf("%d of %d files compared with two programs or more", n, len(kinds))
}

// compareWithPrograms fails where two programs or more agree on k, and superres sees something else than most of them.
// It returns 1 where two agree, else 0.
func compareWithPrograms(t *testing.T, k fileKind) int {
	tolerance := 1
	if e := filepath.Ext(k.path); e == ".jpg" || e == ".webp" {
		tolerance = 6
	}
	var got image.Image
	pic, err := Open(t.Context(), k.path, Limits{FirstFrame: true})
	if err == nil {
		got = pic.Image
	}
	var seen []image.Image
	most, agreed, alike := 1, image.Image(nil), 0
	var who []string
	for i := range viewers {
		img := view(t.Context(), i, k.path)
		if img == nil {
			continue
		}
		seen, who = append(seen, img), append(who, viewers[i].name)
		if looksAlike(got, img, tolerance) {
			if alike++; alike == 2 {
				return 1
			}
		}
	}
	for _, a := range seen {
		n := 0
		for _, b := range seen {
			if looksAlike(a, b, tolerance) {
				n++
			}
		}
		if n > most {
			most, agreed = n, a
		}
	}
	if agreed == nil {
		return 0
	}
	if !looksAlike(got, agreed, tolerance) {
		t.Errorf("%s: another picture than %d of %v see, or none: %v", k.command, most, who, err)
	}
	return 1
}

// inParallel calls work with 0..n-1, on all processors.
func inParallel(n int, work func(int)) {
	var group sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i := range n {
		slots <- struct{}{}
		group.Go(func() {
			defer func() { <-slots }()
			work(i)
		})
	}
	group.Wait()
}

// Files of kinds that real files have and few encoders write, and what other programs see in them: FILE and FILE.png.
// At least two of Pillow 9.4, ImageMagick 6.9.11, FFmpeg 5.1 and libvips 8.14 agree on each, but for five: Pillow alone
// reads pal8_off0 and pal8_used0_short, FFmpeg alone takes the empty alpha of bf8888z_v5 for none, libvips alone has
// all of bf101010_v4 right, and two each see alpha and none in x_vp8x_noflag_alph. The pictures beside the AVIFs are
// decoded by avifdec 0.11 to 16 bits, then cropped and turned by their boxes, which it ignores.
func TestForeignFiles(t *testing.T) {
	names := must.Get(filepath.Glob("testdata/kinds/*.png.png"))(t)
	for _, ext := range []string{"bmp", "dib", "gif", "webp", "avif"} {
		names = append(names, must.Get(filepath.Glob("testdata/kinds/*."+ext+".png"))(t)...)
	}
	if len(names) < 70 {
		t.Fatalf("%d files", len(names))
	}
	for _, name := range names {
		want := must.Get(png.Decode(bytes.NewReader(must.Get(os.ReadFile(name))(t))))(t)
		name = strings.TrimSuffix(name, ".png")
		tolerance := 1
		if strings.HasSuffix(name, ".webp") {
			tolerance = 6
		}
		p, err := decodeBytes(must.Get(os.ReadFile(name))(t), name, Limits{})
		if err != nil {
			t.Error(err)
		} else if !looksAlike(p.Image, want, tolerance) {
			t.Errorf("%s: another picture than other programs see", name)
		}
	}
}
