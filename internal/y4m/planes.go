package y4m

import (
	"encoding/binary"
	"image"
	"superres/patches/plane"

	"superres/internal/picture"
)

// Planes returns the number of planes in a frame: 1 for grey, else 3, or 4 with alpha.
func (h Header) Planes() int {
	switch {
	case h.Layout.Grey:
		return 1
	case h.Layout.Alpha:
		return 4
	}
	return 3
}

// Plane returns the width and height of plane i in samples. Plane 0 is brightness, 1 is Cb, 2 is Cr, and 3 is alpha.
func (h Header) Plane(i int) (width, height int) {
	if i == 0 || i == 3 {
		return h.Width, h.Height
	}
	return (h.Width + h.Layout.Across - 1) / h.Layout.Across, (h.Height + h.Layout.Down - 1) / h.Layout.Down
}

// FrameBytes returns the number of bytes of all samples in a frame.
func (h Header) FrameBytes() int64 {
	sum := int64(0)
	for i := range h.Planes() {
		w, h := h.Plane(i)
		sum += int64(w) * int64(h)
	}
	return sum * h.sampleBytes()
}

func (h Header) sampleBytes() int64 { return int64(h.Depth+7) / 8 }

// NewFrame returns a new frame with the given Params, and with all samples 0.
func (h Header) NewFrame(params string) *Frame {
	return &Frame{Params: params, Data: make([]byte, h.FrameBytes())}
}

// plane returns the bytes of plane i in f, numbered as for Plane. The result shares the memory of f.
func (h Header) plane(f *Frame, i int) []byte {
	from := 0
	for k := range i {
		w, high := h.Plane(k)
		from += w * high * int(h.sampleBytes())
	}
	w, high := h.Plane(i)
	return f.Data[from:][:w*high*int(h.sampleBytes())]
}

// most returns the greatest code, 2^Depth − 1. A code is a sample as it is stored.
func (h Header) most() int { return 1<<h.Depth - 1 }

// codeAt returns the code of sample i in a plane, at most h.most().
func (h Header) codeAt(plane []byte, i int) int {
	if h.Depth == 8 {
		return int(plane[i])
	}
	return min(int(binary.LittleEndian.Uint16(plane[2*i:])), h.most())
}

// putCode stores code, 0 to h.most(), as sample i of a plane.
func (h Header) putCode(plane []byte, i, code int) {
	if h.Depth == 8 {
		plane[i] = uint8(code)
		return
	}
	binary.LittleEndian.PutUint16(plane[2*i:], uint16(code))
}

// Brightness returns the first plane of f as a picture: for 8 bits a *image.Gray that shares the memory of f, for more
// bits a new *image.Gray16. Code 0 is black and the greatest code white. The limited range of most video is not
// stretched, so that values outside this range stay in the picture.
func (h Header) Brightness(f *Frame) image.Image {
	bounds, plane := image.Rect(0, 0, h.Width, h.Height), h.plane(f, 0)
	if h.Depth == 8 {
		return &image.Gray{Pix: plane, Stride: h.Width, Rect: bounds}
	}
	img := &image.Gray16{Pix: make([]byte, len(plane)), Stride: 2 * h.Width, Rect: bounds}
	for i := range h.Width * h.Height {
		binary.BigEndian.PutUint16(img.Pix[2*i:], uint16((h.codeAt(plane, i)*0xffff+h.most()/2)/h.most()))
	}
	return img
}

// PutBrightness sets plane 0 of f to img, of the type and size that Brightness returns, without gaps between rows. It
// rounds 16 bits to codes.
func (h Header) PutBrightness(f *Frame, img image.Image) {
	plane := h.plane(f, 0)
	switch img := img.(type) {
	case *image.Gray:
		copy(plane, img.Pix)
	case *image.Gray16:
		for i := range h.Width * h.Height {
			h.putCode(plane, i, (int(binary.BigEndian.Uint16(img.Pix[2*i:]))*h.most()+0x7fff)/0xffff)
		}
	}
}

// Colour returns plane i of f, 1 to 3, as a new plane. Its samples are 0 for code 0, and 1 for the greatest code.
func (h Header) Colour(f *Frame, i int) *plane.Plane {
	out, plane := plane.New(h.Plane(i)), h.plane(f, i)
	scale := 1 / float64(h.most())
	for at := range out.Pix {
		out.Pix[at] = float32(float64(h.codeAt(plane, at)) * scale)
	}
	return out
}

// PutColour sets plane i of f, 1 to 3, to p, with the samples clipped to 0..1 and rounded to codes.
func (h Header) PutColour(f *Frame, i int, p *plane.Plane) {
	plane := h.plane(f, i)
	for at, v := range p.Pix {
		h.putCode(plane, at, int(float64(h.most())*float64(picture.Clamp(v))+0.5))
	}
}
