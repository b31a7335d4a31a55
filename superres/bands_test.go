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
	"superres/internal/picture"
	"superres/internal/testimage"
	"superres/patches/plane"
	"superres/superres/resample"
	"superres/superres/stage"
	"superres/superres/stage/stagetest"
)

// The result has the same bytes however many rows a band has, whole or in strips: at all scales, in one pass or
// several, with all kinds of stage and of networks, for grey, colour and transparency, with 8 and 16 bits. Progress
// goes from 0 to 1 and never back.
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

// probe is a stage that changes nothing. It notes how many rows it is given and how many it is asked about, and
// claims to take a number of bytes for each sample.
type probe struct {
	reach, bytes int
	given, asked *int
}

func (s probe) Apply(_ context.Context, low, current *plane.Plane, w *stage.Work) (*plane.Plane, error) {
	*s.given = max(*s.given, low.H)
	out := w.Plane(current.W, current.H)
	copy(out.Pix, current.Pix)
	return out, nil
}

func (s probe) Memory(width, rows int) (fixed, working int64) {
	*s.asked = max(*s.asked, rows)
	return 0, int64(s.bytes) * int64(width) * int64(rows)
}

func (s probe) Reach() int           { return s.reach }
func (probe) Kind() string           { return "probe" }
func (probe) Save(*stage.Arrays) any { return nil }

// probeModel returns a model of one probe, and its notes.
func probeModel(reach, bytes int) (m *Model, given, asked *int) {
	s := probe{reach, bytes, new(int), new(int)}
	m = &Model{Scale: 2, Degradation: resample.Cubic, Kernel: resample.Bicubic, Stages: []stage.Stage{s}}
	return m, s.given, s.asked
}

// The estimate asks a stage about at least as many rows as it is given, counts what it claims in full, and chooses
// lower bands where it claims much.
func TestMemoryAsksTheStage(t *testing.T) {
	img := image.NewGray(image.Rect(0, 0, 20, 700))
	cfg := image.Config{Width: 20, Height: 700, ColorModel: img.ColorModel()}
	for _, reach := range []int{0, 7, 30, 90} {
		for _, rows := range []int{10, 100, 700} {
			for _, scale := range []int{2, 4} { // 4 is 2 twice
				m, given, asked := probeModel(reach, 0)
				opt := Options{Scale: float64(scale), BandRows: rows}
				m.Memory(cfg, 20*scale, 700*scale, opt)
				upscaleWith(t, m, img, opt)
				if *asked < *given {
					t.Errorf("reach %d, bands of %d, ×%d: asked about %d rows, given %d",
						reach, rows, scale, *asked, *given)
				}
			}
		}
	}
	m, _, _ := probeModel(0, 10_000)
	if need := m.Memory(cfg, 40, 1400, Options{BandRows: 700}); need < 700*20*10_000 {
		t.Errorf("%d bytes, but the stage alone takes %d", need, 700*20*10_000)
	}
	costly, _, _ := probeModel(0, 1_000_000)
	free, _, _ := probeModel(0, 0)
	s := sizes{40, 7000, 80, 14000}
	if low, usual := costly.bandRows(s), free.bandRows(s); low >= usual/2 {
		t.Errorf("bands of %d rows for a stage that takes much, %d for one that takes nothing", low, usual)
	}
}

// The agreement that a report tells compares the picture with the result, reduced as a whole. It is the same however
// many rows a band has, with transparency or not, at any scale and strength.
func TestReport(t *testing.T) {
	colour := testimage.Fill(image.NewNRGBA(image.Rect(0, 0, 19, 43)), true)
	half := 0.5
	for _, c := range []struct {
		model *Model
		img   image.Image
		opt   Options
	}{
		{blurModel(t, stagetest.Blur{Factor: 4, Planes: 3, Radius: 2}, 0), colour, Options{}},
		{blurModel(t, stagetest.Blur{Factor: 4, Planes: 3, Radius: 9}, 0), colour, Options{Scale: 2.7}},
		{blurModel(t, stagetest.Blur{Factor: 2, Planes: 3, Radius: 1}, 3), colour, Options{Scale: 2, Strength: &half}},
		{blurModel(t, stagetest.Blur{Factor: 3, Planes: 1, Radius: 1}, 0), grain(19, 43, 3), Options{Scale: 5}},
		{blurModel(t, stagetest.Blur{Factor: 1, Planes: 3, Radius: 1}, 0), colour, Options{}},
		{blurModel(t, stagetest.Blur{Factor: 2, Planes: 3, Radius: 1}, 0), testimage.Drawing(20, 17, 1), Options{}},
		{builtin(t, "bicubic"), grain(19, 43, 4), Options{Scale: 3}},
		{blurModel(t, stagetest.Blur{Factor: 1, Planes: 3}, 0), testimage.Drawing(9, 9, 1), Options{}}, // as it is
	} {
		var first Report
		for _, rows := range []int{0, 1, 13} {
			var got Report
			c.opt.BandRows, c.opt.Report, c.opt.Depth = rows, &got, 16
			result := picture.Split(upscaleWith(t, c.model, c.img, c.opt)).Luma()
			truth := picture.Split(c.img).Luma()
			sum := 0.0
			for i, v := range resample.Resize(result, truth.W, truth.H, resample.Bicubic).Pix {
				sum += float64((v - truth.Pix[i]) * (v - truth.Pix[i]))
			}
			want := min(MaxLRPSNR, -10*math.Log10(sum/float64(len(truth.Pix))))
			if math.Abs(got.LRPSNR-want) > 0.01 {
				t.Errorf("×%d: an agreement of %.3f dB, expected %.3f", c.model.Scale, got.LRPSNR, want)
			}
			if rows == 0 {
				first = got
			}
			if got != first {
				t.Errorf("×%d, bands of %d: %+v, expected %+v", c.model.Scale, rows, got, first)
			}
		}
	}
}
