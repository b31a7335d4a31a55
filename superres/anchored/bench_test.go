package anchored

import (
	"fmt"
	"math/rand/v2"
	"testing"

	gonumblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"

	"superres/internal/kernel"
	"superres/internal/picture"
	"superres/internal/testimage"
	"superres/patches/plane"
	"superres/superres"
	"superres/superres/resample"
	"superres/superres/training/trainingtest"
)

// learnedCascade is a cascade of two stages of the size that photographs want, learned from
// drawings.
func learnedCascade(b *testing.B, scale int) *superres.Model {
	b.Helper()
	return trained(b, trainingtest.Drawings(7), Trainer{Scale: scale, Stages: 2, Atoms: 1024, Seed: 5}, 0)
}

// BenchmarkAnchored enlarges a drawing to 1536×1024 by every stage of a
// cascade for ×2, and one for ×4, on one worker when run with -cpu 1;
// the megapixels are of the result.
func BenchmarkAnchored(b *testing.B) {
	for _, scale := range []int{2, 4} {
		m := learnedCascade(b, scale)
		low := picture.Split(testimage.Drawing(1536/scale, 1024/scale, 0.4)).Luma()
		current := resample.Resize(low, low.W*scale, low.H*scale, resample.Bicubic)
		for i, s := range m.Stages {
			var next *plane.Plane
			b.Run(fmt.Sprintf("scale=%d/stage=%d/%s", scale, i, s.Kind()), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					var err error
					if next, err = s.Apply(b.Context(), low, current, nil); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(1e3*b.Elapsed().Seconds()/float64(b.N)/(float64(len(current.Pix))/1e6), "ms/MP")
			})
			if next != nil {
				current = next
			}
		}
	}
}

// BenchmarkSearchAndRegress takes a million patches, in 30 coordinates, to the nearest
// of 1,024 anchors, among all of them, and through its regressor, 30×36: by the kernels,
// and by gonum alone, a tenth of them.
func BenchmarkSearchAndRegress(b *testing.B) {
	const dims, anchors, out = 30, 1024, 36
	rng := rand.New(rand.NewPCG(1, 1))
	normal := func(n int) []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = float32(rng.NormFloat64())
		}
		return v
	}
	directions := normal(anchors * dims)
	for j := 0; j < len(directions); j += dims {
		direction(directions[j:j+dims], directions[j:j+dims])
	}
	all := make([]uint16, anchors)
	for j := range all {
		all[j] = uint16(j)
	}
	maps := normal(anchors * dims * out)
	const some = 1 << 16
	patches := normal(some * dims)
	report := func(b *testing.B, patches int) {
		b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)*1e6/float64(patches), "s/million")
	}
	b.Run("kernel", func(b *testing.B) {
		search := newSearch(dims, directions, directions[:dims], all)
		p := params{InputDims: dims, OutputDims: out}
		with := p.packRegressors(maps)
		rows, width := packRows(patches, dims)
		scale, sum := make([]float32, some), make([]int32, some)
		anchor, r := make([]int32, some), make([]float32, some*48)
		var t searchScratch
		var order, start []int32
		for b.Loop() {
			for at := 0; at < some; at += 4 * patchesTogether {
				search.find(anchor[:4*patchesTogether], rows[at*width:], width, &t)
				order, start = bucket(anchor[:4*patchesTogether], anchors, order, start)
				kernel.Regress(r, 48, rows[at*width:], width, scale, sum, order, start, &kernel.Maps{Words: p.inputWords(), Out: out, Bytes: with.maps[:len(with.maps)+kernel.MapRoom], Steps: with.steps})
			}
		}
		report(b, some)
	})
	b.Run("gonum", func(b *testing.B) {
		var blas gonum.Implementation
		scores, r := make([]float32, anchors), make([]float32, out)
		for b.Loop() {
			for j := range some / 16 {
				z := patches[j*dims : (j+1)*dims]
				blas.Sgemv(gonumblas.NoTrans, anchors, dims, 1, directions, dims, z, 1, 0, scores, 1)
				k, best := 0, scores[0]
				for i, v := range scores {
					if v > best {
						k, best = i, v
					}
				}
				blas.Sgemv(gonumblas.Trans, dims, out, 1, maps[k*dims*out:], out, z, 1, 0, r, 1)
			}
		}
		report(b, some/16)
	})
}
