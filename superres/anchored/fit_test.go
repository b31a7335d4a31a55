package anchored

import (
	"bytes"
	"context"
	"errors"
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/internal/testimage"
	"superres/learners/plugin"
	"superres/patches/plane"
	"superres/superres/fit"
	"superres/superres/score"
	"superres/superres/training"
	"superres/superres/training/trainingtest"
)

// samplesOf draws n samples of k anchors: rows [q r] with r = R_kᵀq.
func samplesOf(rng *rand.Rand, n, in, out int, regressors [][]float32) (rows []float32, anchor []int32) {
	for range n {
		k := rng.IntN(len(regressors))
		q, r := make([]float32, in), make([]float32, out)
		for i := range q {
			q[i] = float32(rng.NormFloat64())
		}
		regress(r, q, regressors[k])
		rows, anchor = append(append(rows, q...), r...), append(anchor, int32(k))
	}
	return rows, anchor
}

func randomRegressor(rng *rand.Rand, in, out int) []float32 {
	r := make([]float32, in*out)
	for i := range r {
		r[i] = float32(rng.NormFloat64())
	}
	return r
}

// A linear map that was planted is found, exactly where all anchors have the same, and
// up to the ridge where they differ.
func TestRegressionFindsWhatWasPlanted(t *testing.T) {
	const in, out, k = 7, 5, 3
	rng := rand.New(rand.NewPCG(1, 1))
	same := randomRegressor(rng, in, out)
	for name, c := range map[string]struct {
		planted [][]float32
		within  float64
	}{
		"same":      {[][]float32{same, same, same}, 1e-4},
		"different": {[][]float32{same, randomRegressor(rng, in, out), randomRegressor(rng, in, out)}, 0.02},
	} {
		n := newNormalEquations(k, in, out)
		rows, anchor := samplesOf(rng, 20_000, in, out, c.planted)
		if err := n.add(t.Context(), rows, anchor); err != nil {
			t.Fatal(err)
		}
		got, err := n.solve(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for j, planted := range c.planted {
			for i, want := range planted {
				if v := got[j*in*out+i]; math.Abs(float64(v-want)) > c.within {
					t.Errorf("%s, anchor %d, entry %d: %g, planted %g", name, j, i, v, want)
				}
			}
		}
	}
}

// Streaming equations are those of all samples at once: R_k minimises
// Σ‖R_kᵀq − r‖² + λ·tr (R_k − R_0)ᵀM(R_k − R_0).
func TestStreamingIsLeastSquares(t *testing.T) {
	const in, out, k, count = 6, 4, 3, 400
	rng := rand.New(rand.NewPCG(2, 1))
	rows, anchor := samplesOf(rng, count, in, out, [][]float32{randomRegressor(rng, in, out), randomRegressor(rng, in, out), randomRegressor(rng, in, out)})
	for i := range rows {
		rows[i] += float32(0.3 * rng.NormFloat64()) // nothing fits exactly
	}
	anchor[7] = -1 // left out
	parts := []*normalEquations{newNormalEquations(k, in, out), newNormalEquations(k, in, out)}
	for at := 0; at < count; at += 100 { // in four calls, on two sets
		if err := parts[at/200].add(t.Context(), rows[at*(in+out):(at+100)*(in+out)], slices.Clone(anchor[at:at+100])); err != nil {
			t.Fatal(err)
		}
	}
	got, err := joined(parts...).solve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	samples := func(of int) (q, r *mat.Dense) {
		var qs, rs []float64
		for j := range count {
			if anchor[j] >= 0 && (of < 0 || int(anchor[j]) == of) {
				for i, v := range rows[j*(in+out) : (j+1)*(in+out)] {
					if i < in {
						qs = append(qs, float64(v))
					} else {
						rs = append(rs, float64(v))
					}
				}
			}
		}
		return mat.NewDense(len(qs)/in, in, qs), mat.NewDense(len(rs)/out, out, rs)
	}
	q, r := samples(-1)
	var m, global mat.Dense
	m.Mul(q.T(), q)
	m.Scale(1/float64(count-1), &m)
	if err := global.Solve(q, r); err != nil {
		t.Fatal(err)
	}
	for of := range k {
		q, r := samples(of)
		var a, b, pull, pulled, want mat.Dense
		a.Mul(q.T(), q)
		b.Mul(q.T(), r)
		pull.Scale(ridge, &m)
		a.Add(&a, &pull)
		pulled.Mul(&pull, &global)
		b.Add(&b, &pulled)
		if err := want.Solve(&a, &b); err != nil {
			t.Fatal(err)
		}
		for i, w := range want.RawMatrix().Data {
			if v := got[of*in*out+i]; math.Abs(float64(v)-w) > 1e-4 {
				t.Errorf("anchor %d, entry %d: %g, expected %g", of, i, v, w)
			}
		}
	}
}

// What restores the pictures of a fold has not seen them.
func TestFoldsAreKeptApart(t *testing.T) {
	o, err := Trainer{Stages: 1, Atoms: 50, Flat: 0.005, Reductions: []float64{0.7}}.defaults()
	if err != nil {
		t.Fatal(err)
	}
	d := &data{opt: o, progress: func(string, int, int) {}}
	if err := d.open(t.Context(), trainingtest.Drawings(4)); err != nil {
		t.Fatal(err)
	}
	a, before, err := d.learnStage(t.Context(), 0, func(int64) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range d.planes {
		if p.fold == 0 {
			for i := range p.truth {
				p.truth[i] ^= 0x3ff
			}
		}
	}
	after, _, err := d.learnRegressors(t.Context(), a, func(int64) {})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(before[0].maps, after[0].maps) {
		t.Error("the regressors for fold 0 depend on the pictures of fold 0")
	}
	if slices.Equal(before[1].maps, after[1].maps) {
		t.Error("the regressors for fold 1 do not depend on the pictures of fold 0")
	}
	if len(d.planes) != 8 || d.planes[0].fold != d.planes[1].fold || d.planes[1].fold == d.planes[2].fold {
		t.Error("a reduction is not in the fold of its picture, or the folds do not take turns")
	}
}

// The search through centroids finds the best anchor or one nearly as good, and what it
// finds does not depend on which patches are searched for together.
func TestSearch(t *testing.T) {
	const dims, k, n = 12, 600, 3000
	rng := rand.New(rand.NewPCG(3, 1))
	draw := func(count int) []float32 { // directions with unequal axes, as principal components have
		out := make([]float32, count*dims)
		for j := range count {
			row := out[j*dims : (j+1)*dims]
			for i := range row {
				row[i] = float32(rng.NormFloat64() / math.Sqrt(float64(i+1)))
			}
			direction(row, slices.Clone(row))
		}
		return out
	}
	samples := draw(n)
	s := buildSearch(dims, sphericalMeans(dims, samples, k, 5, 1), 1)
	anchors := make([]float32, k*dims) // as bytes hold them
	for c, of := range s.candidates {
		m := len(of) / s.words
		for i, j := range s.lists[c*s.width : (c+1)*s.width] {
			for d := range dims {
				anchors[int(j)*dims+d] = float32(of[d/4*m+i]>>(8*(d%4))&0xff-128) / 127
			}
		}
	}
	z, width := packRows(samples, dims)
	found, again := make([]int32, n), make([]int32, n)
	var scratch searchScratch
	s.find(found, z, width, &scratch)
	for at := 0; at < n; at += 7 {
		s.find(again[at:min(at+7, n)], z[at*width:], width, &scratch)
	}
	if !slices.Equal(found, again) {
		t.Error("the anchors found depend on what is searched for together")
	}
	best, loss := 0, 0.0
	for j := range n {
		dot := func(of int) float64 {
			sum := 0.0
			for d := range dims {
				sum += float64(samples[j*dims+d]) * float64(anchors[of*dims+d])
			}
			return sum
		}
		top := math.Inf(-1)
		for of := range k {
			top = max(top, dot(of))
		}
		if got := dot(int(found[j])); top-got < 1e-6 {
			best++
		} else {
			loss += top - got
		}
	}
	t.Logf("the best of %d anchors for %.1f %% of the samples, mean loss %.4f", k, 100*float64(best)/n, loss/n)
	if float64(best) < 0.9*n || loss/n > 0.01 {
		t.Errorf("the best anchor for %d of %d samples, mean loss %.4f", best, n, loss/n)
	}
}

// Rounding to bytes errs by half a step at most.
func TestPacking(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	v := make([]float32, 500)
	for i := range v {
		v[i] = float32(rng.NormFloat64() * math.Exp(3*rng.NormFloat64()))
	}
	packed := make([]int8, len(v))
	step := packRow(packed, v)
	for i, x := range v {
		if math.Abs(float64(x-step*float32(packed[i]))) > 0.5001*float64(step) {
			t.Errorf("%g became %g, the step is %g", x, step*float32(packed[i]), step)
		}
	}
	if step := packRow(packed[:3], []float32{0, 0, 0}); step != 0 || packed[0] != packed[2] {
		t.Error("zeros are not packed as zeros")
	}
}

// Any learner gives anchors.
func TestAnchorsFromLearners(t *testing.T) {
	for _, learner := range []string{"ksvd", "mod", "rop"} {
		m, err := fit.Model(t.Context(), trainingtest.Drawings(4), Trainer{Stages: 1, Atoms: 40, Learner: learner, Iterations: 3, BackProject: 1, Flat: 0.005, Reductions: []float64{}}, fit.Options{HeldOut: 1})
		if err != nil {
			t.Errorf("%s: %v", learner, err)
			continue
		}
		s := m.Provenance.Score
		t.Logf("%s: %.2f dB, bicubic %.2f", learner, s.Model.PSNR, s.Bicubic.PSNR)
		if s.Model.PSNR < s.Bicubic.PSNR+1 {
			t.Errorf("%s: %.2f dB, bicubic %.2f", learner, s.Model.PSNR, s.Bicubic.PSNR)
		}
	}
}

// Training that was interrupted goes on, to the same bytes; what another run kept is
// passed over.
func TestInterruptedTraining(t *testing.T) {
	o := Trainer{Stages: 3, Atoms: 40, BackProject: 1, Flat: 0.005, Seed: 3, Reductions: []float64{}}
	whole, err := fit.Model(t.Context(), trainingtest.Drawings(3), o, fit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := save(t, whole)
	var kept [][]byte
	stop := errors.New("stop")
	o.Keep = func(data []byte) error {
		if kept = append(kept, data); len(kept) == 2 {
			return stop
		}
		return nil
	}
	if _, err := fit.Model(t.Context(), trainingtest.Drawings(3), o, fit.Options{}); !errors.Is(err, stop) {
		t.Fatal(err)
	}
	other := o
	other.Keep, other.Seed = nil, 4
	fresh, err := fit.Model(t.Context(), trainingtest.Drawings(3), other, fit.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, data := range append(kept, []byte("damaged")) {
		calls := 0
		o.Keep = func([]byte) error { calls++; return nil }
		o.Kept = data
		m, err := fit.Model(t.Context(), trainingtest.Drawings(3), o, fit.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(want, save(t, m)) {
			t.Errorf("going on after %d stages gives other bytes", i+1)
		}
		if expect := []int{1, 0, 2}[i]; calls != expect {
			t.Errorf("going on after %d stages keeps %d, expected %d", i+1, calls, expect)
		}
		other.Kept = data
		if m, err := fit.Model(t.Context(), trainingtest.Drawings(3), other, fit.Options{}); err != nil || !bytes.Equal(save(t, fresh), save(t, m)) {
			t.Errorf("another run takes what was kept (%v)", err)
		}
	}
}

// Qualities fill their range evenly, and JPEG changes what is learned from.
func TestTrainingThroughJPEG(t *testing.T) {
	o := Trainer{JPEG: [2]int{60, 95}}
	seen := map[int]int{}
	for n := range 360 {
		seen[o.jpegQuality(n)]++
	}
	for q := 60; q <= 95; q++ {
		if seen[q] < 8 || seen[q] > 12 {
			t.Errorf("quality %d %d times of 360, expected 10", q, seen[q])
		}
	}
	if len(seen) != 36 || (Trainer{}).jpegQuality(3) != 0 {
		t.Errorf("%d qualities", len(seen))
	}
	flat := plane.New(16, 16)
	for i := range flat.Pix {
		flat.Pix[i] = float32((i/16*40+i%16*90)%256) / 255
	}
	worse := 0.0
	for _, quality := range []int{100, 50} {
		got, err := throughJPEG(flat, quality)
		if err != nil {
			t.Fatal(err)
		}
		e := score.NFE(flat, got)
		if e <= worse || quality == 100 && e > 1e-3 {
			t.Errorf("quality %d leaves an error of %g", quality, e)
		}
		worse = e
	}
}

func TestTrainCascadeRefuses(t *testing.T) {
	flat := []training.Source{}
	for range 2 {
		flat = append(flat, training.Source{Name: "flat", Open: func(context.Context) (image.Image, error) {
			return testimage.Gray(40, 40, func(x, y int) uint8 { return 9 }), nil
		}})
	}
	for name, c := range map[string]struct {
		s    []training.Source
		o    Trainer
		want error
	}{
		"one picture": {trainingtest.Drawings(1), Trainer{Stages: 1, Atoms: 8}, training.ErrPictures},
		"flat":        {flat, Trainer{Stages: 1, Atoms: 8}, training.ErrPictures},
		"few patches": {trainingtest.Drawings(2), Trainer{Stages: 1, Atoms: 9000, Reductions: []float64{}}, training.ErrPictures},
		"memory":      {trainingtest.Drawings(2), Trainer{Stages: 1, Atoms: 8, MaxMemory: 1 << 20}, training.ErrMemory},
		"stages":      {trainingtest.Drawings(2), Trainer{Stages: 17}, plugin.ErrSettings},
		"size":        {trainingtest.Drawings(2), Trainer{Stages: 9, Atoms: maxAnchors}, plugin.ErrSettings},
		"even patch":  {trainingtest.Drawings(2), Trainer{Stages: 1, Patch: 8}, plugin.ErrSettings},
		"symmetries":  {trainingtest.Drawings(2), Trainer{Stages: 1, Symmetries: "some"}, plugin.ErrSettings},
		"learner":     {trainingtest.Drawings(2), Trainer{Stages: 1, Learner: "ksdv"}, plugin.ErrSettings},
		"reduction":   {trainingtest.Drawings(2), Trainer{Stages: 1, Reductions: []float64{1}}, plugin.ErrSettings},
	} {
		if m, err := fit.Model(t.Context(), c.s, c.o, fit.Options{}); !errors.Is(err, c.want) || m != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
