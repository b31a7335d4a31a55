package jpeg

import (
	"image"

	"superres/internal/chroma"
	"superres/internal/parallel"
)

// meaning says which colours the components of a picture are.
type meaning int

const (
	meansGrey meaning = iota
	meansYCbCr
	meansRGB
	meansCMYK         // 0: no ink
	meansInvertedCMYK // 255: no ink
	meansInvertedYCCK // inverted CMY, converted like RGB to YCbCr; and inverted black
)

// meaning returns which colours the components are. Unless Options.Colours says it, this method decides as libjpeg
// does (jdapimin.c, default_decompress_parms). Three components are YCbCr with a JFIF segment. Without it, Adobe's
// segment decides, and else the names of the components. Four are inverted YCCK if Adobe says so, else inverted CMYK.
//
// Note: inverted CMYK is a habit of Adobe's programs, and ImageMagick and Pillow expect it in all files.
func (d *decoder) meaning() meaning {
	c := d.components
	asStored, asYCbCr := d.opt.Colours == AsStored, d.opt.Colours == AsYCbCr
	switch {
	case len(c) == 1:
		return meansGrey
	case len(c) == 3 && (asYCbCr || d.hasJFIF && !asStored):
		return meansYCbCr
	case len(c) == 3 && (asStored || d.hasAdobe && d.adobeTransform == 0):
		return meansRGB
	case len(c) == 3 && !d.hasAdobe && c[0].id == 'R' && c[1].id == 'G' && c[2].id == 'B':
		return meansRGB
	case len(c) == 3:
		return meansYCbCr
	case asStored:
		return meansCMYK
	case d.hasAdobe && d.adobeTransform != 0:
		return meansInvertedYCCK
	}
	return meansInvertedCMYK
}

// transform computes the samples from the coefficients of a progressive file. In other files readScan has done so.
func (d *decoder) transform() error {
	for _, c := range d.components {
		if !d.isProgressive {
			break
		}
		rows := c.rows(&d.frame)
		c.samples = make([]byte, 8*rows*c.stride)
		q, blocks := c.quantiser, c.stride/8
		const grain = 1 // rows of blocks that a worker takes at a time
		err := parallel.For(d.ctx, rows, grain, func() func(lo, hi int) {
			return func(lo, hi int) {
				for i := lo * blocks; i < hi*blocks; i++ {
					out := c.samples[8*(i/blocks*c.stride+i%blocks):]
					transformBlock(&c.coefficients[i], q, out, c.stride)
				}
			}
		})
		if err != nil {
			return err
		}
		c.coefficients = nil
	}
	return nil
}

// transformBlock dequantises coefficients with table q, and writes 8×8 samples to out, in rows stride bytes apart.
func transformBlock(from *coefficients, q *[64]int32, out []byte, stride int) {
	var block [64]int32
	anyAC := int16(0) // 0 if all AC coefficients are 0
	for k, v := range from {
		if block[k] = int32(v) * q[k]; k > 0 {
			anyAC |= v
		}
	}
	if anyAC == 0 {
		fillBlock(block[0], out, stride)
		return
	}
	inverse(&block, out, stride)
}

// picture builds the picture from the samples, of one of the types that Decode lists. It inverts inverted inks.
func (d *decoder) picture() image.Image {
	bounds := image.Rect(0, 0, d.width, d.height)
	c := d.components
	switch meaning := d.meaning(); meaning {
	case meansGrey:
		return &image.Gray{Pix: c[0].samples, Stride: c[0].stride, Rect: bounds}
	case meansYCbCr:
		out := &image.YCbCr{SubsampleRatio: image.YCbCrSubsampleRatio444, Rect: bounds}
		if ratio, ok := d.ratio(); ok {
			out.SubsampleRatio = ratio
		} else {
			for i := range c {
				c[i] = d.enlarge(c[i])
			}
			if c[1].stride != c[2].stride { // one plane has samples beyond the picture's edge
				c[1], c[2] = d.crop(c[1]), d.crop(c[2])
			}
		}
		out.Y, out.Cb, out.Cr = c[0].samples, c[1].samples, c[2].samples
		out.YStride, out.CStride = c[0].stride, c[1].stride
		return out
	case meansRGB:
		out := image.NewRGBA(bounds)
		for i := 3; i < len(out.Pix); i += 4 {
			out.Pix[i] = 255
		}
		d.interleave(out.Pix)
		return out
	default:
		out := image.NewCMYK(bounds)
		d.interleave(out.Pix)
		for i := 0; i < len(out.Pix) && meaning != meansCMYK; i += 4 {
			p := out.Pix[i : i+4 : i+4]
			if meaning == meansInvertedYCCK {
				p[0], p[1], p[2] = toRGB(p[0], p[1], p[2]) // YCC holds R = 255 − C, and C inverted is R
			} else {
				p[0], p[1], p[2] = 255-p[0], 255-p[1], 255-p[2]
			}
			p[3] = 255 - p[3]
		}
		return out
	}
}

// interleave writes the samples of component i, at full resolution, to byte i of each 4-byte pixel in pix.
func (d *decoder) interleave(pix []byte) {
	for i, c := range d.components {
		c = d.enlarge(c)
		for y := range d.height {
			out := pix[4*y*d.width:]
			for x, v := range c.samples[y*c.stride:][:d.width] {
				out[4*x+i] = v
			}
		}
	}
}

// toRGB converts YCbCr of BT.601 in full range to RGB, rounded as in libjpeg (jdcolor.c) and unlike package color: R =
// Y + 1.402·(Cr−128), G = Y − 0.344136·(Cb−128) − 0.714136·(Cr−128), B = Y + 1.772·(Cb−128).
func toRGB(y, cb, cr byte) (r, g, b byte) {
	const one, half = 1 << 16, 1 << 15
	const crToR, cbToG, crToG, cbToB = 91881, 22554, 46802, 116130 // times 2¹⁶
	blue, red := int(cb)-128, int(cr)-128
	clip := func(v int) byte { return byte(min(max(v/one, 0), 255)) }
	luma := int(y)*one + half
	return clip(luma + crToR*red), clip(luma - cbToG*blue - crToG*red), clip(luma + cbToB*blue)
}

// ratio returns the constant of package image for the resolution of chroma. ok is false if luma is reduced, or if
// package image has no such constant.
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

// enlarge returns c with a sample for every pixel. As in libjpeg-turbo (jdsample.c), it interpolates where c has
// half the resolution in one or both directions, full resolution in the other, and is not a halved plane of at most
// 2 samples a row. Else it repeats samples.
func (d *decoder) enlarge(c *component) *component {
	if d.isFull(c) {
		return c
	}
	doubleWidth, doubleHeight := 2*c.across == d.mostAcross, 2*c.down == d.mostDown
	isSmooth := (!doubleWidth || c.width > 2) && (doubleWidth || c.across == d.mostAcross) &&
		(doubleHeight || c.down == d.mostDown)
	out := d.plane()
	parallel.Rows(d.height, func(y int) {
		to := out.samples[y*out.stride:][:d.width]
		if isSmooth {
			chroma.EnlargeRow(to, c.samples, c.stride, c.width, c.height, y, doubleWidth, doubleHeight)
			return
		}
		from := c.samples[y*c.down/d.mostDown*c.stride:]
		for x := range to {
			to[x] = from[x*c.across/d.mostAcross]
		}
	})
	return out
}

// plane returns an empty component with memory for a sample for every pixel.
func (d *decoder) plane() *component {
	return &component{stride: d.width, samples: make([]byte, d.width*d.height)}
}

// crop returns c, which has full resolution, without the samples beyond the picture's edge.
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
