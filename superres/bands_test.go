package superres

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"math"
	"reflect"
	"runtime"
	"sync"
	"testing"

	"superres/internal/must"
	"superres/internal/testimage"
	"superres/superres/stage"
	"superres/superres/stage/stagetest"
)

// The result has the same bytes however many rows a band has, whole or in strips: at all scales, in one pass or several,
// with all kinds of stage and of networks, for grey, colour and transparency, with 8 and 16 bits. Progress goes from 0
// to 1 and never back.
func TestBandsChangeNothing(t *testing.T) {
	three := 3
	tuned := must.Get(builtin(t, "coupled").Tune(stage.Tuning{BackProject: &three}))(t)
	tall := image.Rect(0, 0, 7, 61)
	grey, colour := testimage.Drawing(8, 61, 1), testimage.Fill(image.NewNRGBA(tall), true)
	transparent := disc(40, 13, colour.NRGBAAt(3, 3), colour.NRGBAAt(4, 4))
	network := func(factor, planes, radius, back int, ragged bool) *Model {
		return blurModel(t, stagetest.Blur{Factor: factor, Planes: planes, Radius: radius, Ragged: ragged}, back)
	}
	for _, c := range []struct {
		name   string
		model  *Model
		img    image.Image
		scales []float64
	}{
		{"photo", builtin(t, "photo"), grey, []float64{2.6}},
		{"photo, colour", builtin(t, "photo-fast"), colour, []float64{2, 2.6, 3, 6}},
		{"photo-real", builtin(t, "photo-real-fast"), colour, []float64{2}},
		{"digits", builtin(t, "digits"), grey, []float64{2}},
		{"paper", paperModel(t, 2), grey, []float64{2, 5}},
		{"paper ×3", paperModel(t, 3), testimage.Fill(image.NewGray16(tall), true), []float64{3, 4.4}},
		{"three back-projections", tuned, testimage.Fill(image.NewNRGBA64(tall), true), []float64{2}},
		{"stages twice", repeatedModel(t), transparent, []float64{1, 1.7, 3.3}},
		{"stages twice, 16 bits", repeatedModel(t), testimage.Fill(image.NewNRGBA64(tall), false), []float64{2}},
		{"bicubic", builtin(t, "bicubic"), transparent, []float64{1, 1.3, 2, 3, 4, 7}},
		{"lanczos", builtin(t, "lanczos"), testimage.Fill(image.NewNRGBA64(tall), true), []float64{1, 1.3, 2, 3}},
		{"nearest", builtin(t, "nearest"), colour, []float64{1, 1.3, 2}},
		{"network", network(4, 3, 5, 0, true), colour, []float64{1, 1.5, 3, 4, 5}},
		{"network of far reach", network(2, 3, 20, 2, true), colour, []float64{2, 3}},
		{"network for brightness", network(3, 1, 3, 1, true), colour, []float64{3, 2.6}},
		{"network that sees all", network(3, 3, 60, 0, false), transparent, []float64{3}},
		{"network of the same size", network(1, 3, 1, 0, false), transparent, []float64{1, 2.5}},
		{"network, grey", network(2, 3, 1, 1, false), grey, []float64{2, 4}},
	} {
		for _, scale := range c.scales {
			t.Run(fmt.Sprintf("%s ×%g", c.name, scale), func(t *testing.T) {
				h := c.img.Bounds().Dy()
				want := upscaleWith(t, c.model, c.img, Options{Scale: scale, BandRows: h})
				for _, rows := range []int{1, 13, h - 1} {
					if rows == 1 && !c.model.IsPlain() && c.model.Network == nil && scale != c.scales[0] {
						continue // takes long
					}
					last := 0.0
					progress := func(share float64) {
						if share < last || share > 1+1e-9 {
							t.Errorf("bands of %d: progress %g after %g", rows, share, last)
						}
						last = share
					}
					got := upscaleWith(t, c.model, c.img, Options{Scale: scale, BandRows: rows, Progress: progress})
					if !reflect.DeepEqual(got, want) || last < 1-1e-9 {
						t.Errorf("bands of %d give another picture, or their progress ends at %g", rows, last)
					}
					if _, grey := want.(*image.Gray); c.model.Network == nil || grey || !c.model.Streams(c.img) {
						continue
					}
					whole, top := image.NewNRGBA(want.Bounds()), 0
					must.Succeed(t, c.model.Stream(t.Context(), c.img, Options{Scale: scale, BandRows: rows},
						func(s image.Image) error {
							draw.Draw(whole, s.Bounds().Add(image.Pt(0, top)), s, image.Point{}, draw.Src)
							if top += s.Bounds().Dy(); s.Bounds().Dy() > rows*int(scale+0.99) {
								return errors.New("a strip higher than a band")
							}
							return nil
						}))
					if !reflect.DeepEqual(whole, want) {
						t.Errorf("strips of bands of %d: another picture", rows)
					}
				}
			})
		}
	}
}

// The result of each kind of stage has the same bytes with any number of workers, and whatever values the memory of the
// pool holds.
func TestWorkersAndMemoryChangeNothing(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, name := range []string{"photo-fast", "photo-real-fast", "coupled", "lanczos"} {
		m := builtin(t, name)
		for _, channels := range []int{1, 3, 4} {
			img := grain(41, 33, channels)
			for _, opt := range []Options{{Scale: 2}, {Scale: 2.5, BandRows: 13}} {
				runtime.GOMAXPROCS(1)
				want := upscaleWith(t, m, img, opt)
				runtime.GOMAXPROCS(4)
				pool := &stage.Pool{}
				for i := range 12 {
					block := make([]float32, 1<<10<<i)
					for j := range block {
						block[j] = float32(math.NaN())
					}
					pool.Give(block)
				}
				b := want.Bounds()
				e := must.Get(m.newEnlarger(img, b.Dx(), b.Dy(), opt, pool))(t)
				must.Succeed(t, e.enlarge(t.Context(), func(float64) {}))
				if !reflect.DeepEqual(e.out.Image, want) {
					t.Errorf("%s, %d channels, %+v: another picture", name, channels, opt)
				}
			}
		}
	}
}

// One model enlarges many pictures at the same time, some of which are cancelled, with the same results as one by one.
func TestUpscaleConcurrently(t *testing.T) {
	for _, name := range []string{"photo-fast", "coupled"} {
		m, fresh := builtin(t, name), builtin(t, name) // the siblings of fresh are not open yet
		var wg sync.WaitGroup
		for i, scale := range []float64{2, 3, 2.5, 4, 1.5, 2} {
			opt := Options{Scale: scale, BandRows: 7 * (i % 3)}
			img := grain(31+16*i, 23+i, []int{1, 3, 4}[i%3])
			want := upscaleWith(t, m, img, opt)
			for range 2 {
				wg.Go(func() {
					got, err := fresh.Upscale(t.Context(), img, opt)
					if err != nil || !reflect.DeepEqual(got, want) {
						t.Errorf("%s, picture %d is not what it is alone: %v", name, i, err)
					}
				})
				wg.Go(func() {
					if err := upscaleCancelled(t, fresh, img, opt); err != nil && !errors.Is(err, context.Canceled) {
						t.Errorf("%s, picture %d: %v", name, i, err)
					}
				})
			}
		}
		wg.Wait()
	}
	large := testimage.Drawing(120, 90, 1)
	if err := upscaleCancelled(t, builtin(t, "coupled"), large, Options{Scale: 4}); !errors.Is(err, context.Canceled) {
		t.Errorf("a picture when its context ends: %v", err)
	}
}

// upscaleCancelled enlarges a picture with a context that is cancelled when a third is done.
func upscaleCancelled(t *testing.T, m *Model, img image.Image, opt Options) error {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	opt.Progress = func(share float64) {
		if share > 0.3 {
			cancel()
		}
	}
	_, err := m.Upscale(ctx, img, opt)
	return err
}
