package enlarging

import (
	"fmt"
	"image"
	"image/color"

	"superres/internal/usage"
	"superres/superres"
	"superres/superres/stage"
)

// A region is enlarged to the same pixels as in the enlargement of the whole picture, which also decides the model. The
// program enlarges a larger part that includes all surrounding pixels that affect the region. The part begins and ends
// where an edge between pixels of the picture coincides with an edge between pixels of the result, so that the two
// grids keep their positions. Where no edges coincide before the border of the picture, the part ends at that border.

// part is the part of a picture that is enlarged to obtain a region in it.
type part struct {
	from image.Rectangle // the part, in pixels of the picture
	size image.Point     // size of the enlarged part, in pixels
	keep image.Rectangle // the region, in pixels of the enlarged part
}

// partOf returns the part to enlarge for r.Region in a picture of size inSize. reachOf returns how many pixels around
// a region affect it when a picture of inW×inH pixels is enlarged to w×h. If opaque is false, the part is the whole
// picture, as transparent pixels take colours from everywhere. partOf fails if the region is not in the picture.
func (r *run) partOf(
	reachOf func(inW, inH, w, h int) int, inSize image.Point, opaque bool,
) (p part, err error) {
	out, err := r.resultSize(inSize)
	if err != nil {
		return p, err
	}
	area := r.Region
	if !area.In(image.Rectangle{Max: inSize}) {
		return p, usage.Errorf("region %d,%d,%d,%d: not within the picture of %d×%d",
			area.Min.X, area.Min.Y, area.Dx(), area.Dy(), inSize.X, inSize.Y)
	}
	reach := max(inSize.X, inSize.Y)
	if opaque {
		reach = reachOf(inSize.X, inSize.Y, out.X, out.Y)
	}
	toEnd := r.clean.model.Orientations() > 1 // the model enlarges turned copies too, which begin at the other end
	x := spanOf(area.Min.X, area.Max.X, inSize.X, out.X, reach, toEnd)
	y := spanOf(area.Min.Y, area.Max.Y, inSize.Y, out.Y, reach, toEnd)
	return part{
		from: image.Rect(x.lo, y.lo, x.hi, y.hi), size: image.Pt(x.size, y.size),
		keep: image.Rect(x.keepLo, y.keepLo, x.keepHi, y.keepHi),
	}, nil
}

// span is a part in one dimension: the samples [lo, hi) of the picture are enlarged to size samples. In the enlarged
// part, counted from its first sample, the samples [keepLo, keepHi) are the region.
type span struct{ lo, hi, size, keepLo, keepHi int }

// spanOf returns the part for the samples [lo, hi) of a side with inSize samples, enlarged to outSize samples. reach is
// how many samples around [lo, hi) affect it. If toEnd is true, the part extends to the end of the side.
func spanOf(lo, hi, inSize, outSize, reach int, toEnd bool) (a span) {
	step := stage.Step(inSize, outSize) // edges of the two grids coincide after every step samples of the picture
	a.lo = max(lo-reach, 0) / step * step
	a.hi = min((hi+reach+step-1)/step*step, inSize)
	if toEnd {
		a.hi = inSize
	}
	begin := a.lo * outSize / inSize // this division leaves no remainder, nor does the next
	a.size = (a.hi - a.lo) * outSize / inSize
	a.keepLo = lo*outSize/inSize - begin
	a.keepHi = (hi*outSize+inSize-1)/inSize - begin
	return a
}

// cut returns part p of img, which shares the memory of img, and a copy of opt for enlarging part p to p.size.
func (p part) cut(img image.Image, opt superres.Options) (image.Image, superres.Options) {
	if opt.Mix != nil { // its cells divide the whole picture, which begins before the part
		mix := *opt.Mix
		mix.Area = img.Bounds().Sub(p.from.Min)
		opt.Mix = &mix
	}
	if p.from != img.Bounds() {
		img = img.(subImager).SubImage(p.from)
	}
	opt.SetSize(p.size.X, p.size.Y)
	opt.WrapX, opt.WrapY = false, false // the part contains all pixels that affect the region
	return img, opt
}

// subImager is implemented by all types of decoded pictures and results.
type subImager interface {
	SubImage(image.Rectangle) image.Image
}

// crop cuts the region out of result, the enlarged part. The region shares the memory of result and begins at (0, 0).
func (p part) crop(result image.Image) image.Image {
	cut := result.(subImager).SubImage(p.keep)
	var at *image.Rectangle
	switch m := cut.(type) {
	case *image.Gray:
		at = &m.Rect
	case *image.Gray16:
		at = &m.Rect
	case *image.NRGBA:
		at = &m.Rect
	case *image.NRGBA64:
		at = &m.Rect
	case *image.Paletted:
		at = &m.Rect
	default:
		panic(fmt.Sprintf("enlarging: a result of type %T", result))
	}
	*at = at.Sub(p.keep.Min)
	return cut
}

// mayHide reports whether a picture with the colour model m in its header may have transparent pixels. In a header,
// color.RGBAModel and color.RGBA64Model stand for no channel of alpha.
func mayHide(m color.Model) bool {
	switch m {
	case color.GrayModel, color.Gray16Model, color.YCbCrModel, color.CMYKModel, color.RGBAModel, color.RGBA64Model:
		return false
	}
	if p, is := m.(color.Palette); is {
		for _, c := range p {
			if _, _, _, a := c.RGBA(); a != 0xffff {
				return true
			}
		}
		return false
	}
	return true
}
