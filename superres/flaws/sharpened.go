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
	"superres/patches"
)

// Double enlarges a picture by 2.
type Double func(ctx context.Context, img image.Image) (image.Image, error)

// Where it is looked whether a picture was sharpened, and what tells that it was. Note: of 37
// photographs of half a megapixel and 91 of 0.02 (Set5, open-valid and Kodak's; T91), reduced,
// and then sharpened by so much of what a Gaussian of one sample takes away; in parts of 160×160
// samples; by photo-fast and photo-real. PSNR of the 37 at ×2, and of the last line at ×4:
//
//	found               of 37  of 91   bicubic  photo  as chosen
//	reduced by 2        0      0       30.35    33.46  33.46
//	reduced by 4        0      0
//	sharpened by 0.3    35 %   2 %     30.76    31.89  31.96
//	0.5                 65 %   18 %    30.56    30.29  31.38
//	0.7                 73 %   27 %    30.09    28.78  30.96
//	1                   95 %   45 %    29.11    26.86  31.00
//	1.5                 95 %   77 %    27.34    24.45  29.87
//	the middle of 4×4   81 %   43 %    26.54    25.08  26.41
//
// With photo in the place of photo-fast, and windows of 80×80, as many are found, in twice the
// time; with windows of 64×64 one of the 37 has a share of 0.44 where it was not sharpened.
const (
	sharpenedSide    = 72 // of a window
	sharpenedWindows = 4  // of those with the most detail
	sharpenedGrid    = 4  // windows looked at along a side, at most
	sharpenedEdge    = 6  // pixels at the edge of an enlarged window that do not count
	sharpenedShare   = 46 // of 100
)

// Sharpened tells whether a picture has more contrast in its finest detail than its pixels hold:
// because it was sharpened, or reduced without antialiasing. To make out more detail where there
// is too much of it makes such pictures worse than interpolation.
//
// Measures of samples do not tell them from clean ones: by ridge regression on 21, one in ten of
// those sharpened by 1.0 was found, at one of 100 clean pictures. Two networks do. Trusting
// takes all pictures for clean, wary has learned from such as these as well, and where it takes
// a picture for one of them it adds little. With B what plain interpolation makes of it, T and
// W what they do, the share is
//
//	⟨W − B, T − B⟩ / ‖T − B‖²
//
// over brightness in four windows of 72×72 samples, those with the most detail of at most 16.
// A picture narrower than 16 samples was not sharpened. The errors are those of the three, which
// are called concurrently, and of a context that ends.
func Sharpened(ctx context.Context, img image.Image, plain, trusting, wary Double) (bool, error) {
	var all evidence
	err := parallel.Each(ctx, busiest(img), func(ctx context.Context, window *image.Gray) (evidence, error) {
		return judge(ctx, window, plain, trusting, wary)
	}, func(e evidence) error {
		all.product, all.square = all.product+e.product, all.square+e.square
		return nil
	})
	return err == nil && 100*all.product < sharpenedShare*all.square, err
}

// evidence is ⟨W − B, T − B⟩ and ‖T − B‖², in squares of levels.
type evidence struct{ product, square int64 }

// judge gathers that of a window.
func judge(ctx context.Context, window *image.Gray, plain, trusting, wary Double) (e evidence, err error) {
	var shown [3]*image.Gray
	for i, double := range []Double{plain, trusting, wary} {
		big, err := double(ctx, window)
		if err != nil {
			return e, err
		}
		gray, ok := big.(*image.Gray)
		if !ok || gray.Rect.Size() != window.Rect.Size().Mul(2) {
			return e, fmt.Errorf("flaws: %T of %v, expected one of grey values twice as large as %v", big, big.Bounds(), window.Rect)
		}
		shown[i] = gray
	}
	size := shown[0].Rect.Size()
	for y := sharpenedEdge; y < size.Y-sharpenedEdge; y++ {
		for x := sharpenedEdge; x < size.X-sharpenedEdge; x++ {
			at := func(g *image.Gray) int64 { return int64(g.Pix[y*g.Stride+x]) }
			t := at(shown[1]) - at(shown[0])
			e.product += t * (at(shown[2]) - at(shown[0]))
			e.square += t * t
		}
	}
	return e, nil
}

// busiest are the windows of a picture in which neighbours differ most.
func busiest(img image.Image) (list []*image.Gray) {
	type window struct {
		gray   *image.Gray
		energy int64
	}
	var all []window
	b := img.Bounds()
	if min(b.Dx(), b.Dy()) < 16 {
		return nil
	}
	for _, y := range starts(b.Dy()) {
		for _, x := range starts(b.Dx()) {
			part := image.Rect(x, y, x+min(b.Dx(), sharpenedSide), y+min(b.Dy(), sharpenedSide)).Add(b.Min)
			gray := brightness(img, part)
			all = append(all, window{gray, detail(gray)})
		}
	}
	slices.SortStableFunc(all, func(a, b window) int { return cmp.Compare(b.energy, a.energy) })
	for _, w := range all[:min(len(all), sharpenedWindows)] {
		list = append(list, w.gray)
	}
	return list
}

// starts are where windows begin along a side.
func starts(side int) (list []int) {
	room := max(side-sharpenedSide, 0)
	n := min(max(side/sharpenedSide, 1), sharpenedGrid)
	for i := range n {
		if n == 1 {
			return []int{room / 2}
		}
		list = append(list, i*room/(n-1))
	}
	return list
}

// brightness is that of a part of a picture, in 8 bits.
func brightness(img image.Image, part image.Rectangle) *image.Gray {
	luma := picture.Split(imaging.Crop(img, part)).Luma()
	return picture.Picture{Channels: []*patches.Plane{luma}}.Image().(*image.Gray)
}

// detail is how much a sample differs from the mean of the four around it, squared and summed.
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
