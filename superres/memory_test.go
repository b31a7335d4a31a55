package superres

import (
	"context"
	"image"
	"testing"

	"superres/patches/plane"
	"superres/superres/resample"
	"superres/superres/stage"
)

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
