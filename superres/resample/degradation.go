package resample

import (
	"bytes"
	"image"
	"image/jpeg"

	"superres/internal/parallel"
	"superres/internal/usage"
	"superres/patches/plane"
)

// Degradation is the name of the reduction that a model was trained to undo.
type Degradation string

// The degradations. Box, which the paper of package coupled uses, takes the mean of each scale×scale block. Cubic is
// MATLAB's antialiased imresize, with which models for photographs are scored.
const (
	Box   Degradation = "box"
	Cubic Degradation = "bicubic"
)

// Check returns an error if the degradation is unknown.
func (d Degradation) Check() error {
	if d != Box && d != Cubic {
		known := []string{string(Cubic), string(Box)}
		return usage.Errorf("resample: %s", usage.Unknown("degradation", string(d), known))
	}
	return nil
}

// Reduce returns p reduced by an integer scale, in new memory. Columns and rows at the right and bottom that do not
// fill a block of scale×scale samples are cut off first. It panics if nothing is left, scale < 1, or d is unknown.
func (d Degradation) Reduce(p *plane.Plane, scale int) *plane.Plane {
	out := plane.New(p.W/scale, p.H/scale)
	d.ReduceTo(out, p, scale)
	return out
}

// ReduceTo is Reduce with the result in dst, which has ⌊p.W/scale⌋×⌊p.H/scale⌋ samples and shares no memory with p.
func (d Degradation) ReduceTo(dst, p *plane.Plane, scale int) {
	w, h := dst.W, dst.H
	if p.W != w*scale || p.H != h*scale {
		p = p.Crop(0, 0, w*scale, h*scale)
	}
	switch d {
	case Cubic:
		New(p.W, p.H, w, h, Bicubic).Rows(dst, p, 0, 0)
	case Box:
		parallel.Rows(h, func(y int) {
			for x := range dst.Row(y) {
				sum := 0.0
				for i := range scale {
					for _, v := range p.Row(y*scale + i)[x*scale : (x+1)*scale] {
						sum += float64(v)
					}
				}
				dst.Row(y)[x] = float32(sum / float64(scale*scale))
			}
		})
	default:
		panic(d.Check().Error())
	}
}

// Reach returns to how many rows of the reduced picture, above and below the row that covers it, a sample contributes.
func (d Degradation) Reach() int {
	if d == Cubic {
		return 2
	}
	return 0
}

// ThroughJPEG returns img after encoding and decoding it as a JPEG file of quality 1 to 100 with subsampled chroma.
func ThroughJPEG(img image.Image, quality int) (image.Image, error) {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: quality}); err != nil {
		return nil, err
	}
	return jpeg.Decode(&b)
}
