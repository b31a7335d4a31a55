package flaws

import (
	"image"
	"math"

	"github.com/disintegration/imaging"

	"superres/internal/parallel"
	"superres/internal/picture"
	"superres/patches/plane"
)

// Flaws is what is wrong with a picture.
type Flaws struct {
	// Noise is the deviation of its noise in brightness, in levels of 255; 0: none is there
	// beyond doubt.
	Noise float64
	// Likely is what Noise would be if it took no more than a first sight: for those who have
	// evidence of their own, as in a second picture of the same.
	Likely float64
	// ColourNoise is that of its noise in colour, the root mean square of that in Cb and in Cr;
	// 0: none is there beyond doubt. As much is in colour as in brightness where the noise of
	// red, green and blue has nothing to do with each other.
	ColourNoise float64
	// Quality is that of the JPEG file that took most from it, 1 to 100 as libjpeg counts; 0:
	// none is seen.
	Quality int
	// Loss is the deviation of what that file took, in levels of 255.
	Loss float64
	// WebP is the index of the steps of the lossy WebP file that the picture comes out of, 1 to
	// 127; 0: of another file.
	WebP float64
	// Halved tells that colour was once kept at half the resolution of brightness, in both
	// directions, as most JPEG files do.
	Halved bool
	// Sharpened is set by those who ask Sharpened; Measure does not.
	Sharpened bool

	somewhere bool // there is noise, though it may not be everywhere
}

// OutOfWebP returns the flaws of a picture that comes out of a lossy WebP file whose quantiser
// has an index, 1 to 127, the mean of those of its segments. What was lost is estimated from
// that alone: of 13 pictures, reduced by 2 and by 4, it is within 7 % of the mean at all
// qualities up to 95 of cwebp, and of single ones within 30 %.
func (f Flaws) OutOfWebP(index float64) Flaws {
	f.WebP = index
	f.Loss = max(f.Loss, 0.9+float64(0.115*index))
	return f
}

// worst is the deviation whose level is 1.
const worst = 25

// Level is how much there is to be taken away, 0 to 1, as stage.Tuning has it: the deviation
// of noise and loss together, of 25 levels, in steps of 1/64.
func (f Flaws) Level() float64 { return f.levelOf(f.Noise) }

// ColourLevel is Level for what enlarges colour: no less than that of brightness.
func (f Flaws) ColourLevel() float64 { return f.levelOf(max(f.Noise, f.ColourNoise)) }

func (f Flaws) levelOf(noise float64) float64 {
	v := math.Sqrt(float64(noise*noise)+float64(f.Loss*f.Loss)) / worst
	return min(math.Round(64*v)/64, 1)
}

// Measure measures a picture, or nine parts all over a large one. quality is that of the JPEG
// file that it comes out of, 1 to 100; 0: of another file.
func Measure(img image.Image, quality int) Flaws {
	return measure(parts(img), quality)
}

// measure measures parts of a picture, each of which begins at a multiple of 8 samples from
// the first.
func measure(shown []picture.Picture, quality int) (f Flaws) {
	luma := make([]*plane.Plane, len(shown))
	for i, p := range shown {
		luma[i] = p.Luma()
	}
	smooth := parallel.Start(func() bool { return halved(shown) })
	inColour := parallel.Start(func() float64 { return colourNoise(shown, luma) })
	var list []*samples
	for _, l := range luma {
		list = append(list, newSamples(l, len(luma)))
	}
	estimate, somewhere := estimateNoise(list, limits)
	f.somewhere = somewhere
	f.Quality, f.Loss = file(list, quality)
	f.Halved, f.ColourNoise = smooth(), inColour()
	f.Noise, f.Likely = believed(list, estimate, f), estimate
	return f
}

// parts are the whole of a picture, or nine parts all over a large one.
func parts(img image.Image) (list []picture.Picture) {
	b := img.Bounds()
	for _, y := range windows(b.Dy()) {
		for _, x := range windows(b.Dx()) {
			part := image.Rect(b.Min.X+x.lo, b.Min.Y+y.lo, b.Min.X+x.hi, b.Min.Y+y.hi)
			list = append(list, picture.Split(imaging.Crop(img, part)))
		}
	}
	return list
}

// window is a part of a side.
type window struct{ lo, hi int }

// windows are three parts of a long side, which begin at multiples of 8, or the whole.
func windows(side int) (list []window) {
	const count, part = 3, 320
	if side <= count*part {
		return []window{{0, side}}
	}
	for i := range count {
		at := i * (side - part) / (count - 1) &^ 7
		list = append(list, window{at, at + part})
	}
	return list
}

// samples are those of a part of a picture in quarters of a level.
type samples struct {
	w, h  int
	pix   []int32
	parts int // that there are
}

const unit = 4 // of a level

func newSamples(luma *plane.Plane, parts int) *samples {
	p := &samples{luma.W, luma.H, make([]int32, luma.W*luma.H), parts}
	for y := range luma.H {
		to := p.pix[y*p.w:][:p.w]
		for x, v := range luma.Row(y) {
			to[x] = int32(float32(255*unit*min(max(v, 0), 1)) + 0.5)
		}
	}
	return p
}

// spread visits places (x, y) that are multiples of step from (x0, y0) on, with margin samples
// beyond side×side from there, and about most of them in all parts.
func (p *samples) spread(x0, y0, step, margin, side, most int, visit func(x, y int)) {
	if p.w < x0+side+margin || p.h < y0+side+margin {
		return
	}
	cols, rows := (p.w-x0-side-margin)/step+1, (p.h-y0-side-margin)/step+1
	every := max(1, (cols*rows*p.parts+most-1)/most)
	for i := 0; i < cols*rows; i += every {
		// Every n-th place would be in the same columns where their number is a multiple of n.
		x := (i%cols + i/cols) % cols
		visit(x0+x*step, y0+i/cols*step)
	}
}
