package flaws

import (
	"image"
	"math"

	"superres/internal/parallel"
	"superres/internal/picture"
	"superres/patches/plane"
)

// Flaws are the degradations of a picture. Deviations are standard deviations in levels of 255.
type Flaws struct {
	// Noise is the deviation of the noise in brightness; 0 if it is not certain that there is noise.
	Noise float64
	// Likely is the first estimate of Noise, before uncertain noise is set to 0, for a caller that has evidence of its
	// own, such as a second picture of the same scene.
	Likely float64
	// ColourNoise is the root mean square of the deviations of noise in Cb and in Cr; 0 if it is not certain that there
	// is noise. It is about equal to Noise where the noise of red, green and blue is independent.
	ColourNoise float64
	// Quality is the quality of the JPEG file that changed the picture most, 1 to 100 as libjpeg counts; 0: none found.
	Quality int
	// Loss is the deviation of the change by the JPEG or WebP file.
	Loss float64
	// WebP is the quantiser index of the lossy WebP file that the picture was read from, 1 to 127; 0: another file.
	WebP float64
	// Subsampled reports whether a file that the picture passed through had chroma at half the resolution of luma in
	// both directions, as most JPEG files do.
	Subsampled bool
	// Palette is the deviation of noise that does as much harm as the palette to which a photograph was reduced; 0: it
	// has none.
	Palette float64
	// Repeated is the result of the function of that name, of StepCopies; Measure leaves it at zero.
	Repeated int
	// IsDrawn reports that the picture is a drawing of squares of equal pixels, which callers store here, too. It has
	// no other flaws then, and is enlarged as it is.
	IsDrawn bool
	// Salt is the share of samples that WithoutSalt replaced, which callers store here, too.
	Salt float64
	// Unsharp is the mask that WithoutUnsharp undid, which callers store here, too.
	Unsharp Unsharp

	somewhere bool // some parts of the picture have noise, perhaps not all
}

// outOfWebP returns f for a picture that was read from a lossy WebP file. index, 1 to 127, is the mean quantiser index
// of the file's segments. The loss is estimated from index alone: for 13 pictures, reduced by 2 and by 4, it is within
// 7 % of the mean loss at all qualities up to 95 of cwebp, and within 30 % for single pictures.
func (f Flaws) outOfWebP(index float64) Flaws {
	f.WebP = index
	f.Loss = max(f.Loss, 0.9+float64(0.115*index))
	return f
}

// worst is the deviation, in levels, whose strength is 1.
const worst = 25

// Strength returns the estimated strength of the degradations, 0 to 1, as stage.Tuning takes it: the
// deviation of noise and loss together, or that of a palette, as a share of 25 levels, in steps of 1/64.
func (f Flaws) Strength() float64 { return f.strengthOf(f.Noise) }

// ColourStrength is Strength for the network that enlarges colour. It is never less than Strength.
func (f Flaws) ColourStrength() float64 { return f.strengthOf(max(f.Noise, f.ColourNoise)) }

func (f Flaws) strengthOf(noise float64) float64 {
	return roundStrength(max(math.Sqrt(float64(noise*noise)+float64(f.Loss*f.Loss)), f.Palette) / worst)
}

// strengthSteps is the number of steps of a strength from 0 to 1.
const strengthSteps = 64

// roundStrength returns the step of a strength that is nearest to s, at most 1.
func roundStrength(s float64) float64 { return min(math.Round(strengthSteps*s)/strengthSteps, 1) }

// Measure returns the flaws of img; of a large picture it reads only nine parts. quality is the quality of the JPEG
// file that img was read from, 1 to 100, or 0 for any other file.
func Measure(img image.Image, quality int) Flaws {
	x := Examination{Picture: img, Quality: quality}
	return measure(x.parts(), x.samples(), quality)
}

// measure returns the flaws of a picture from shown, some of its parts, of which the brightness is list. Their offsets
// are multiples of 8 samples.
func measure(shown []picture.Picture, list []*samples, quality int) (f Flaws) {
	subsampled := parallel.Start(func() [2]bool {
		is, isSure := isSubsampled(shown)
		return [2]bool{is, isSure}
	})
	palette := parallel.Start(func() float64 { return estimatePalette(shown) })
	inColour := parallel.Start(func() float64 { return estimateColourNoise(shown, list) })
	estimate, somewhere := estimateNoise(list, limits)
	f.somewhere = somewhere
	f.Quality, f.Loss = estimateFile(list, quality)
	chroma := subsampled()
	f.Subsampled, f.ColourNoise = chroma[0] && (chroma[1] || f.Loss > 0), inColour()
	f.Noise, f.Likely, f.Palette = confirmNoise(list, estimate, f), estimate, palette()
	return f
}

// parts returns nine parts of a large picture; a picture that is not large is returned whole, as one part.
func parts(img image.Image) (list []picture.Picture) {
	for _, part := range listParts(img.Bounds()) {
		list = append(list, planesOf(img, part))
	}
	return list
}

// listParts returns where the parts of a picture with the bounds b are.
func listParts(b image.Rectangle) (list []image.Rectangle) {
	for _, y := range windows(b.Dy()) {
		for _, x := range windows(b.Dx()) {
			list = append(list, image.Rect(x.lo, y.lo, x.hi, y.hi).Add(b.Min))
		}
	}
	return list
}

// window is the range [lo, hi) of samples along a side.
type window struct{ lo, hi int }

// windows returns three windows of a long side, which begin at multiples of 8; for a shorter side, one for all samples.
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

// samples is the brightness of a part of a picture, in quarters of a level.
type samples struct {
	w, h  int
	pix   []int32
	parts int // the number of parts of the picture, of which this is one
}

const unit = 4 // of a level

func newSamples(luma *plane.Plane, parts int) *samples {
	p := &samples{luma.W, luma.H, make([]int32, luma.W*luma.H), parts}
	for i, v := range luma.Pix {
		p.pix[i] = sampleOf(v)
	}
	return p
}

// sampleOf returns a brightness, 0 to 1, in quarters of a level.
func sampleOf(v float32) int32 { return int32(float32(255*unit*min(max(v, 0), 1)) + 0.5) }

// spread calls visit with positions (x, y) of squares of side×side samples that have margin more samples to the right
// and below. The first is at (x0, y0), and they lie step samples apart. If all parts of the picture have more than
// about most positions, some are skipped evenly.
func (p *samples) spread(x0, y0, step, margin, side, most int, visit func(x, y int)) {
	if p.w < x0+side+margin || p.h < y0+side+margin {
		return
	}
	cols, rows := (p.w-x0-side-margin)/step+1, (p.h-y0-side-margin)/step+1
	every := max(1, (cols*rows*p.parts+most-1)/most)
	for i := 0; i < cols*rows; i += every {
		// Every n-th place would lie in the same columns if the number of columns is a multiple of n.
		x := (i%cols + i/cols) % cols
		visit(x0+x*step, y0+i/cols*step)
	}
}
