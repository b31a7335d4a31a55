package imagefile

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/draw"

	"superres/internal/metadata"
	"superres/internal/picture"
)

// swapsSides reports whether EXIF orientation o swaps width and height, like a rotation by 90°.
func swapsSides(o int) bool { return 5 <= o && o <= 8 }

// Upright returns img, which begins at (0, 0), turned upright from its EXIF orientation o, 1 to 8, or img itself for
// any other o. The type is kept, except for YCbCr, since subsampled chroma cannot be rotated without moving it against
// the luma: such a picture becomes *image.RGBA, or *image.NRGBA if it has alpha.
func Upright(img image.Image, o int) image.Image {
	if o < 2 || o > 8 {
		return img
	}
	b, to := img.Bounds(), sizeOf(img)
	if swapsSides(o) {
		to = to.swapped()
	}
	if src, ok := img.(*image.NYCbCrA); ok {
		img = nrgba(src, func(x, y int) color.NRGBA { return plainNYCbCrA(src, x, y) })
	}
	if pix, stride, size := picture.Samples(img); pix != nil {
		dst := picture.New(img.ColorModel(), to.Bounds())
		out, outStride, _ := picture.Samples(dst)
		orientInto(out, outStride, size, b, o, func(y int) []byte { return pix[y*stride:] })
		return dst
	}
	dst := image.NewRGBA(to.Bounds())
	line, _ := sizeOf(img).Part(0, 0, int64(b.Dx()), 1) // cannot fail: the first row is inside the picture
	row := image.NewRGBA(line.Bounds())
	orientInto(dst.Pix, dst.Stride, 4, b, o, func(y int) []byte {
		draw.Draw(row, row.Bounds(), img, image.Pt(0, y), draw.Src)
		return row.Pix
	})
	return dst
}

// orientInto copies a picture with the bounds b into dst, turned upright from EXIF orientation o, 2 to 8. row(y) begins
// with row y. A pixel has size bytes. dst holds exactly the pixels of the result, in rows of stride bytes.
//
// A source pixel (x, y) goes to dst[start + x·right + y·down]. Each orientation has its own start, right and down.
func orientInto(dst []byte, stride, size int, b image.Rectangle, o int, row func(y int) []byte) {
	w, h := b.Dx(), b.Dy()
	lastX, lastY := (w-1)*size, (h-1)*stride // offsets in dst, if the sides are not swapped
	if swapsSides(o) {
		lastX, lastY = (h-1)*size, (w-1)*stride
	}
	var start, right, down int
	switch o {
	case 2:
		start, right, down = lastX, -size, stride
	case 3:
		start, right, down = lastX+lastY, -size, -stride
	case 4:
		start, right, down = lastY, size, -stride
	case 5:
		start, right, down = 0, stride, size
	case 6:
		start, right, down = lastX, stride, -size
	case 7:
		start, right, down = lastX+lastY, -stride, -size
	case 8:
		start, right, down = lastY, -stride, size
	}
	for y := range h {
		src, at := row(y), start+y*down
		for x := range w {
			copy(dst[at:at+size], src[x*size:])
			at += right
		}
	}
}

// turnGainMap turns the gain map of pic upright from orientation o, like the picture, and converts the map of an AVIF
// to JPEG. If the map cannot be decoded within lim, it drops the map with a warning. It fails once ctx has ended.
//
// Note: the map is encoded again. Rotating the coefficients of its blocks works only if the sides are whole blocks.
func (pic *Picture) turnGainMap(ctx context.Context, o int, lim Limits) (err error) {
	if pic.Metadata.GainMap == nil || o < 2 && pic.Format != AVIF {
		return nil
	}
	const best = 100
	about, pixels := metadata.SplitJPEG(pic.Metadata.GainMap)
	pic.Metadata.GainMap = nil
	gains := pic.gains // of an AVIF: already decoded
	if pic.gains = nil; gains == nil {
		var stored *Picture
		stored, err = DecodeBytes(ctx, pixels, "gain map", Limits{Pixels: lim.Pixels, Side: lim.Side,
			Scans: lim.Scans, Time: lim.Time})
		if err == nil {
			gains = stored.Image
		}
	}
	if ctx.Err() != nil {
		return readError(ctx.Err(), "gain map")
	}
	var b bytes.Buffer
	if err == nil {
		err = Encode(&b, Upright(gains, o), JPEG, EncodeOptions{Quality: best})
	}
	if err != nil {
		pic.Warnings = append(pic.Warnings, "its gain map is damaged and left out")
		return nil
	}
	pic.Metadata.GainMap = metadata.JoinJPEG(about, b.Bytes())
	return nil
}
