package learning

import (
	"bytes"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"superres/internal/golden"
	"superres/internal/must"
	"superres/internal/picture"
	"superres/internal/testimage"
	"superres/superres/flaws/learned"
)

// A judge learns from planted samples which trait tells which of the three results is right.
func TestFitFindsWhatMatters(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var list []sample
	for range 600 {
		s := sample{Kind: "clean", Traits: make([]int32, 60)}
		for i := range s.Traits {
			s.Traits[i] = int32(rng.IntN(512))
		}
		// The clean result adds c, the robust one r; the truth is one of them or neither.
		const c, r = 10., 3.
		e := 0.
		switch {
		case s.Traits[5] > 340:
			e = c
		case s.Traits[5] > 170:
			e = r
		}
		s.Truth, s.Interpolated = e*e+1, [2]float64{e*e + 1, 1e4}
		for i, a := range [results]float64{c, r} {
			s.WithTruth[i] = a * e
			for j, b := range [results]float64{c, r} {
				s.Products[i][j] = a * b
			}
		}
		list = append(list, s)
	}
	small := fitting{steps: 1500, batch: 32, rate: 1e-2, noise: 0.1, hidden: 24, seeds: []uint64{1}}
	j := fitShares(small, list)
	byJudge, alone := 0., 0.
	for _, s := range list {
		shares := j.Shares(s.Traits)
		byJudge += s.squaredError(shares)
		alone += min(s.squaredError(learned.Shares{Robust: 1}), s.squaredError(learned.Shares{Clean: 1}))
	}
	if n := float64(len(list)); byJudge/n > 1.3 {
		t.Errorf("mean squared error %g; with one of the two models %g, the least is 1", byJudge/n, alone/n)
	}
}

// The slopes of the squared error by the shares, and of the loss by the squared error, agree with differences.
func TestSlopesOfShares(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	s := sample{Truth: 40}
	for i := range results {
		s.WithTruth[i] = rng.NormFloat64()
		for j := range i + 1 {
			s.Products[i][j] = rng.NormFloat64()
			s.Products[j][i] = s.Products[i][j]
		}
	}
	at := learned.Shares{Clean: 0.3, Robust: 0.5}
	slopes := s.slopes(at)
	const h = 1e-5
	for name, c := range map[string]struct {
		by   learned.Shares
		want float64
	}{
		"clean":  {learned.Shares{Clean: at.Clean + h, Robust: at.Robust}, slopes.Clean},
		"robust": {learned.Shares{Clean: at.Clean, Robust: at.Robust + h}, slopes.Robust},
	} {
		more := s.squaredError(c.by) - s.squaredError(at)
		if got := more / h; math.Abs(got-c.want) > 1e-3 {
			t.Errorf("the slope by %s is %g, by differences %g", name, c.want, got)
		}
		for _, s.Kind = range []string{"clean", "noise"} {
			before, slope := s.loss(at)
			if after, _ := s.loss(c.by); math.Abs((after-before)/more-slope) > 1e-3 {
				t.Errorf("the slope of the loss of %s by %s is %g, by differences %g", s.Kind, name, slope,
					(after-before)/more)
			}
		}
	}
}

// Corrections are learned from planted samples, of which one trait tells whether they were blurred.
func TestFitFindsCorrections(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var list []correctionSample
	for range 400 {
		c := correctionSample{Kind: "blurred", Traits: make([]int32, 20), Rest: 100}
		for i := range c.Traits {
			c.Traits[i] = int32(rng.IntN(512))
		}
		for i := range c.Gains {
			c.Gains[i], c.Powers[i] = float64(c.Traits[3]/256*2), 40
		}
		list = append(list, c)
	}
	small := fitting{steps: 400, batch: 32, rate: 1e-2, noise: 0.1, hidden: 8, seeds: []uint64{1}}
	p := fitCorrections(small, list)
	without, with := 0.0, 0.0
	for _, c := range list {
		said := make([]float64, len(c.Gains))
		without += c.lost(said)
		for i, v := range p.Correction(c.Traits) {
			said[i] = float64(v) / 256
		}
		with += c.lost(said)
	}
	if with > without/4 {
		t.Errorf("%.2f dB are lost, without corrections %.2f", with/400, without/400)
	}
}

// The slopes of the squared error agree with differences.
func TestSlopesOfCorrections(t *testing.T) {
	c := correctionSample{Rest: 3, Noise: 2}
	at := make([]float64, len(c.Gains))
	for i := range at {
		c.Gains[i], c.Powers[i], at[i] = 0.3*float64(i), 7, 0.2*float64(i)-0.3
	}
	_, slopes := c.squaredError(at)
	for i, v := range at {
		const h = 1e-5
		at[i] = v + h
		above, _ := c.squaredError(at)
		at[i] = v - h
		below, _ := c.squaredError(at)
		at[i] = v
		if got := (above - below) / (2 * h); math.Abs(got-slopes[i]) > 1e-4*(1+math.Abs(got)) {
			t.Errorf("slope %d is %g, by differences %g", i, slopes[i], got)
		}
	}
}

// Strengths are learned from planted samples, whose error is least at a strength that one trait tells.
func TestFitFindsStrengths(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var list []strengthSample
	for range 400 {
		s := strengthSample{Traits: make([]int32, 20)}
		for i := range s.Traits {
			s.Traits[i] = int32(rng.IntN(512))
		}
		best := 0.1 + 0.8*float64(s.Traits[7])/512
		for i := range s.Errors {
			off := float64(i)/strengthSteps - best
			s.Errors[i] = 10 + 200*off*off
		}
		list = append(list, s)
	}
	small := fitting{steps: 800, batch: 32, rate: 1e-2, noise: 0.02, hidden: 8, seeds: []uint64{1}}
	p := fitStrengths(small, list)
	for _, s := range list {
		want, _ := s.errorAt(0.1 + 0.8*float64(s.Traits[7])/512)
		if got, _ := s.errorAt(math.Sqrt(p.Strength(s.Traits))); got > 1.3*want {
			t.Fatalf("trait %d: an error of %g at strength %g, the least is %g", s.Traits[7], got,
				p.Strength(s.Traits), want)
		}
	}
}

// Each file is made from a photograph and drawings, the same each time, and can be read.
func TestMake(t *testing.T) {
	o := Options{Folders: []string{pictures(t)}, Share: 0.000025, Report: io.Discard}
	for _, name := range Files() {
		made := must.Get(Make(t.Context(), name, o))(t)
		if path.Ext(name) == ".npz" { // that these are the same each time, package convolutional/learning tests
			must.Get(learned.ReadSoftener(made))(t)
			continue
		}
		if again := must.Get(Make(t.Context(), name, o))(t); !bytes.Equal(made, again) {
			t.Errorf("%s differs from one run to the next", name)
		}
		p := must.Get(learned.ReadPerceptron(bytes.NewReader(made)))(t)
		embedded := map[string]*learned.Perceptron{"correction.bin": learned.Corrector(),
			"strength.bin": learned.Assessor(), "judge.bin": learned.Judge()}[name]
		if len(p.Least) != len(embedded.Least) || len(p.First) != len(embedded.First) ||
			len(p.Second) != len(embedded.Second) {
			t.Errorf("%s: %d traits, %d hidden numbers, %d outputs, embedded are %d, %d, %d", name, len(p.Least),
				len(p.First), len(p.Second), len(embedded.Least), len(embedded.First), len(embedded.Second))
		}
	}
	for _, err := range []error{
		second(Make(t.Context(), "traits.bin", o)),
		second(Make(t.Context(), "judge.bin", Options{Folders: []string{t.TempDir()}, Share: 1})),
	} {
		if err == nil {
			t.Error("no error")
		}
	}
}

func second[T any](_ T, err error) error { return err }

// pictures returns a folder with a photograph and a drawing, which is large enough for patches.
func pictures(t *testing.T) string {
	folder := t.TempDir()
	photograph := must.Get(os.ReadFile(filepath.Join(golden.Root(t), "testdata", "hopper.png")))(t)
	must.Succeed(t, os.WriteFile(filepath.Join(folder, "hopper.png"), photograph, 0o666))
	f := must.Get(os.Create(filepath.Join(folder, "drawing.png")))(t)
	must.Succeed(t, png.Encode(f, testimage.Drawing(320, 280, 2)))
	must.Succeed(t, f.Close())
	return folder
}

// A report has a line for each kind of damage that was drawn, and the bounds of each scale.
func TestCheck(t *testing.T) {
	var b strings.Builder
	must.Succeed(t, Check(t.Context(), &b, Options{Folders: []string{pictures(t)}, Share: 0.001}))
	for _, want := range []string{"~all", "×2", "×3", "×4"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// The slopes of the loss of a softener agree with differences.
func TestSlopesOfSoftener(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const samples = 5
	results := make([]float32, samples*learned.SoftenerResults)
	for i := range results {
		results[i] = 0.1 * float32(rng.NormFloat64())
	}
	slopes, none := make([]float32, len(results)), make([]float32, len(results))
	l := &softenerLesson{class: 2}
	before := l.Grade(results, slopes)
	for i := range results {
		const h = 1e-3
		kept := results[i]
		results[i] += h
		got := (l.Grade(results, none) - before) / float64(results[i]-kept)
		if results[i] = kept; math.Abs(got-float64(slopes[i])) > 0.02+0.02*math.Abs(got) {
			t.Errorf("sample %d, result %d: slope %g, by differences %g", i/learned.SoftenerResults,
				i%learned.SoftenerResults, slopes[i], got)
		}
	}
}

// A softener learns from pairs of patches: the first as it was reduced, the second sharpened, from the same place.
func TestSoftenerLessons(t *testing.T) {
	s := &sampler{part: part{seed: 5}}
	s.pictures = append(s.pictures, picture.Split(testimage.Drawing(200, 180, 2)).Luma())
	lessons := s.newSoftenerLessons()
	seen := map[int]int{}
	for step := range 200 {
		soft, sharp := lessons.pick(step, 0), lessons.pick(step, 1)
		if soft.class != 0 || sharp.class == 0 || soft.x != sharp.x || soft.y != sharp.y || soft.flips != sharp.flips {
			t.Fatalf("step %d: classes %d and %d, at (%d, %d) and (%d, %d)", step, soft.class, sharp.class, soft.x,
				soft.y, sharp.x, sharp.y)
		}
		seen[sharp.class]++
	}
	if len(seen) != classCount-1 {
		t.Errorf("classes %v, expected %d", seen, classCount-1)
	}
	for class, c := range lessons.sharpenings(100) {
		if (c == learned.Sharpening{}) != (class == 0) || class > 0 && c.Correction.Sharpening() < 1.05 {
			t.Errorf("what is done to class %d is %v", class, c)
		}
	}
}
