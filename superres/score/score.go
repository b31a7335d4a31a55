package score

import (
	"fmt"
	"image"
	"math"
	"slices"

	"superres/internal/elementary"
	"superres/internal/parallel"
	"superres/internal/picture"
	"superres/patches/plane"
	"superres/superres/resample"
)

// Metrics are the scores of one picture.
type Metrics struct {
	// PSNR is the peak signal-to-noise ratio in dB; +Inf if the pictures are equal.
	PSNR float64
	// SSIM is the mean structural similarity, up to 1; NaN if the picture is smaller than the window of 11×11.
	SSIM float64
	// NFE is the normalised squared error; 0 means equal pictures. It is NaN if the reference is black.
	NFE float64
}

// Reduce returns img cropped to sides that are multiples of scale, reduced channel by channel with the degradation d,
// and rounded to 8 bits: the low-resolution picture of a protocol. It is an error if cropping leaves nothing.
func Reduce(img image.Image, scale int, d resample.Degradation) (image.Image, error) {
	if err := d.Check(); err != nil {
		return nil, err
	}
	if b := img.Bounds(); b.Dx() < scale || b.Dy() < scale || scale < 1 {
		return nil, fmt.Errorf("score: a %d×%d picture cannot be reduced by %d", b.Dx(), b.Dy(), scale)
	}
	p := picture.Split(img)
	for i, c := range p.Channels {
		p.Channels[i] = d.Reduce(c, scale)
	}
	if p.Alpha != nil {
		p.Alpha = d.Reduce(p.Alpha, scale)
	}
	p.Deep = false
	return p.Image(), nil
}

// Compare scores test against ref. border is the number of pixels at each edge that PSNR and SSIM leave out.
// Transparency is not scored. ref may be less than scale pixels larger than test in each direction, and is then cropped
// at the right and bottom; scale 1 demands equal sizes.
func Compare(ref, test image.Image, scale, border int) (Metrics, error) {
	return compare(ref, test, scale, border, false)
}

// compare is Compare. If asIs is true, PSNR and SSIM of grey pictures compare their levels, 0 to 255, not Y.
func compare(ref, test image.Image, scale, border int, asIs bool) (Metrics, error) {
	a, b, err := matched(ref, test, scale)
	if err != nil {
		return Metrics{}, err
	}
	measured := limitedY
	if asIs && isGrey(a) && isGrey(b) {
		measured = func(p picture.Picture) *plane.Plane { return levels(p.Channels[0]) }
	}
	x, y, err := inner(a, b, border, measured)
	if err != nil {
		return Metrics{}, err
	}
	return Metrics{PSNR: psnr(x, y), SSIM: ssim(x, y), NFE: NFE(a.Luma(), b.Luma())}, nil
}

// inner returns the planes that measured returns for a and b, without border pixels at each edge. a and b must have the
// same size. It fails if nothing is left.
func inner(a, b picture.Picture, border int, measured func(picture.Picture) *plane.Plane) (x, y *plane.Plane,
	err error) {
	w, h := a.Channels[0].W-2*border, a.Channels[0].H-2*border
	if border < 0 || w <= 0 || h <= 0 {
		return nil, nil, fmt.Errorf("score: a %d×%d picture has nothing within a border of %d",
			w+2*border, h+2*border, border)
	}
	return measured(a).Crop(border, border, w, h), measured(b).Crop(border, border, w, h), nil
}

// NormalisedError returns only the NFE that Compare would return, in a fraction of the time: ‖Î − I‖²_F / ‖I‖²_F with Î
// test and I ref, or NaN if ref is black.
func NormalisedError(ref, test image.Image, scale int) (float64, error) {
	a, b, err := matched(ref, test, scale)
	if err != nil {
		return 0, err
	}
	return NFE(a.Luma(), b.Luma()), nil
}

// matched returns ref and test split into channels, with ref cropped to the size of test. It fails if ref is smaller
// than test, or larger by scale or more.
func matched(ref, test image.Image, scale int) (a, b picture.Picture, err error) {
	rb, tb := ref.Bounds(), test.Bounds()
	w, h := tb.Dx(), tb.Dy()
	if w > rb.Dx() || h > rb.Dy() || rb.Dx()-w >= max(scale, 1) || rb.Dy()-h >= max(scale, 1) {
		return a, b, fmt.Errorf("score: the picture is %d×%d, its reference %d×%d", w, h, rb.Dx(), rb.Dy())
	}
	a, b = picture.Split(ref), picture.Split(test)
	for i, c := range a.Channels {
		a.Channels[i] = c.Crop(0, 0, w, h)
	}
	return a, b, nil
}

// isGrey reports whether p has one channel, or the same samples in all channels.
func isGrey(p picture.Picture) bool {
	return !slices.ContainsFunc(p.Channels[1:], func(c *plane.Plane) bool {
		return !slices.Equal(c.Pix, p.Channels[0].Pix)
	})
}

// level returns the level, a whole number from 0 to 255, of a sample of 0..1.
func level(v float32) float64 { return math.Round(255 * float64(picture.Clamp(v))) }

// levels returns the samples of c as levels: whole numbers from 0 to 255.
func levels(c *plane.Plane) *plane.Plane {
	out := plane.New(c.W, c.H)
	for i, v := range c.Pix {
		out.Pix[i] = float32(level(v))
	}
	return out
}

// limitedY returns Y = 16 + (65.481 R + 128.553 G + 24.966 B)/255 of p rounded to 8 bits, with Y rounded to 16 … 235.
func limitedY(p picture.Picture) *plane.Plane {
	c := p.Channels
	if len(c) == 1 {
		c = []*plane.Plane{c[0], c[0], c[0]}
	}
	out := plane.New(c[0].W, c[0].H)
	for i := range out.Pix {
		v := 16 + (65.481*level(c[0].Pix[i])+128.553*level(c[1].Pix[i])+24.966*level(c[2].Pix[i]))/255
		out.Pix[i] = float32(math.Round(v))
	}
	return out
}

// psnr returns the peak signal-to-noise ratio of planes of 0..255, in dB; +Inf if they are equal.
func psnr(a, b *plane.Plane) float64 {
	sum := 0.0
	for i, v := range a.Pix {
		d := float64(v) - float64(b.Pix[i])
		sum += d * d
	}
	return 10 * elementary.Log10(255*255*float64(len(a.Pix))/sum)
}

// NFE returns the normalised squared error ‖b − a‖² / ‖a‖² of planes of the same size, or NaN if a is black.
func NFE(a, b *plane.Plane) float64 {
	miss, all := 0.0, 0.0
	for i, v := range a.Pix {
		d := float64(b.Pix[i]) - float64(v)
		miss += d * d
		all += float64(v) * float64(v)
	}
	if all == 0 {
		return math.NaN()
	}
	return miss / all
}

// The size of the window of SSIM, and the standard deviation of its Gaussian.
const ssimSize, ssimSigma = 11, 1.5

// ssim returns the mean structural similarity of planes of 0..255. It works in bands of rows, to limit memory. Z. Wang
// et al.: Image quality assessment, IEEE Trans. Image Processing 13 (2004), doi:10.1109/TIP.2003.819861.
func ssim(a, b *plane.Plane) float64 {
	if a.W < ssimSize || a.H < ssimSize {
		return math.NaN()
	}
	const bandRows = 128
	total, rows := 0.0, a.H-ssimSize+1
	for y := 0; y < rows; y += bandRows {
		h := min(bandRows, rows-y) + ssimSize - 1
		total += ssimSum(a.Crop(0, y, a.W, h), b.Crop(0, y, a.W, h))
	}
	return total / float64(rows*(a.W-ssimSize+1))
}

// ssimSum returns the sum of SSIM over the positions where the window fits, for levels 0 to 255. The variances and the
// covariance are the mean of products less the product of means, which blur computes.
func ssimSum(a, b *plane.Plane) float64 {
	var window [ssimSize]float64
	sum := 0.0
	for i := range window {
		d := float64(i - ssimSize/2)
		window[i] = elementary.Exp(-d * d / (2 * ssimSigma * ssimSigma))
		sum += window[i]
	}
	for i := range window {
		window[i] /= sum
	}
	w, h := a.W-ssimSize+1, a.H-ssimSize+1
	// blur filters f with the window along both axes.
	blur := func(f func(i int) float64) []float64 {
		mid, out := make([]float64, w*a.H), make([]float64, w*h)
		parallel.Rows(a.H, func(y int) {
			for x := range w {
				for k, g := range window {
					mid[y*w+x] += g * f(y*a.W+x+k)
				}
			}
		})
		parallel.Rows(h, func(y int) {
			for k, g := range window {
				for x := range w {
					out[y*w+x] += g * mid[(y+k)*w+x]
				}
			}
		})
		return out
	}
	va, vb := func(i int) float64 { return float64(a.Pix[i]) }, func(i int) float64 { return float64(b.Pix[i]) }
	ma, mb := blur(va), blur(vb)
	aa := blur(func(i int) float64 { return va(i) * va(i) })
	bb := blur(func(i int) float64 { return vb(i) * vb(i) })
	ab := blur(func(i int) float64 { return va(i) * vb(i) })
	const c1, c2 = (0.01 * 255) * (0.01 * 255), (0.03 * 255) * (0.03 * 255)
	total := 0.0
	for i := range ma {
		x, y := ma[i], mb[i]
		total += (2*x*y + c1) * (2*(ab[i]-x*y) + c2) / ((x*x + y*y + c1) * (aa[i] - x*x + bb[i] - y*y + c2))
	}
	return total
}

// Means are means over the pictures with a defined and finite score; a mean is 0 if there is no such picture.
type Means struct {
	PSNR float64 `json:"psnr,omitempty"`
	SSIM float64 `json:"ssim,omitempty"`
	NFE  float64 `json:"nfe,omitempty"`
}

// Mean returns the means of list, leaving out scores that are NaN or infinite.
func Mean(list []Metrics) Means {
	mean := func(value func(Metrics) float64) float64 {
		sum, count := 0.0, 0
		for _, m := range list {
			if v := value(m); !math.IsNaN(v) && !math.IsInf(v, 0) {
				sum, count = sum+v, count+1
			}
		}
		return sum / float64(max(count, 1))
	}
	return Means{
		PSNR: mean(func(m Metrics) float64 { return m.PSNR }),
		SSIM: mean(func(m Metrics) float64 { return m.SSIM }),
		NFE:  mean(func(m Metrics) float64 { return m.NFE }),
	}
}

// Difference says how far apart the colours of two pictures are, in levels of 0..255: whole numbers for pictures of 8
// bits, fractions for deeper pictures.
type Difference struct {
	// Mean is the mean of |test − ref| over all pixels and channels.
	Mean float64
	// Max is the largest |test − ref|.
	Max float64
}

// Differ returns how far the colours of test are from the colours of ref, including the edges. If one picture is grey
// and the other coloured, the grey picture counts as three equal channels. A picture of 8 bits is compared by its whole
// levels. Transparency is not compared, and fully transparent pixels have the colours of their neighbours. ref may be
// less than scale pixels larger than test, as in Compare.
func Differ(ref, test image.Image, scale int) (Difference, error) {
	a, b, err := matched(ref, test, scale)
	if err != nil {
		return Difference{}, err
	}
	level := func(p picture.Picture, v float32) float64 {
		if p.Deep {
			return 255 * float64(v)
		}
		return math.Round(255 * float64(v)) // v is k/255, which float32 holds only approximately
	}
	var d Difference
	channels := max(len(a.Channels), len(b.Channels))
	for c := range channels {
		x, y := a.Channels[min(c, len(a.Channels)-1)], b.Channels[min(c, len(b.Channels)-1)]
		sum := 0.0
		for i, v := range x.Pix {
			miss := math.Abs(level(b, y.Pix[i]) - level(a, v))
			sum += miss
			d.Max = max(d.Max, miss)
		}
		d.Mean += sum / float64(len(x.Pix)*channels)
	}
	return d, nil
}
