package superres

import (
	"context"
	"image"
	"superres/patches/plane"
	"testing"

	"superres/superres/resample"
	"superres/superres/stage"
)

// greedy is a stage that notes how many rows it is given and how many it is asked about, and
// says that it takes so many bytes a sample.
type greedy struct {
	reach, bytes int
	given, asked *int
}

func (s greedy) Apply(_ context.Context, low, current *plane.Plane, w *stage.Work) (*plane.Plane, error) {
	*s.given = max(*s.given, low.H)
	out := w.Plane(current.W, current.H)
	copy(out.Pix, current.Pix)
	return out, nil
}

func (s greedy) Memory(width, rows int) (fixed, working int64) {
	*s.asked = max(*s.asked, rows)
	return 0, int64(s.bytes) * int64(width) * int64(rows)
}

func (s greedy) Reach() int           { return s.reach }
func (greedy) Kind() string           { return "greedy" }
func (greedy) Save(*stage.Arrays) any { return nil }
func (s greedy) model(scale int) *Model {
	return &Model{Scale: scale, Degradation: resample.Cubic, Kernel: resample.Bicubic, Stages: []stage.Stage{s}}
}

// A stage is asked about at least as many rows as it is given, what it says counts in full,
// and bands are lower where it takes much.
func TestMemoryAsksTheStage(t *testing.T) {
	img := image.NewGray(image.Rect(0, 0, 40, 700))
	cfg := image.Config{Width: 40, Height: 700, ColorModel: img.ColorModel()}
	for _, reach := range []int{0, 7, 30, 90} {
		for _, rows := range []int{10, 100, 700} {
			for _, chained := range []float64{2, 4} { // 4 is 2 twice
				var given, asked int
				s := greedy{reach: reach, given: &given, asked: &asked}
				opt := Options{Scale: chained, BandRows: rows}
				m := s.model(2)
				m.Memory(cfg, int(40*chained), int(700*chained), opt)
				if _, err := m.Upscale(t.Context(), img, opt); err != nil {
					t.Fatal(err)
				}
				if asked < given {
					t.Errorf("reach %d, bands of %d, ×%g: asked about %d rows, given %d", reach, rows, chained, asked, given)
				}
			}
		}
	}
	var given, asked int
	s := greedy{bytes: 10_000, given: &given, asked: &asked}
	if need := s.model(2).Memory(cfg, 80, 1400, Options{BandRows: 700}); need < 700*40*10_000 {
		t.Errorf("%d bytes, the stage alone takes %d", need, 700*40*10_000)
	}
	if few, usual := (greedy{bytes: 1_000_000, given: &given, asked: &asked}).model(2).bandRows(sizes{40, 7000, 80, 14000}), (greedy{given: &given, asked: &asked}).model(2).bandRows(sizes{40, 7000, 80, 14000}); few >= usual/2 {
		t.Errorf("bands of %d rows for a stage that takes much, %d for one that takes nothing", few, usual)
	}
}
