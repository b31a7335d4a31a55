package superres

import (
	"context"
	"image"
	"testing"

	"superres/internal/parallel"
	"superres/internal/testimage"
	"superres/patches/plane"
	"superres/superres/stage"
	"superres/superres/stage/stagetest"
)

// nearest is a network that costs nearly nothing: it repeats samples.
type nearest struct{ stagetest.Blur }

func (n nearest) Start(w, h int) stage.NetworkRun { return nearestRun(n) }

type nearestRun struct{ stagetest.Blur }

func (n nearestRun) Push(_ context.Context, rows []*plane.Plane, w *stage.Work) ([]*plane.Plane, error) {
	out := make([]*plane.Plane, len(rows))
	for i, p := range rows {
		out[i] = w.Plane(p.W*n.Factor, p.H*n.Factor)
		parallel.Rows(p.H, func(y int) {
			first := out[i].Row(y * n.Factor)
			for x, v := range p.Row(y) {
				to := first[4*x : 4*x+4]
				to[0], to[1], to[2], to[3] = v, v, v, v
			}
			for k := 1; k < n.Factor; k++ {
				copy(out[i].Row(y*n.Factor+k), first)
			}
		})
	}
	return out, nil
}

// BenchmarkAround measures what surrounds a network of scale 4 at 768×512 samples: its input, painting, the report.
func BenchmarkAround(b *testing.B) {
	img := testimage.Fill(image.NewNRGBA(image.Rect(0, 0, 768, 512)), true)
	m := blurModel(b, stagetest.Blur{Factor: 4, Planes: 3}, 0)
	m.Network = nearest{stagetest.Blur{Factor: 4, Planes: 3}}
	half := 0.5
	back := blurModel(b, stagetest.Blur{Factor: 4, Planes: 3}, 1)
	back.Network = m.Network
	for _, c := range []struct {
		name  string
		model *Model
		opt   Options
	}{{"plain", m, Options{}}, {"report", m, Options{Report: &Report{}}}, {"strength", m, Options{Strength: &half}},
		{"back-projection", back, Options{}}, {"reduced to 3", m, Options{Scale: 3}},
		{"16 bits", m, Options{Depth: 16}}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				upscaleWith(b, c.model, img, c.opt)
			}
		})
	}
	b.Run("network", func(b *testing.B) {
		mem := &stage.Pool{}
		rows := []*plane.Plane{plane.New(768, 64), plane.New(768, 64), plane.New(768, 64)}
		for b.Loop() {
			for range 8 {
				for _, p := range runBlurIn(b, nearestRun{stagetest.Blur{Factor: 4, Planes: 3}}, rows, mem) {
					mem.Give(p.Pix)
				}
			}
		}
	})
}

func runBlurIn(b *testing.B, r stage.NetworkRun, rows []*plane.Plane, mem *stage.Pool) []*plane.Plane {
	out, _ := r.Push(b.Context(), rows, stage.NewWork(mem, nil))
	return out
}
