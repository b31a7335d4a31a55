package superres

import (
	"bytes"
	"image"
	"image/jpeg"
	"math"

	"superres/learners/plugin"
	"superres/patches"
)

// Degradation is the reduction a model was trained to undo, by its name.
type Degradation string

// The degradations. Box is the mean of each scale×scale block, the paper's. Cubic
// is MATLAB's antialiased imresize, the one photographs are scored with.
const (
	Box   Degradation = "box"
	Cubic Degradation = "bicubic"
)

// Check tells why the degradation cannot be used, or returns nil.
func (d Degradation) Check() error {
	if d != Box && d != Cubic {
		return plugin.Errorf("superres: %s", plugin.Unknown("degradation", string(d), []string{string(Cubic), string(Box)}))
	}
	return nil
}

// Reduce returns p reduced by an integer scale. What does not fill a whole block
// at the right and below is cut off first. It panics when nothing is left, the
// scale is less than 1, or the degradation is unknown.
func (d Degradation) Reduce(p *patches.Plane, scale int) *patches.Plane {
	return d.reduce(nil, p, scale)
}

func (d Degradation) reduce(mem *spares, p *patches.Plane, scale int) *patches.Plane {
	w, h := p.W/scale, p.H/scale
	if p.W != w*scale || p.H != h*scale {
		p = p.Crop(0, 0, w*scale, h*scale)
	}
	switch d {
	case Cubic:
		return newScaler(p.W, p.H, w, h, Bicubic).rows(mem, p, 0, 0, h)
	case Box:
		out := mem.plane(w, h)
		eachRow(h, func(y int) {
			for x := range out.Row(y) {
				sum := 0.0
				for i := range scale {
					for _, v := range p.Row(y*scale + i)[x*scale : (x+1)*scale] {
						sum += float64(v)
					}
				}
				out.Row(y)[x] = float32(sum / float64(scale*scale))
			}
		})
		return out
	}
	panic(d.Check().Error())
}

// ThroughJPEG is what a JPEG file of a quality, 1 to 100, keeps of a picture, with
// colour at half the resolution as most files have it.
func ThroughJPEG(img image.Image, quality int) (image.Image, error) {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: quality}); err != nil {
		return nil, err
	}
	return jpeg.Decode(&b)
}

// round8 rounds a plane in place to the 256 levels of an 8-bit file.
func round8(p *patches.Plane) *patches.Plane {
	for i, v := range p.Pix {
		p.Pix[i] = float32(math.Round(255*float64(clamp(v))) / 255)
	}
	return p
}

// clamp limits a sample to 0..1; NaN becomes 0.
func clamp(v float32) float32 {
	if v >= 1 {
		return 1
	}
	if v > 0 {
		return v
	}
	return 0
}
