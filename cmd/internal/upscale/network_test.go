package upscale

import (
	"bytes"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/golden"
	"superres/internal/must"
	"superres/superres"
	"superres/superres/resample"
	"superres/superres/score"
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
// by what the command says of results: how well they agree with the picture, and where values were clipped.
func TestNetworks(t *testing.T) {
	if testing.Short() {
		t.Skip("enlarges many pictures, which takes long under the race detector")
	}
	putNetworks(t)
	dir := t.TempDir()
	photo := golden.Open(t, filepath.Join(golden.Root(t), "testdata", "hopper.png"))
	deep := image.NewNRGBA64(image.Rect(0, 0, 30, 20))
	for i := range deep.Pix {
		deep.Pix[i] = uint8(i * 7)
	}
	for name, img := range map[string]image.Image{"photo": photo, "grey": grey(t), "deep": deep} {
		consoletest.WritePicture(t, filepath.Join(dir, name+".png"), img)
	}
	for line, want := range map[string]image.Point{
		"photo.png -m rgb2": {256, 256}, "photo.png -m rgb2 -s 3": {384, 384}, "photo.png -m rgb2 -s 1.5": {192, 192},
		"photo.png -m rgb1": {128, 128}, "photo.png -m rgb1 -s 2": {256, 256}, "photo.png -m luma2 -s 5": {640, 640},
		"grey.png -m rgb2": {256, 256}, "grey.png -m luma2": {256, 256}, "deep.png -m rgb2": {60, 40},
		"deep.png -m luma2 --width 70": {70, 47},
	} {
		succeeds(t, dir, line+" -o out.png --on-exist overwrite")
		data := consoletest.Read(t, dir, "out.png")
		pic := opened(t, dir, "out.png")
		in := opened(t, dir, strings.Fields(line)[0])
		name := strings.Fields(line)[2]
		got, kind := pic.Image.Bounds().Size(), fmt.Sprintf("%T", in.Image)
		if got != want || fmt.Sprintf("%T", pic.Image) != kind ||
			!bytes.Contains(data, []byte("; model "+name+" (sha256 ")) {
			t.Errorf("%s: %T of %v, expected %s of %v, with the name of the model", line, pic.Image, got, kind, want)
		}
		succeeds(t, dir, line+" -o strips.png --on-exist overwrite --tile 7 -j 1")
		if !bytes.Equal(consoletest.Read(t, dir, "strips.png"), data) {
			t.Errorf("%s: strips have other bytes", line)
		}
	}
	_, told := expect(t, dir, "", "photo.png -m rgb2 -o told.png -v --progress plain", 0, "told.png, 256×256, ",
		", LR-PSNR ")
	before := agreementIn(t, told)
	_, told = expect(t, dir, "", "photo.png -m rgb2 -o back.png --progress plain --back-projection 5", 0)
	if after := agreementIn(t, told); after < before+1 {
		t.Errorf("LR-PSNR %g with back-projection, %g without", after, before)
	}
	succeeds(t, dir, "photo.png -m rgb2 -o none.png --strength 0")
	succeeds(t, dir, "photo.png -m bicubic -o plain.png")
	by := must.Get(score.Differ(opened(t, dir, "none.png").Image, opened(t, dir, "plain.png").Image, 0))(t)
	if by.Max > 1 {
		t.Errorf("at no strength the result is %g levels from the interpolation", by.Max)
	}
	stdout, _ := expect(t, dir, "", "photo.png -m rgb2 -o json.png --json", 0)
	list, _ := decodeEvents(t, stdout)
	if ev := list[len(list)-1]; ev.LRPSNR < 10 {
		t.Errorf("%+v", ev)
	}
	expect(t, dir, "", "photo.png -m rgb2 -o x.png --denoise 0.5", 2, "the model rgb2 takes no noise away")
	expect(t, dir, "", "photo.png -m rgb2 -o x.png --effort fast", 2, `no effort "fast"`)
	succeeds(t, dir, "photo.png -m rgb2 -o max.png --effort max")
}

// agreementIn returns the LR-PSNR that the line told says.
func agreementIn(t *testing.T, told string) (db float64) {
	t.Helper()
	_, rest, _ := strings.Cut(told, "LR-PSNR ")
	if _, err := fmt.Sscan(rest, &db); err != nil {
		t.Errorf("%v in %q", err, told)
	}
	return db
}

// A network of another program enlarges the frames of animations and video like single pictures, and folders in parts
// and after an interruption like in one go.
func TestNetworksOfSeveral(t *testing.T) {
	if testing.Short() {
		t.Skip("enlarges many pictures, which takes long under the race detector")
	}
	putNetworks(t)
	var frames []image.Image
	for n := range 3 {
		frames = append(frames, scene(n, 40, 28, n > 1))
	}
	_, read := apart(t, scenes(t, "png", 2, frames...))
	_, got := apart(t, enlarged(t, "a.png", scenes(t, "png", 2, frames...), "out.png", "-m rgb2"))
	for i, want := range alone(t, read, "png", "-m rgb2") {
		if text := differ(got[i].Image, want); text != "" {
			t.Errorf("frame %d is not like the picture alone: %s", i, text)
		}
	}
	stream := stream(t, "W32 H24 F25:1 C420jpeg", 3, moving)
	first := piped(t, stream, "-m rgb2")
	if h, list := readVideo(t, first); h.Width != 64 || len(list) != 3 || piped(t, stream, "-m rgb2 -j 1") != first {
		t.Errorf("video of width %d, %d frames", h.Width, len(list))
	}
	dir := t.TempDir()
	for i, img := range frames {
		consoletest.WritePicture(t, filepath.Join(dir, fmt.Sprintf("in/%d.png", i)), img)
	}
	expect(t, dir, "", "in -m rgb2 -s 3 -o whole", 0)
	expect(t, dir, "", "in -m rgb2 -s 3 -o parts --shard 0/2", 0)
	expect(t, dir, "", "in -m rgb2 -s 3 -o parts --shard 1/2", 0)
	expect(t, dir, "", "in/1.png -m rgb2 -s 3 -o again/ --resume", 0)
	expect(t, dir, "", "in -m rgb2 -s 3 -o again --resume", 0, "2 done, 1 skipped")
	whole := consoletest.Results(t, filepath.Join(dir, "whole"))
	for _, other := range []string{"parts", "again"} {
		results := consoletest.Results(t, filepath.Join(dir, other))
		for name, data := range whole {
			if results[name] != data {
				t.Errorf("%s of %s has other bytes", name, other)
			}
		}
	}
	// Another network of the same name is another model.
	m := must.Get(os.ReadFile(filepath.Join(os.Getenv("SUPERRES_MODELS"), "luma2.npz")))(t)
	consoletest.Put(t, filepath.Join(os.Getenv("SUPERRES_MODELS"), "rgb2.npz"), m)
	expect(t, dir, "", "in -m rgb2 -s 3 -o again --resume --on-exist overwrite", 0, "3 done, 0 skipped")
}

// The header of a picture tells how much memory a network takes, and more than the limit is refused.
func TestNetworksInLittleMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("enlarges many pictures, which takes long under the race detector")
	}
	putNetworks(t)
	dir := t.TempDir()
	putBlobs(t, dir, 1500, 900, "a.png")
	expect(t, dir, "", "a.png -m rgb2 -s 4 --max-memory 40", 7, "the limit is 40 MiB; use --max-memory")
	stdout, _ := expect(t, dir, "", "a.png -m rgb2 --dry-run --json", 0)
	list, _ := decodeEvents(t, stdout)
	if i := slices.IndexFunc(list, func(e pictureEvent) bool { return e.Event == "plan" }); i < 0 ||
		list[i].Memory < 10<<20 || list[i].Model != "rgb2" {
		t.Errorf("%+v", list)
	}
}

// The file of a network enlarges at once.
func TestNetworkFile(t *testing.T) {
	dir := t.TempDir()
	consoletest.PutNetwork(t, filepath.Join(dir, "small net.param"), 4, 1)
	putBlobs(t, dir, 40, 30, "a.png")
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
