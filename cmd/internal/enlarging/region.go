package enlarging

import (
	"fmt"
	"image"
	"image/color"
	"strconv"
	"strings"

	"superres/cmd/internal/console"
	"superres/superres"
	"superres/superres/stage"
)

// A region of a picture is enlarged to the same pixels that it has in the enlargement of the
// whole, which decides about the model. As much around it is enlarged with it as counts for
// it, and this part begins and ends where a pixel of the picture and one of the result begin
// together, so that all of them lie in it as in the whole. Where there is no such place before
// the edges of the picture, the part ends there.

// ParseRegion reads X,Y,W,H: the first pixel of a region of the upright picture, and its sides.
func ParseRegion(text string) (r image.Rectangle, err error) {
	var v [4]int
	words := strings.Split(text, ",")
	for i := range v {
		if len(words) != len(v) {
			err = strconv.ErrSyntax
			break
		}
		if v[i], err = strconv.Atoi(words[i]); err != nil {
			break
		}
	}
	const most = 1 << 20
	if err != nil || min(v[0], v[1]) < 0 || min(v[2], v[3]) < 1 || max(v[0], v[1], v[2], v[3]) > most {
		return r, console.Usage("region %s: expected X,Y,W,H in pixels of the picture", text)
	}
	return image.Rect(v[0], v[1], v[0]+v[2], v[1]+v[3]), nil
}

// part is what is enlarged of a picture for a region of it.
type part struct {
	from image.Rectangle // of the picture
	size image.Point     // of its enlargement
	keep image.Rectangle // of that: the region
}

// partOf finds the part of a picture of a size, whose enlargement has another. Of one with
// transparency it is all: what is hidden takes colour from everywhere.
func (s Settings) partOf(m *superres.Model, in, out image.Point, opaque bool) (p part, err error) {
	r := s.Region
	if !r.In(image.Rectangle{Max: in}) {
		return p, console.Usage("region %d,%d,%d,%d: not within the picture of %dx%d", r.Min.X, r.Min.Y, r.Dx(), r.Dy(),
			in.X, in.Y)
	}
	all := max(in.X, in.Y)
	reach := all
	if opaque {
		reach = m.Reach(in.X, in.Y, out.X, out.Y)
	}
	toEnd := s.Effort == "max" // it is turned and flipped, too
	x, y := alongOf(r.Min.X, r.Max.X, in.X, out.X, reach, toEnd), alongOf(r.Min.Y, r.Max.Y, in.Y, out.Y, reach, toEnd)
	return part{
		from: image.Rect(x.lo, y.lo, x.hi, y.hi), size: image.Pt(x.size, y.size),
		keep: image.Rect(x.keepLo, y.keepLo, x.keepHi, y.keepHi),
	}, nil
}

// along is a part along one side.
type along struct{ lo, hi, size, keepLo, keepHi int }

// alongOf finds the part for lo..hi-1 of a side of in samples that becomes one of out.
func alongOf(lo, hi, in, out, reach int, toEnd bool) (a along) {
	both := in / gcd(in, out) // samples of the picture for a whole number of the result
	step := both / gcd(both, stage.Alignment) * stage.Alignment
	a.lo = max(lo-reach, 0) / step * step
	a.hi = min((hi+reach+step-1)/step*step, in)
	if toEnd {
		a.hi = in
	}
	begin := a.lo * out / in // exact, as the size is
	a.size = (a.hi - a.lo) * out / in
	a.keepLo = lo*out/in - begin
	a.keepHi = (hi*out+in-1)/in - begin
	return a
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
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
		img = img.(interface {
			SubImage(image.Rectangle) image.Image
		}).SubImage(p.from) // which all that is decoded has
	}
	opt.Scale, opt.Width, opt.Height, opt.Fit = 0, p.size.X, p.size.Y, false
	return img, opt
}

// kept returns the pixels of the region out of the enlarged part. They share its memory.
func (p part) kept(result image.Image) image.Image {
	switch m := result.(type) {
	case *image.Gray:
		m = m.SubImage(p.keep).(*image.Gray)
		m.Rect = m.Rect.Sub(p.keep.Min)
		return m
	case *image.Gray16:
		m = m.SubImage(p.keep).(*image.Gray16)
		m.Rect = m.Rect.Sub(p.keep.Min)
		return m
	case *image.NRGBA:
		m = m.SubImage(p.keep).(*image.NRGBA)
		m.Rect = m.Rect.Sub(p.keep.Min)
		return m
	case *image.NRGBA64:
		m = m.SubImage(p.keep).(*image.NRGBA64)
		m.Rect = m.Rect.Sub(p.keep.Min)
		return m
	}
	panic(fmt.Sprintf("enlarging: a result of type %T", result))
}

// mayHide tells whether a picture of a colour model may have transparency.
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
