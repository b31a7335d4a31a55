package learning

import (
	"context"
	"fmt"
	"image"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"text/tabwriter"

	"superres/internal/elementary"
	"superres/internal/picture"
	"superres/patches/plane"
	"superres/superres"
	"superres/superres/flaws"
)

// pixel is a pixel of an enlargement: the signs (features) from which its error is estimated, the error, and the bound
// that this program states for the error, in levels (0 to 255).
type pixel struct {
	signs        [superres.SignCount]float64
	error, bound float64
}

// pixelsEach is how many pixels of each picture are sampled.
const pixelsEach = 400

// Bounds returns the weights of superres.Signs at the scales 2, 3 and 4, learned from the errors that this program
// makes in parts of photographs.
func Bounds(ctx context.Context, o Options) (weights [3][superres.SignCount]float64, err error) {
	s, err := newSampler(o.Folders, true)
	if err != nil {
		return weights, err
	}
	s.seed = 5
	for i := range weights {
		byKind, err := s.pixels(ctx, i+2, o.of(600))
		if err != nil {
			return weights, err
		}
		weights[i] = regress(ofAllKinds(byKind), superres.BoundShare)
	}
	return weights, nil
}

// pixels picks random pixels in count degraded parts of pictures, and returns them by the kind of degradation.
func (s *sampler) pixels(ctx context.Context, scale, count int) (map[string][]pixel, error) {
	type ofKind struct {
		kind string
		list []pixel
	}
	parts, err := samples(ctx, count, func(ctx context.Context, number int) (ofKind, error) {
		rng := rand.New(rand.NewPCG(s.seed, uint64(number)))
		truth, kind := s.pick(rng, scale)
		list, err := samplePixels(ctx, s.auto, scale, greyOf(reduce(truth, scale, kind, rng)), truth, rng)
		return ofKind{kind, list}, err
	})
	byKind := map[string][]pixel{}
	for _, p := range parts {
		byKind[p.kind] = append(byKind[p.kind], p.list...)
	}
	return byKind, err
}

// ofAllKinds returns the pixels of all kinds, ordered by the names of the kinds.
func ofAllKinds(byKind map[string][]pixel) (all []pixel) {
	for _, kind := range slices.Sorted(maps.Keys(byKind)) {
		all = append(all, byKind[kind]...)
	}
	return all
}

// samplePixels enlarges img by the model auto, and returns random pixels of the result with their errors against truth.
func samplePixels(
	ctx context.Context, auto *superres.Model, scale int, img image.Image, truth *plane.Plane, rng *rand.Rand,
) (list []pixel, err error) {
	x := &flaws.Examination{Picture: img}
	choice, err := auto.Choose(ctx, x, flaws.StepMeasure, flaws.StepSoftening)
	if err != nil {
		return nil, err
	}
	img = choice.Picture
	opt := choice.Apply(superres.Options{Scale: float64(scale)}, image.Point{})
	result, err := choice.Model.Upscale(ctx, img, opt)
	if err != nil {
		return nil, err
	}
	signs := choice.Signs(img, result)
	bounds, luma := signs.ErrorBounds(), picture.Split(result).Luma()
	for range pixelsEach {
		x, y := margin+rng.IntN(truth.W-2*margin), margin+rng.IntN(truth.H-2*margin)
		off := 255 * math.Abs(float64(luma.Row(y)[x]-truth.Row(y)[x]))
		list = append(list, pixel{signs.At(x, y), off, float64(bounds.Row(y)[x])})
	}
	return list, nil
}

// regress returns weights for which the weighted sum of the signs is at least the logarithm of the error in the given
// share of the pixels: quantile regression (R. Koenker, G. Bassett, Regression quantiles, Econometrica 46 (1978)),
// solved by Adam.
func regress(list []pixel, share float64) (weights [superres.SignCount]float64) {
	const steps, least = 3000, 0.25
	logs := make([]float64, len(list))
	for i, p := range list {
		logs[i] = elementary.Log(max(p.error, least))
	}
	var mean, deviation [superres.SignCount]float64
	deviation[0] = 1
	for k := 1; k < len(mean); k++ {
		for _, p := range list {
			mean[k] += p.signs[k] / float64(len(list))
		}
		for _, p := range list {
			deviation[k] += (p.signs[k] - mean[k]) * (p.signs[k] - mean[k]) / float64(len(list))
		}
		deviation[k] = max(math.Sqrt(deviation[k]), 1e-9)
	}
	var w, slope, square [superres.SignCount]float64
	for step := range steps {
		var gradient [superres.SignCount]float64
		for i, p := range list {
			sum := w[0]
			for k := 1; k < len(w); k++ {
				sum += w[k] * (p.signs[k] - mean[k]) / deviation[k]
			}
			pull := 1 - share // for a pixel whose error is below its bound
			if logs[i] > sum {
				pull = -share
			}
			gradient[0] += pull
			for k := 1; k < len(w); k++ {
				gradient[k] += pull * (p.signs[k] - mean[k]) / deviation[k]
			}
		}
		rate := 0.05 * (1 - float64(step)/steps)
		for k, g := range gradient {
			g /= float64(len(list))
			slope[k] += 0.1 * (g - slope[k])
			square[k] += 0.01 * (g*g - square[k])
			w[k] -= rate * slope[k] / (math.Sqrt(square[k]/(1-elementary.Pow(0.99, float64(step+1)))) + 1e-12)
		}
	}
	weights[0] = w[0]
	for k := 1; k < len(w); k++ {
		weights[k] = w[k] / deviation[k]
		weights[0] -= weights[k] * mean[k]
	}
	return weights
}

// reportBounds writes how many pixels of each kind are within their bounds, and how bounds and errors correlate.
func reportBounds(w io.Writer, scale int, byKind map[string][]pixel) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table, "×%d\tpixels\twithin\tmean bound\tmean error\tcorrelation\t\n", scale)
	row := func(name string, list []pixel) {
		within, n := 0.0, float64(len(list))
		var b, e, bb, ee, be float64
		for _, p := range list {
			if p.error <= p.bound {
				within++
			}
			b, e, bb, ee, be = b+p.bound, e+p.error, bb+p.bound*p.bound, ee+p.error*p.error, be+p.bound*p.error
		}
		r := (be - b*e/n) / math.Sqrt((bb-b*b/n)*(ee-e*e/n))
		fmt.Fprintf(table, "%s\t%d\t%.1f %%\t%.2f\t%.2f\t%.2f\t\n", name, len(list), 100*within/n, b/n, e/n, r)
	}
	for _, kind := range slices.Sorted(maps.Keys(byKind)) {
		row(kind, byKind[kind])
	}
	row("all", ofAllKinds(byKind))
	return table.Flush()
}
