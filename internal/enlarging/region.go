package enlarging

import (
	"fmt"
	"image"
	"image/color"

	"superres/internal/usage"
	"superres/superres"
	"superres/superres/stage"
)

// A region is enlarged to the same pixels as in the enlargement of the whole picture, which decides the model. The
// part that is enlarged includes all surrounding pixels that affect the region. It begins and ends where the edges of
// a pixel of the picture and of one of the result coincide, so that their grids match those of the whole. If there is
// no such place before an edge of the picture, the part ends at that edge.

// part is the part of a picture that is enlarged for the sake of a region in it.
type part struct {
	from image.Rectangle // the part, in pixels of the picture
	size image.Point     // of the enlarged part, in pixels
	keep image.Rectangle // the region, in pixels of the enlarged part
}

// partOf returns the part to enlarge for r.Region of a picture of size in. If opaque is false, the part is the
// whole picture: colours of hidden pixels are filled in from everywhere. It fails if the region is not within the
// picture.
func (r *run) partOf(
	reachOf func(inW, inH, w, h int) int, in image.Point, opaque bool,
) (of part, err error) {
	out, err := r.resultSize(in)
	if err != nil {
		return of, err
	}
	area := r.Region
	if !area.In(image.Rectangle{Max: in}) {
		return of, usage.Errorf("region %d,%d,%d,%d: not within the picture of %d×%d",
			area.Min.X, area.Min.Y, area.Dx(), area.Dy(), in.X, in.Y)
	}
	reach := max(in.X, in.Y)
	if opaque {
		reach = reachOf(in.X, in.Y, out.X, out.Y)
	}
	toEnd := r.clean.model.Orientations() > 1 // the picture is also enlarged turned and flipped
	x := alongOf(area.Min.X, area.Max.X, in.X, out.X, reach, toEnd)
	y := alongOf(area.Min.Y, area.Max.Y, in.Y, out.Y, reach, toEnd)
	return part{
		from: image.Rect(x.lo, y.lo, x.hi, y.hi), size: image.Pt(x.size, y.size),
		keep: image.Rect(x.keepLo, y.keepLo, x.keepHi, y.keepHi),
	}, nil
}

// along is a part in one dimension: samples [lo, hi) of the picture become size samples of the result, of which
// [keepLo, keepHi) are the region.
type along struct{ lo, hi, size, keepLo, keepHi int }

// alongOf returns the part for the samples [lo, hi) of a side of in samples, which is enlarged to out. reach is how
// many samples around them count; with toEnd, the part extends to the end of the side.
func alongOf(lo, hi, in, out, reach int, toEnd bool) (a along) {
	step := stage.Step(in, out)
	a.lo = max(lo-reach, 0) / step * step
	a.hi = min((hi+reach+step-1)/step*step, in)
	if toEnd {
		a.hi = in
	}
	begin := a.lo * out / in // exact, as is size
	a.size = (a.hi - a.lo) * out / in
	a.keepLo = lo*out/in - begin
	a.keepHi = (hi*out+in-1)/in - begin
	return a
}

// cut returns the part p of img, which shares the memory of img, and a copy of opt changed so that the part is
// enlarged to the size it has in the whole result.
func (p part) cut(img image.Image, opt superres.Options) (image.Image, superres.Options) {
	if opt.Mix != nil {
		mix := *opt.Mix
		mix.Area = img.Bounds().Sub(p.from.Min)
		opt.Mix = &mix
	}
	if p.from != img.Bounds() {
		img = img.(subImager).SubImage(p.from)
	}
	opt.SetSize(p.size.X, p.size.Y)
	opt.WrapX, opt.WrapY = false, false // what lies around the part is in it
	return img, opt
}

// subImager is what all types of decoded pictures and of results are.
type subImager interface {
	SubImage(image.Rectangle) image.Image
}

// crop returns the region out of result, the enlarged part. It shares the memory of result; nothing is copied.
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

// mayHide reports whether a picture of colour model m may have transparency; false means that it cannot.
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
