package jpeg

import (
	"image"

	"superres/internal/chroma"
	"superres/internal/parallel"
)

// ratio returns the name that package image has for the resolution of chroma. ok is false where it has none, or where
// luma is not at full resolution.
func (d *decoder) ratio() (ratio image.YCbCrSubsampleRatio, ok bool) {
	luma, cb, cr := d.components[0], d.components[1], d.components[2]
	if !d.isFull(luma) || cb.across != cr.across || cb.down != cr.down || d.mostAcross%cb.across != 0 ||
		d.mostDown%cb.down != 0 {
		return 0, false
	}
	ratio, ok = map[[2]int]image.YCbCrSubsampleRatio{
		{1, 1}: image.YCbCrSubsampleRatio444, {2, 1}: image.YCbCrSubsampleRatio422,
		{1, 2}: image.YCbCrSubsampleRatio440, {2, 2}: image.YCbCrSubsampleRatio420,
		{4, 1}: image.YCbCrSubsampleRatio411, {4, 2}: image.YCbCrSubsampleRatio410,
	}[[2]int{d.mostAcross / cb.across, d.mostDown / cb.down}]
	return ratio, ok
}

// isFull reports whether c has a sample for every pixel.
func (d *decoder) isFull(c *component) bool { return c.across == d.mostAcross && c.down == d.mostDown }

// enlarge returns c with a sample for every pixel. As in libjpeg-turbo (jdsample.c), those at half the resolution are
// interpolated, and others repeated.
func (d *decoder) enlarge(c *component) *component {
	if d.isFull(c) {
		return c
	}
	wide, high := 2*c.across == d.mostAcross, 2*c.down == d.mostDown
	isSmooth := (!wide || c.width > 2) && (wide || c.across == d.mostAcross) && (high || c.down == d.mostDown)
	out := d.plane()
	parallel.Rows(d.height, func(y int) {
		to := out.samples[y*out.stride:][:d.width]
		if isSmooth {
			chroma.EnlargeRow(to, c.samples, c.stride, c.width, c.height, y, wide, high)
			return
		}
		from := c.samples[y*c.down/d.mostDown*c.stride:]
		for x := range to {
			to[x] = from[x*c.across/d.mostAcross]
		}
	})
	return out
}

// plane returns a component with memory for a sample for every pixel.
func (d *decoder) plane() *component {
	return &component{stride: d.width, samples: make([]byte, d.width*d.height)}
}

// crop returns c, which has a sample for every pixel, without those beyond the picture.
func (d *decoder) crop(c *component) *component {
	if c.stride == d.width {
		return c
	}
	out := d.plane()
	for y := range d.height {
		copy(out.samples[y*out.stride:][:out.stride], c.samples[y*c.stride:])
	}
	return out
}
