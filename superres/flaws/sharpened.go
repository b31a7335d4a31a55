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

// The constants of Sharpened. Note: of 37 photographs (Set5, open-valid and Kodak's, at most 960 pixels wide and high)
// and of the 91 small pictures of T91, reduced, and then sharpened by so much of what a Gaussian of one sample takes
// away; by photo-fast and photo-real. PSNR of the 37 at ×2, and of the last line at ×4:
//
//	found               of 37  of 91   bicubic  photo  by photo-real where found
//	reduced by 2        1      1       31.21    34.17  34.15
//	reduced by 4        1      0
//	sharpened by 0.3    43 %   5 %     31.63    32.69  32.74
//	0.5                 73 %   22 %    31.43    31.10  32.23
//	0.7                 84 %   31 %    30.96    29.59  31.90
//	1                   95 %   57 %    29.96    27.65  31.55
//	1.5                 97 %   85 %    28.15    25.20  30.47
//	the middle of 4×4   100 %  84 %    26.74    25.27  27.06
//
// Of 60 drawings none is found, of 60 reduced by 2 (package drawings) 6. The clean ones that are found have wild water
// and the like: kodim13 twice, and, with the pictures that the networks learned from, reduced by 2 and by 4, 6 of 502.
// But of sets that nothing here was chosen by, 10 of 274 clean ones are found, which lose 1.2 dB each by photo-real: so
// the answer is good enough for a hint to users, but not for choosing a model.
const (
	sharpenedSide    = 72 // of a window
	sharpenedWindows = 4  // of those with the most detail
	sharpenedGrid    = 4  // windows looked at along a side, at most
	sharpenedEdge    = 3  // samples at the edge of a window that do not count

	sharpenedMost = 0.41 // share
	leftCounts    = 1.5  // how often the part that is left is subtracted
	leftMost      = 0.08 // the most of that part that is subtracted
	leftDrawn     = 0.4  // least part left that means a drawing: drawings have 0.5 to 0.8, photographs at most 0.36
)

// Sharpened reports whether img has more contrast in its finest detail than a clean picture of its size would have,
// because it was sharpened, or reduced without antialiasing. Adding detail makes such pictures worse.
//
// Statistics of samples do not tell such pictures from clean ones: ridge regression on 21 of them found one in ten of
// the pictures sharpened by 1.0, at one of 100 clean pictures. Two networks do. The clean model takes all pictures for
// clean; the robust model has learned from sharpened pictures as well, and adds little to a picture that it takes for
// one of them. With B the plain interpolation and C and R the results of the two models, the share that both add is
//
//	⟨R − B, C − B⟩ / ‖C − B‖².
//
// Of a clean picture L, C reduced by D is L itself, because clean models are trained for exactly that, while B reduced
// by D is not. The part of the difference that is left,
//
//	⟨DC − L, DB − L⟩ / ‖DB − L‖²,
//
// is larger where the model does not understand the picture. The picture was sharpened where the share, less leftCounts
// times the part that is left, is below sharpenedMost; but not if the part that is left is large, as in screenshots and
// drawings. All is computed from brightness in levels, in four windows of 72×72 samples, those with the most detail of
// at most 16. A picture narrower than 16 samples, or of one colour, was not sharpened. plain, clean and robust are
// called concurrently; Sharpened returns their errors, and ctx.Err() when ctx ends.
func Sharpened(ctx context.Context, img image.Image, plain, clean, robust Double) (bool, error) {
	var all evidence
	err := parallel.Each(ctx, findBusiest(img), func(ctx context.Context, window *image.Gray) (evidence, error) {
		return judge(ctx, window, plain, clean, robust)
	}, func(e evidence) error {
		all.both, all.clean = all.both+e.both, all.clean+e.clean
		all.left, all.plain = all.left+e.left, all.plain+e.plain
		return nil
	})
	if err != nil || all.clean == 0 || all.plain == 0 {
		return false, err
	}
	share, left := float64(all.both)/float64(all.clean), float64(all.left)/float64(all.plain)
	return left < leftDrawn && share-float64(leftCounts*min(left, leftMost)) < sharpenedMost, nil
}

// evidence has sums, over samples in levels, of products and squares of what the models add (both, clean) and of what
// is left after reducing their results (left, plain).
type evidence struct{ both, clean, left, plain int64 }

// judge returns the evidence of a window.
func judge(ctx context.Context, window *image.Gray, plain, clean, robust Double) (e evidence, err error) {
	var shown [3]*image.Gray
	for i, double := range []Double{plain, clean, robust} {
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
	e.both, e.clean = sumProducts(shown[2], shown[1], shown[0], 2*sharpenedEdge)
	e.left, e.plain = sumProducts(reduceGray(shown[1]), reduceGray(shown[0]), window, sharpenedEdge)
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

// findBusiest returns the sharpenedWindows windows of img with the most detail.
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
	for _, y := range listStarts(b.Dy()) {
		for _, x := range listStarts(b.Dx()) {
			part := image.Rect(x, y, x+min(b.Dx(), sharpenedSide), y+min(b.Dy(), sharpenedSide)).Add(b.Min)
			gray := cropLuma(img, part)
			all = append(all, window{gray, detail(gray)})
		}
	}
	slices.SortStableFunc(all, func(a, b window) int { return cmp.Compare(b.energy, a.energy) })
	for _, w := range all[:min(len(all), sharpenedWindows)] {
		list = append(list, w.gray)
	}
	return list
}

// listStarts returns the offsets of windows along a side, in samples.
func listStarts(side int) (list []int) {
	free := max(side-sharpenedSide, 0)
	n := min(max(side/sharpenedSide, 1), sharpenedGrid)
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
