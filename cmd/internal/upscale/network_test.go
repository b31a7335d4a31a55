package upscale

import (
	"bytes"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/must"
	"superres/superres"
	"superres/superres/resample"
	"superres/superres/stage/stagetest"
)

// putNetworks makes the small networks rgb2, rgb1 and luma2, by their channels and scale, models of the user.
func putNetworks(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("SUPERRES_MODELS", dir)
	for name, n := range map[string]stagetest.Blur{
		"rgb2": {Factor: 2, Planes: 3, Radius: 1}, "rgb1": {Factor: 1, Planes: 3, Radius: 1},
		"luma2": {Factor: 2, Planes: 1, Radius: 2},
	} {
		m := &superres.Model{Scale: n.Factor, Degradation: resample.Cubic, Kernel: resample.Bicubic, Network: n}
		m.Provenance.Imported = &superres.Imported{File: name + ".param", Format: "ncnn"}
		var file bytes.Buffer
		must.Succeed(t, m.Save(&file))
		consoletest.Put(t, filepath.Join(dir, name+".npz"), file.Bytes())
	}
}

// A network of another program enlarges pictures of all kinds to any size, notes itself in the result, and is followed
// by what the command says of results. The network decides its settings and its memory, and another network of the same
// name is another model.
func TestNetworks(t *testing.T) {
	putNetworks(t)
	dir := t.TempDir()
	consoletest.Blobs(t, dir, 40, 30, "photo.png")
	consoletest.WritePicture(t, filepath.Join(dir, "deep.png"), image.NewNRGBA64(image.Rect(0, 0, 30, 20)))
	for line, want := range map[string]image.Point{
		"photo.png -m rgb2 -s 3": {120, 90}, "photo.png -m rgb1": {40, 30}, "photo.png -m luma2 -s 1.5": {60, 45},
		"deep.png -m rgb2": {60, 40}, "deep.png -m luma2 --width 70": {70, 47},
	} {
		succeeds(t, dir, line+" -o out.png --on-exist overwrite")
		pic, in := opened(t, dir, "out.png"), opened(t, dir, strings.Fields(line)[0])
		name := strings.Fields(line)[2]
		got, kind := pic.Image.Bounds().Size(), fmt.Sprintf("%T", in.Image)
		if got != want || fmt.Sprintf("%T", pic.Image) != kind ||
			!bytes.Contains(consoletest.Read(t, dir, "out.png"), []byte("; model "+name+" (sha256 ")) {
			t.Errorf("%s: %T of %v, expected %s of %v, with the name of the model", line, pic.Image, got, kind, want)
		}
	}
	expect(t, dir, "", "photo.png -m rgb2 -o told.png -v --progress plain", 0, "told.png, 80×60, ", ", LR-PSNR ")
	expect(t, dir, "", "photo.png -m rgb2 -o x.png --denoise 0.5", 2, "the model rgb2 takes no noise away")
	expect(t, dir, "", "photo.png -m rgb2 -o x.png --effort fast", 2, `no effort "fast"`)
	consoletest.Blobs(t, dir, 1500, 900, "large.png")
	expect(t, dir, "", "large.png -m rgb2 -s 4 --max-memory 40", 7, "the limit is 40 MiB; use --max-memory")
	expect(t, dir, "", "photo.png -m rgb2 -o again/ --resume", 0)
	models := os.Getenv("SUPERRES_MODELS")
	consoletest.Put(t, filepath.Join(models, "rgb2.npz"), consoletest.Read(t, models, "luma2.npz"))
	stdout, _ := expect(t, dir, "", "photo.png -m rgb2 -o again/ --resume --on-exist overwrite --json", 0)
	if list, _ := decodeEvents(t, stdout); list[len(list)-1].Event != "done" {
		t.Errorf("%+v", list)
	}
}

// The file of a network enlarges at once.
func TestNetworkFile(t *testing.T) {
	dir := t.TempDir()
	consoletest.PutNetwork(t, filepath.Join(dir, "small net.param"), 4, 1)
	consoletest.Blobs(t, dir, 40, 30, "a.png")
	call := func(args ...string) (stderr string) {
		t.Helper()
		args = append([]string{"upscale", "a.png", "-m", "small net.bin", "--on-exist", "overwrite"}, args...)
		_, stderr = program.Succeeds(t, dir, args...)
		return stderr
	}
	if said := call("-o", "first.png"); said != "" {
		t.Error(said)
	}
	call("-s", "4", "-o", "second.png")
	if said := call("--scale=4x", "-o", "third.png", "-q"); said != "" {
		t.Error(said)
	}
	first := consoletest.Read(t, dir, "first.png")
	for _, other := range []string{"second.png", "third.png"} {
		if !bytes.Equal(consoletest.Read(t, dir, other), first) {
			t.Errorf("%s has other bytes", other)
		}
	}
	call("-o", "out/")
	if !bytes.Equal(consoletest.Read(t, dir, "out", "a_4x.png"), first) {
		t.Error("the name of the result does not say the scale of the network")
	}
	if !bytes.Contains(first, []byte("model small net.bin (sha256 ")) || consoletest.Size(t, filepath.Join(dir,
		"first.png")) != image.Pt(160, 120) {
		t.Error("the result does not name the network, or has another size")
	}
}
