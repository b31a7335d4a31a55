package y4m

import (
	"encoding/binary"
	"image"
	"superres/patches/plane"

	"superres/internal/picture"
)

// Planes is how many planes a frame has: 1, or 3.
func (h Header) Planes() int {
	if h.Layout.Grey {
		return 1
	}
	return 3
}

// Plane returns the sides of plane i.
func (h Header) Plane(i int) (width, height int) {
	if i == 0 {
		return h.Width, h.Height
	}
	return (h.Width + h.Layout.Across - 1) / h.Layout.Across, (h.Height + h.Layout.Down - 1) / h.Layout.Down
}

// FrameBytes is how many bytes the samples of a frame have.
func (h Header) FrameBytes() int64 {
	sum := int64(0)
	for i := range h.Planes() {
		w, h := h.Plane(i)
		sum += int64(w) * int64(h)
	}
	return sum * h.sampleBytes()
}

func (h Header) sampleBytes() int64 { return int64(h.Depth+7) / 8 }

// NewFrame makes a frame of zeros.
func (h Header) NewFrame(params string) *Frame {
	return &Frame{Params: params, Data: make([]byte, h.FrameBytes())}
}

// plane returns the bytes of plane i.
func (h Header) plane(f *Frame, i int) []byte {
	from := 0
	for k := range i {
		w, high := h.Plane(k)
		from += w * high * int(h.sampleBytes())
	}
	w, high := h.Plane(i)
	return f.Data[from:][:w*high*int(h.sampleBytes())]
}

// most is the greatest code.
func (h Header) most() int { return 1<<h.Depth - 1 }

// code reads sample i of a plane. One that is too large is the greatest.
func (h Header) code(plane []byte, i int) int {
	if h.Depth == 8 {
		return int(plane[i])
	}
	return min(int(binary.LittleEndian.Uint16(plane[2*i:])), h.most())
}

func (h Header) putCode(plane []byte, i, code int) {
	if h.Depth == 8 {
		plane[i] = uint8(code)
		return
	}
	binary.LittleEndian.PutUint16(plane[2*i:], uint16(code))
}

// Brightness returns the first plane of a frame as a picture, of which black and white are the least and the
// greatest code: *image.Gray in the memory of the frame, of more than 8 bits *image.Gray16 of its own. Codes are
// not stretched to the range that the stream has, so that what it has beyond that range is in the picture as well.
func (h Header) Brightness(f *Frame) image.Image {
	bounds, plane := image.Rect(0, 0, h.Width, h.Height), h.plane(f, 0)
	if h.Depth == 8 {
		return &image.Gray{Pix: plane, Stride: h.Width, Rect: bounds}
	}
	img := &image.Gray16{Pix: make([]byte, len(plane)), Stride: 2 * h.Width, Rect: bounds}
	for i := range h.Width * h.Height {
		binary.BigEndian.PutUint16(img.Pix[2*i:], uint16((h.code(plane, i)*0xffff+h.most()/2)/h.most()))
	}
	return img
}

// PutBrightness is the way back: img is of the type and the size that Brightness returns.
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

// Colour returns plane 1 or 2 of a frame, 0..1 from the least to the greatest code.
func (h Header) Colour(f *Frame, i int) *plane.Plane {
	out, plane := plane.New(h.Plane(i)), h.plane(f, i)
	scale := 1 / float64(h.most())
	for at := range out.Pix {
		out.Pix[at] = float32(float64(h.code(plane, at)) * scale)
	}
	return out
}

// PutColour is the way back: samples are rounded, and limited to 0..1.
func (h Header) PutColour(f *Frame, i int, p *plane.Plane) {
	plane := h.plane(f, i)
	for at, v := range p.Pix {
		h.putCode(plane, at, int(float64(h.most())*float64(picture.Clamp(v))+0.5))
	}
}
