package superres

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"reflect"
	"testing"

	"superres/internal/must"
	"superres/internal/picture"
	"superres/internal/testimage"
	"superres/patches/plane"
	"superres/superres/resample"
	"superres/superres/stage"
	"superres/superres/stage/stagetest"
)

// blurModel returns a model with the small network of stagetest, followed by back-projections.
func blurModel(t testing.TB, b stagetest.Blur, backProjections int) *Model {
	t.Helper()
	m := &Model{Scale: b.Factor, Degradation: resample.Cubic, Kernel: resample.Bicubic, Network: b}
	if backProjections == 0 {
		return m
	}
	return must.Get(m.Tune(stage.Tuning{BackProject: &backProjections}))(t)
}

// runBlur returns the planes that a network makes of whole planes.
func runBlur(t testing.TB, n stage.Network, planes []*plane.Plane) []*plane.Plane {
	t.Helper()
	return must.Get(n.Start(planes[0].W, planes[0].H).Push(t.Context(), planes, nil))(t)
}

// A picture in colour goes through a network as red, green and blue, a grey one as three equal planes. Sizes beyond and
// below the network's own scale are reached by passes and by resampling their results.
func TestNetwork(t *testing.T) {
	colour := testimage.Fill(image.NewNRGBA(image.Rect(0, 0, 23, 17)), true)
	for _, factor := range []int{1, 2, 4, 8} {
		b := stagetest.Blur{Factor: factor, Planes: 3, Radius: 2}
		m := blurModel(t, b, 0)
		planes := runBlur(t, b, picture.Split(colour).Channels)
		want := picture.Picture{Channels: planes}.Image()
		if got := upscaleWith(t, m, colour, Options{}); !reflect.DeepEqual(got, want) {
			t.Errorf("×%d: not what the network returns", factor)
		}
		for _, size := range []image.Point{{23, 17}, {30, 20}, {60, 40}} {
			passes := picture.Split(colour).Channels
			passes = runBlur(t, b, passes)
			if factor == 2 && size.X == 60 {
				passes = runBlur(t, b, passes)
			}
			for i, p := range passes {
				passes[i] = resample.Resize(p, size.X, size.Y, resample.Bicubic)
			}
			want = picture.Picture{Channels: passes}.Image()
			if got := upscaleWith(t, m, colour, Options{Width: size.X, Height: size.Y}); !reflect.DeepEqual(got, want) {
				t.Errorf("×%d to %v: not the resampled result of the network", factor, size)
			}
		}
	}
	grey := testimage.Drawing(20, 16, 1)
	for _, channels := range []int{1, 3} {
		b := stagetest.Blur{Factor: 3, Planes: channels, Radius: 1}
		luma := picture.Split(grey).Luma()
		in := []*plane.Plane{luma, luma, luma}[:channels]
		want := picture.Picture{Channels: runBlur(t, b, in)[:1]}.Image().(*image.Gray)
		got := upscaleWith(t, blurModel(t, b, 0), grey, Options{}).(*image.Gray)
		for i, v := range got.Pix {
			if d := int(v) - int(want.Pix[i]); d < -1 || d > 1 {
				t.Fatalf("%d channels: sample %d is %d, expected %d", channels, i, v, want.Pix[i])
			}
		}
	}
}

// A model with a network is saved and loaded, is described, and has a fingerprint of its own. A file with another scale
// or other channels is refused.
func TestNetworkFiles(t *testing.T) {
	seen := map[string]bool{}
	for _, factor := range []int{1, 2, 16} {
		for _, back := range []int{0, 2} {
			if factor != 2 && back > 0 {
				continue
			}
			m := blurModel(t, stagetest.Blur{Factor: factor, Planes: 3, Radius: 1}, back)
			data := save(t, m)
			again := must.Get(Load(bytes.NewReader(data), int64(len(data))))(t)
			if !reflect.DeepEqual(again.Describe(), m.Describe()) || !bytes.Equal(save(t, again), data) {
				t.Errorf("×%d, %d back-projections: loaded as %+v", factor, back, again.Describe())
			}
			sum := must.Get(again.Fingerprint())(t)
			if seen[sum] {
				t.Errorf("×%d, %d back-projections: the fingerprint of another", factor, back)
			}
			seen[sum] = true
		}
	}
	head := `{"format":%d,"scale":%d,"degradation":"bicubic","kernel":"bicubic",` +
		`"network":{"kind":"blur","params":{"factor":2,"planes":3,"radius":1}},"stages":[%s]}`
	back := `{"kind":"backproject","params":{"iterations":1,"degradation":"box"}}`
	for _, text := range []string{fmt.Sprintf(head, 1, 2, ""), fmt.Sprintf(head, 2, 3, ""),
		fmt.Sprintf(head, 2, 17, ""),
		fmt.Sprintf(head, 2, 0, ""), fmt.Sprintf(head, 2, 8, back), fmt.Sprintf(head, 2, 2, "")} {
		data := forge(t, text) // without the array of the network
		if m, err := Load(bytes.NewReader(data), int64(len(data))); !errors.Is(err, ErrModel) || m != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// After back-projection the result, reduced again, has the colours of the picture.
func TestNetworkBackProjection(t *testing.T) {
	img := grain(24, 20, 3)
	for factor := 2; factor <= 4; factor++ {
		b := stagetest.Blur{Factor: factor, Planes: 3, Radius: 1}
		result := picture.Split(upscaleWith(t, blurModel(t, b, 40), img, Options{}))
		for i, c := range picture.Split(img).Channels {
			if d := 255 * farthest(resample.Cubic.Reduce(result.Channels[i], factor), c); d > 0.1 {
				t.Errorf("×%d: channel %d is %.2f levels off", factor, i, d)
			}
		}
	}
	one := 1
	for _, factor := range []int{1, 8} {
		m := blurModel(t, stagetest.Blur{Factor: factor, Planes: 3}, 0)
		if _, err := m.Tune(stage.Tuning{BackProject: &one}); err == nil {
			t.Errorf("×%d: no error for back-projection", factor)
		}
	}
}

// The effort max takes the mean over orientations, of which each comes from a network without preference for one; a
// mixture with another model is refused, and networks for colour concern brightness alone.
func TestNetworkSettings(t *testing.T) {
	img := grain(16, 12, 3)
	rgb, luma := stagetest.Blur{Factor: 2, Planes: 3, Radius: 1}, stagetest.Blur{Factor: 2, Planes: 1, Radius: 1}
	m := blurModel(t, rgb, 0)
	most := must.Get(m.Effort("max"))(t)
	full, mean := deepUpscale(t, m, img, Options{}), deepUpscale(t, most, img, Options{})
	for i := range full.Pix[:len(full.Pix)/2] {
		if d := sampleAt(full, i) - sampleAt(mean, i); d < -1 || d > 1 {
			t.Fatalf("sample %d is off by %g of 65535 at the effort max", i, d)
		}
	}
	if _, err := m.Effort("fast"); err == nil {
		t.Error("no error for the effort fast")
	}
	mix := &Mix{Model: m, Share: plane.New(1, 1)}
	if _, err := m.Upscale(t.Context(), img, Options{Mix: mix}); err == nil {
		t.Error("no error for a mixture")
	}
	photo := builtin(t, "photo-fast")
	if m.WithColour(photo).Colour != nil || blurModel(t, luma, 0).WithColour(photo).Colour == nil {
		t.Error("a network for red, green and blue takes a network for colour, or one for brightness none")
	}
	upscaleWith(t, blurModel(t, luma, 0).WithColour(photo), img, Options{})
	if metrics := must.Get(m.Restore(t.Context(), testimage.Drawing(40, 40, 3), 2))(t); metrics.PSNR < 10 {
		t.Errorf("restored: %+v", metrics)
	}
	if _, _, err := m.RestoreExact(t.Context(), testimage.Drawing(40, 40, 3), 3); err != nil {
		t.Errorf("restored exactly: %v", err)
	}
}

// A part of a picture with as many rows and columns around it as Reach says has the result that the whole has there.
func TestNetworkReach(t *testing.T) {
	const side, x, y = 80, 36, 24
	img := grain(side, side, 3)
	for _, m := range []*Model{blurModel(t, stagetest.Blur{Factor: 2, Planes: 3, Radius: 3}, 1),
		blurModel(t, stagetest.Blur{Factor: 4, Planes: 1, Radius: 2}, 0)} {
		for _, scale := range []int{m.Scale, m.Scale * m.Scale} {
			reach := m.Reach(side, side, scale*side, scale*side)
			part := image.Rect(x, y, side, side)
			whole := upscaleWith(t, m, img, Options{Scale: float64(scale)}).(*image.NRGBA64)
			cut := upscaleWith(t, m, img.(*image.NRGBA64).SubImage(part),
				Options{Scale: float64(scale)}).(*image.NRGBA64)
			for v := scale * reach; v < cut.Rect.Dy(); v++ {
				for u := scale * reach; u < cut.Rect.Dx(); u++ {
					if cut.NRGBA64At(u, v) != whole.NRGBA64At(u+scale*x, v+scale*y) {
						t.Fatalf("×%d: (%d, %d) differs, %d samples from the edge", scale, u, v, min(u, v)/scale)
					}
				}
			}
		}
	}
}
