package flaws

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"slices"

	"github.com/disintegration/imaging"

	"superres/internal/parallel"
	"superres/internal/picture"
	"superres/patches/plane"
	"superres/superres/resample"
)

// Double returns img enlarged by 2.
type Double func(ctx context.Context, img image.Image) (image.Image, error)

// Doubles enlarge by plain interpolation, by a model for clean pictures, and by a robust one. They are called
// concurrently.
type Doubles struct{ Plain, Clean, Robust Double }

// What two models make of a picture tells more of it than its samples do. The clean model takes all pictures for
// clean; the robust one has learned from sharpened pictures and others as well, and adds little to a picture that it
// takes for one of them. With B the plain interpolation and C and R the results of the two models, the share that
// both add is
//
//	⟨R − B, C − B⟩ / ‖C − B‖².
//
// Of a clean picture L, C reduced by D is L itself, because clean models are trained for exactly that, while B
// reduced by D is not. The part of the difference that is left,
//
//	⟨DC − L, DB − L⟩ / ‖DB − L‖²,
//
// is larger where the model does not understand the picture, and so are ‖DC − L‖² and ‖DR − L‖². All is computed from
// brightness in levels, in the four windows of 72×72 samples with the most detail of at most 16.
const (
	evidenceSide    = 72 // of a window
	evidenceWindows = 4  // of those with the most detail
	evidenceGrid    = 4  // windows looked at along a side, at most
	evidenceEdge    = 3  // samples at the edge of a window that do not count

	evidenceTraits = 7
)

// evidence has sums, over samples in levels, of products and squares of what the models add (both, clean, robust) and
// of what is left after reducing their results: ⟨DC − L, DB − L⟩ (left), and the squares of DB − L, DC − L and DR −
// L.
type evidence struct {
	both, clean, robust                    int64
	left, leftPlain, leftClean, leftRobust int64
	count                                  int64 // of samples of the window
}

// evidenceOf returns the traits that two models give a picture.
func evidenceOf(ctx context.Context, img image.Image, by Doubles) ([]int32, error) {
	var all evidence
	err := parallel.Each(ctx, findBusiest(img), by.judge, func(e evidence) error {
		all.both, all.clean, all.robust = all.both+e.both, all.clean+e.clean, all.robust+e.robust
		all.left, all.leftPlain = all.left+e.left, all.leftPlain+e.leftPlain
		all.leftClean, all.leftRobust = all.leftClean+e.leftClean, all.leftRobust+e.leftRobust
		all.count += e.count
		return nil
	})
	perSample := func(sum int64) int32 { return logarithm(256*sum/max(all.count, 1) + 1) }
	return []int32{
		limitedRatio(all.both, all.clean+1), logarithm(all.robust+1) - logarithm(all.clean+1),
		limitedRatio(16*all.left, all.leftPlain+1), perSample(all.clean) / 2,
		perSample(all.leftPlain), perSample(all.leftClean), perSample(all.leftRobust),
	}, err
}

// limitedRatio is ratio, limited to ±4.
func limitedRatio(a, b int64) int32 { return min(max(ratio(a, b), -4*traitOne), 4*traitOne) }

// judge returns the evidence of a window.
func (by Doubles) judge(ctx context.Context, window *image.Gray) (e evidence, err error) {
	var shown [3]*image.Gray
	for i, double := range []Double{by.Plain, by.Clean, by.Robust} {
		big, err := double(ctx, window)
		if err != nil {
			return e, err
		}
		gray, ok := big.(*image.Gray)
		if !ok || gray.Rect.Size() != window.Rect.Size().Mul(2) {
			return e, fmt.Errorf("flaws: %T of %v, expected one of grey values twice as large as %v", big, big.Bounds(),
				window.Rect)
		}
		shown[i] = gray
	}
	e.both, e.clean = sumProducts(shown[2], shown[1], shown[0], 2*evidenceEdge)
	_, e.robust = sumProducts(shown[2], shown[2], shown[0], 2*evidenceEdge)
	plain, clean, robust := reduceGray(shown[0]), reduceGray(shown[1]), reduceGray(shown[2])
	e.left, e.leftPlain = sumProducts(clean, plain, window, evidenceEdge)
	_, e.leftClean = sumProducts(clean, clean, window, evidenceEdge)
	_, e.leftRobust = sumProducts(robust, robust, window, evidenceEdge)
	e.count = int64(window.Rect.Dx() * window.Rect.Dy())
	return e, nil
}

// reduceGray returns g reduced by 2.
func reduceGray(g *image.Gray) *image.Gray {
	return asGray(resample.Cubic.Reduce(picture.Split(g).Channels[0], 2))
}

// sumProducts returns ⟨a − o, b − o⟩ and ‖b − o‖², without the samples that lie at most edge from a side.
func sumProducts(a, b, o *image.Gray, edge int) (product, square int64) {
	for y := edge; y < o.Rect.Dy()-edge; y++ {
		for x := edge; x < o.Rect.Dx()-edge; x++ {
			at := func(g *image.Gray) int64 { return int64(g.Pix[y*g.Stride+x]) }
			d := at(b) - at(o)
			product += d * (at(a) - at(o))
			square += d * d
		}
	}
	return product, square
}

// findBusiest returns the evidenceWindows windows of img with the most detail.
func findBusiest(img image.Image) (list []*image.Gray) {
	type window struct {
		gray   *image.Gray
		energy int64
	}
	var all []window
	b := img.Bounds()
	if min(b.Dx(), b.Dy()) < 16 {
		return nil
	}
	for _, y := range listStarts(b.Dy(), evidenceSide, evidenceGrid) {
		for _, x := range listStarts(b.Dx(), evidenceSide, evidenceGrid) {
			part := image.Rect(x, y, x+min(b.Dx(), evidenceSide), y+min(b.Dy(), evidenceSide)).Add(b.Min)
			gray := cropLuma(img, part)
			all = append(all, window{gray, detail(gray)})
		}
	}
	slices.SortStableFunc(all, func(a, b window) int { return cmp.Compare(b.energy, a.energy) })
	for _, w := range all[:min(len(all), evidenceWindows)] {
		list = append(list, w.gray)
	}
	return list
}

// listStarts returns the offsets, in samples, of at most most windows along a side.
func listStarts(side, window, most int) (list []int) {
	free := max(side-window, 0)
	n := min(max(side/window, 1), most)
	for i := range n {
		if n == 1 {
			return []int{free / 2}
		}
		list = append(list, i*free/(n-1))
	}
	return list
}

// cropLuma returns the brightness of a part of a picture, in 8 bits.
func cropLuma(img image.Image, part image.Rectangle) *image.Gray {
	return asGray(picture.Split(imaging.Crop(img, part)).Luma())
}

func asGray(p *plane.Plane) *image.Gray {
	return picture.Picture{Channels: []*plane.Plane{p}}.Image().(*image.Gray)
}

// detail returns the sum over all samples of the squared difference from the mean of the four neighbours.
func detail(g *image.Gray) (sum int64) {
	for y := 1; y < g.Rect.Dy()-1; y++ {
		for x := 1; x < g.Rect.Dx()-1; x++ {
			at := func(u, v int) int64 { return int64(g.Pix[(y+v)*g.Stride+x+u]) }
			d := 4*at(0, 0) - at(-1, 0) - at(1, 0) - at(0, -1) - at(0, 1)
			sum += d * d
		}
	}
	return sum
}
