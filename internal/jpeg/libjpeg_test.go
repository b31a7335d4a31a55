package jpeg

import (
	"bytes"
	"fmt"
	"image"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"superres/internal/must"
)

// Files by cjpeg and jpegtran of libjpeg-turbo, where they are installed, have the pixels of its djpeg to the bit: of
// all sampling factors, in all orders of scans, with restart markers in all of them, and of widths and heights that are
// no multiple of a block. SUPERRES_FULL=1 tries six times as many.
func TestAgainstLibjpeg(t *testing.T) {
	for _, name := range []string{"cjpeg", "djpeg", "jpegtran"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s of libjpeg-turbo is not installed", name)
		}
	}
	if version := run(t, nil, "djpeg", "-version"); !bytes.Contains(version, []byte("libjpeg-turbo")) {
		t.Skipf("djpeg is %s", version)
	}
	dir := t.TempDir()
	apart, halves := filepath.Join(dir, "apart"), filepath.Join(dir, "halves")
	must.Succeed(t, os.WriteFile(apart, []byte("0;\n1;\n2;\n"), 0o600))
	must.Succeed(t, os.WriteFile(halves, []byte("0;\n1,2;\n"), 0o600))
	choices := [][]string{
		{"-sample 1x1", "-sample 2x1", "-sample 1x2", "-sample 2x2", "-sample 4x1", "-sample 1x4", "-sample 4x2",
			"-sample 2x4", "-sample 3x1", "-sample 1x3", "-sample 2x3", "-sample 2x2,1x1,1x2", "-sample 1x1,2x2,1x1",
			"-sample 1x2,2x1,1x1", "-sample 4x1,2x1,1x1", "-sample 2x2,2x2,1x1", "-rgb", "-grayscale -sample 2x3"},
		{"", "-progressive", "-scans " + apart, "-scans " + halves},
		{"", "-restart 1", "-restart 1B", "-restart 3B", "-restart 7B"},
		{"-quality 30", "-quality 80", "-quality 95 -optimize", "-quality 100 -dct float"},
		{"", "", "-progressive", "-restart 2B", "-progressive -restart 3B"},
	}
	r := rand.New(rand.NewPCG(7, 8))
	files := 60
	if os.Getenv("SUPERRES_FULL") != "" {
		files *= 6
	}
	for n := range files {
		pick := make([]string, len(choices))
		for i, list := range choices {
			pick[i] = list[r.IntN(len(list))]
		}
		if i := n % len(choices[0]); n < 2*len(choices[0]) {
			pick[0] = choices[0][i] // each of them
		}
		if strings.HasPrefix(pick[0], "-gray") && strings.HasPrefix(pick[1], "-scans") {
			pick[1] = ""
		}
		w, h := 1+r.IntN(60), 1+r.IntN(60)
		call := strings.Join(pick[:4], " ")
		data := run(t, netpbm(picture(r, w, h, false)), "cjpeg", strings.Fields(call)...)
		if pick[4] != "" {
			call += ", " + pick[4]
			data = run(t, data, "jpegtran", strings.Fields(pick[4])...)
		}
		shown := run(t, data, "djpeg", "-dct", "int")
		img, warnings, err := Decode(t.Context(), data, Options{})
		if err != nil || warnings != nil {
			t.Errorf("%s of %d×%d: %v, %q", call, w, h, err, warnings)
			continue
		}
		if got := pixels(t, img); !bytes.HasSuffix(shown, got) || len(shown) > len(got)+20 {
			t.Errorf("%s of %d×%d: other pixels", call, w, h)
		}
	}
}

// netpbm returns a picture as a PPM.
func netpbm(img image.Image) []byte {
	b := img.Bounds()
	out := fmt.Appendf(nil, "P6 %d %d 255\n", b.Dx(), b.Dy())
	for y := range b.Dy() {
		for x := range b.Dx() {
			r, g, b, _ := img.At(x, y).RGBA()
			out = append(out, byte(r>>8), byte(g>>8), byte(b>>8))
		}
	}
	return out
}

// run returns what a program writes to its standard output, and to its standard error where that is nothing.
func run(t *testing.T, input []byte, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	var out, complaint bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(input), &out, &complaint
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s %q: %v: %s", name, args, err, complaint.String())
	}
	if out.Len() == 0 {
		return complaint.Bytes()
	}
	return out.Bytes()
}
