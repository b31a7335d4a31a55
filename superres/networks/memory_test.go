package networks

import (
	"image"
	"image/color"
	"math/rand/v2"
	"testing"

	"superres/internal/heap"
	"superres/internal/must"
	"superres/superres"
	"superres/superres/resample"
	"superres/superres/stage"
	"superres/superres/stage/stagetest"
)

// The estimate of memory is no less than what an enlargement with a network takes, and not many times as much: of
// pictures high and wide, whose rows come with the last band, in strips or not, in passes, reduced and back-projected.
// The test is here because few objects are in use here: the more there are, the later the collector finds garbage.
func TestMemory(t *testing.T) {
	for _, c := range []struct {
		blur   stagetest.Blur
		back   int
		w, h   int
		scale  float64
		strips bool
	}{
		{stagetest.Blur{Factor: 4, Planes: 3, Radius: 1}, 0, 100, 900, 4, false},
		{stagetest.Blur{Factor: 4, Planes: 3, Radius: 1}, 0, 100, 900, 4, true},
		{stagetest.Blur{Factor: 4, Planes: 3, Radius: 99}, 0, 200, 300, 4, true},
		{stagetest.Blur{Factor: 4, Planes: 3, Radius: 60}, 0, 100, 300, 3, true},
		{stagetest.Blur{Factor: 4, Planes: 3, Radius: 20}, 3, 100, 400, 4, true},
		{stagetest.Blur{Factor: 2, Planes: 1, Radius: 9}, 0, 300, 400, 4, true},
		{stagetest.Blur{Factor: 2, Planes: 3, Radius: 30}, 0, 100, 300, 4, true},
		{stagetest.Blur{Factor: 1, Planes: 3, Radius: 9}, 0, 400, 400, 2.5, false},
	} {
		m := &superres.Model{Scale: c.blur.Factor, Degradation: resample.Cubic, Kernel: resample.Bicubic,
			Network: c.blur}
		if c.back > 0 {
			m = must.Get(m.Tune(stage.Tuning{BackProject: &c.back}))(t)
		}
		img, rng := image.NewNRGBA64(image.Rect(0, 0, c.w, c.h)), rand.New(rand.NewPCG(uint64(c.w), uint64(c.h)))
		value := func() uint16 { return uint16(30801 + rng.IntN(3932)) }
		for i := range c.w * c.h {
			img.SetNRGBA64(i%c.w, i/c.w, color.NRGBA64{R: value(), G: value(), B: value(), A: 0xffff})
		}
		opt := superres.Options{Scale: c.scale, Report: new(superres.Report)}
		cfg := image.Config{Width: c.w, Height: c.h, ColorModel: color.RGBA64Model}
		toW, toH, err := m.Size(c.w, c.h, c.scale)
		must.Succeed(t, err)
		_, each := m.MemoryEach(cfg, toW, toH, opt, c.strips)
		work := func() {
			if c.strips {
				must.Succeed(t, m.Stream(t.Context(), img, opt, func(image.Image) error { return nil }))
				return
			}
			_ = must.Get(m.Upscale(t.Context(), img, opt))(t)
		}
		took := heap.Within(each, work)
		for range 5 { // a short peak may be missed
			if each > 4*took {
				took = max(took, heap.Within(each, work))
			}
		}
		t.Logf("%+v ×%g, %d×%d: takes %d KiB, estimated %d KiB", c.blur, c.scale, c.w, c.h, took>>10, each>>10)
		if took > each || each > 4*took {
			t.Errorf("%+v ×%g, %d×%d: takes %d KiB, estimated %d KiB", c.blur, c.scale, c.w, c.h, took>>10, each>>10)
		}
	}
}

// At the effort max a picture is enlarged upright and turned: the estimate is that of the orientation that takes most,
// the same for a flat picture and for a high one, and no less than what either takes.
func TestMemoryOfOrientations(t *testing.T) {
	m := &superres.Model{Scale: 2, Degradation: resample.Cubic, Kernel: resample.Bicubic,
		Network: stagetest.Blur{Factor: 2, Planes: 3, Radius: 20}}
	upright := m
	m = must.Get(m.Effort("max"))(t)
	opt := superres.Options{Scale: 2}
	for _, size := range []image.Point{{1, 2000}, {30, 900}, {64, 400}} {
		var estimates []int64
		for _, p := range []image.Point{size, {size.Y, size.X}} {
			img := image.NewNRGBA(image.Rectangle{Max: p})
			for i := range img.Pix {
				img.Pix[i] = uint8(100+i*i%31) | uint8(i%4/3*255)
			}
			cfg := image.Config{Width: p.X, Height: p.Y, ColorModel: color.RGBAModel}
			_, each := m.MemoryEach(cfg, 2*p.X, 2*p.Y, opt, false)
			if _, once := upright.MemoryEach(cfg, 2*p.X, 2*p.Y, opt, false); each <= once {
				t.Errorf("%v: %d KiB, and %d KiB upright alone", p, each>>10, once>>10)
			}
			took := heap.Within(each, func() { _ = must.Get(m.Upscale(t.Context(), img, opt))(t) })
			if took > each {
				t.Errorf("%v: takes %d KiB, estimated %d KiB", p, took>>10, each>>10)
			}
			estimates = append(estimates, each)
		}
		if estimates[0] != estimates[1] {
			t.Errorf("%v: %v bytes for the picture and for it turned", size, estimates)
		}
	}
}
