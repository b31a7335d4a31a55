package imagefile

import (
	"image"
	"io"
	"sync"

	"golang.org/x/image/webp"

	"superres/internal/chroma"
	"superres/internal/metadata"
	"superres/internal/parallel"
	"superres/internal/vp8l"
)

// describeWebP sets pic.Quantiser, 0 for a lossless WebP, and pic.Subsampled from src. Only a lossy WebP has a
// lossyFrame, always with colour at half the resolution of brightness in both directions.
func describeWebP(src *source, pic *Picture) {
	pic.Quantiser, pic.Subsampled = webpIndex(src), lossyFrame(src).Len > 0
}

// lossyFrame returns the data of the chunk with lossy pixels in the WebP src, or empty data if it has no such chunk.
func lossyFrame(src metadata.Source) (frame metadata.Body) {
	metadata.WalkRIFF(src).Visit(func(kind []byte, body metadata.Body) bool {
		if string(kind) == "VP8 " {
			frame = body
		}
		return frame.Len == 0
	})
	return frame
}

// webpIndex returns the quantiser index, 0 to 127, of the lossy WebP in src or, if the WebP has segments with
// quantisers of their own, the mean of the four indices (RFC 6386, sections 9.2 to 9.6). It is 0 for any other WebP.
func webpIndex(src metadata.Source) float64 {
	const most = 1024 // bytes of the header, up to the index
	return frameIndex(lossyFrame(src).Start(most))
}

// frameIndex returns the index that webpIndex describes. frame is the start of the data of a chunk with lossy pixels.
func frameIndex(frame []byte) float64 {
	const start = 10 // the tag, the start code, and the size
	if len(frame) < start {
		return 0
	}
	d := &booleans{data: frame[start:], width: 255, left: 8}
	for range 2 { // the bytes of value
		d.value = d.value<<8 | uint32(d.nextByte())
	}
	d.readNumber(2) // the colour space, and whether samples are clamped
	const segments = 4
	var at [segments]int      // the index of each segment
	relative := true          // at holds differences from the index of the picture
	if d.readNumber(1) == 1 { // there are segments
		mapped := d.readNumber(1) == 1
		if d.readNumber(1) == 1 {
			relative = d.readNumber(1) == 0
			for i := range at {
				at[i] = d.readOptional(7)
			}
			for range segments { // the strength of the loop filter
				d.readOptional(6)
			}
		}
		for range 3 { // probabilities of the segments
			if mapped && d.readNumber(1) == 1 {
				d.readNumber(8)
			}
		}
	}
	d.readNumber(1 + 6 + 3) // the loop filter
	if d.readNumber(1) == 1 {
		if changed := d.readNumber(1) == 1; changed {
			for range 2 * 4 { // adjustments for kinds of blocks
				d.readOptional(6)
			}
		}
	}
	d.readNumber(2) // the number of partitions
	base, sum := d.readNumber(7), 0
	for _, v := range at {
		if relative {
			v += base
		}
		sum += min(max(v, 0), 127)
	}
	if d.ended {
		return 0
	}
	return float64(sum) / segments
}

// booleans decodes the boolean entropy code of section 7 of RFC 6386, for bits that are 0 with a probability of ½.
type booleans struct {
	data  []byte
	value uint32 // two bytes; the first is being decoded
	width uint32 // the number of values that the first byte can still have: "range" in RFC 6386
	left  int    // the number of shifts until the second byte is used up
	ended bool   // more bytes were needed than data has
}

// nextByte returns the next byte of data, or 0 after the end.
func (d *booleans) nextByte() (b byte) {
	if len(d.data) == 0 {
		d.ended = true
		return 0
	}
	b, d.data = d.data[0], d.data[1:]
	return b
}

// readNumber decodes an unsigned number, highest bit first. Each bit is 0 or 1 with probability ½ (RFC 6386, 7.3).
func (d *booleans) readNumber(bits int) (v int) {
	for range bits {
		v <<= 1
		split := 1 + (d.width-1)>>1 // the bit is 1 if the first byte of d.value is at least split
		if d.value >= split<<8 {
			v |= 1
			d.width, d.value = d.width-split, d.value-split<<8
		} else {
			d.width = split
		}
		for d.width < 128 {
			d.width, d.value = d.width<<1, d.value<<1
			if d.left--; d.left == 0 {
				d.value |= uint32(d.nextByte())
				d.left = 8
			}
		}
	}
	return v
}

// readOptional returns a signed number with a magnitude of the given bits, or 0 if a flag before it says so.
func (d *booleans) readOptional(bits int) int {
	if d.readNumber(1) == 0 {
		return 0
	}
	v := d.readNumber(bits)
	if d.readNumber(1) == 1 {
		return -v
	}
	return v
}

// withAlphaFlag makes the alpha flag in the extended header of the WebP in src, in its memory, agree with the chunks,
// since the decoder fails otherwise. It sets the flag if a chunk ALPH stands before the pixels, and clears the flag if
// there is none and the pixels are lossy. It returns src, and leaves a WebP without an extended header unchanged.
func withAlphaFlag(src *source) *source {
	const kindAt, flags, alpha, extendedHeader = 12, 20, 0x10, 30
	if len(src.data) < extendedHeader || string(src.data[kindAt:kindAt+4]) != "VP8X" {
		return src
	}
	has, lossless := false, false
	metadata.WalkRIFF(src).Visit(func(kind []byte, _ metadata.Body) bool {
		has, lossless = has || string(kind) == "ALPH", string(kind) == "VP8L"
		return string(kind) != "VP8 " && !lossless
	})
	if has {
		src.data[flags] |= alpha
	} else if !lossless {
		src.data[flags] &^= alpha
	}
	return src
}

// All lossy WebP files store chroma at half the resolution of luma. Go's decoder returns chroma as stored, and Go's
// colour conversion repeats each sample. libwebp enlarges chroma with a triangle filter instead: a new sample is ¾ of
// one stored sample and ¼ of another, or 9, 3, 3 and 1 sixteenths of 2×2 samples. This package does the same.

// decodeWebP decodes a WebP to the same pixels as libwebp.
func decodeWebP(src *source, _ Size, _ Limits) (image.Image, error) {
	img, err := webp.Decode(src)
	if err != nil {
		return nil, err
	}
	return fromLimitedRange(img), nil
}

// fromLimitedRange returns a WebP picture in RGB. The decoder returns lossy files as stored, with luma of 16 to 235 and
// chroma of 16 to 240 (BT.601). Chroma is enlarged as in yuv.h and upsampling.c of libwebp, to the same bits.
func fromLimitedRange(img image.Image) image.Image {
	var src *image.YCbCr
	var alpha *image.NYCbCrA
	switch m := img.(type) {
	case *image.YCbCr:
		src = m
	case *image.NYCbCrA:
		src, alpha = &m.YCbCr, m
	default:
		return img
	}
	w, h := src.Rect.Dx(), src.Rect.Dy()
	inW, inH := (w+1)/2, (h+1)/2
	out := image.NewNRGBA(src.Bounds())
	parallel.Rows(h, func(y int) {
		near, far := chroma.Neighbours(y, inH)
		row, luma := out.Pix[y*out.Stride:], src.Y[y*src.YStride:][:w]
		cb, cr := src.Cb[near*src.CStride:][:inW], src.Cr[near*src.CStride:][:inW]
		farCb, farCr := src.Cb[far*src.CStride:][:inW], src.Cr[far*src.CStride:][:inW]
		for x, v := range luma {
			a, b := chroma.Neighbours(x, inW) // the nearest column of chroma and the next nearest
			r, g, blue := limitedToRGB(int(v), interpolate(cb[a], cb[b], farCb[a], farCb[b]),
				interpolate(cr[a], cr[b], farCr[a], farCr[b]))
			pix := row[4*x : 4*x+4 : 4*x+4]
			pix[0], pix[1], pix[2], pix[3] = r, g, blue, 255
			if alpha != nil {
				pix[3] = alpha.A[y*alpha.AStride+x]
			}
		}
	})
	return out
}

// interpolate returns (9a + 3b + 3c + d)/16, rounded in two steps as libwebp does.
func interpolate(a, b, c, d uint8) int {
	sum := int(a) + int(b) + int(c) + int(d) + 8
	return ((sum+2*(int(b)+int(c)))>>3 + int(a)) >> 1
}

// limitedToRGB converts luma of 16 to 235 and chroma of 16 to 240 to RGB, as libwebp does: 1.164·(y−16) plus
// 1.596·(v−128), minus 0.392·(u−128) and 0.813·(v−128), or plus 2.017·(u−128), and ½, all times 2⁶ before clip6.
func limitedToRGB(y, u, v int) (r, g, b uint8) {
	l := y * 19077 >> 8
	return clip6(l + v*26149>>8 - 14234), clip6(l - u*6419>>8 - v*13320>>8 + 8708), clip6(l + u*33050>>8 - 17685)
}

// clip6 returns v without its 6 bits of fraction, clipped to 0..255.
func clip6(v int) uint8 { return uint8(min(max(v>>6, 0), 255)) }

// encodeWebP writes img, which is of a type that adapt returns, losslessly, with its metadata. Hidden colours are kept.
func encodeWebP(w io.Writer, img image.Image, opt EncodeOptions) error {
	r := plainRaster(img)
	stream := vp8l.New(vp8l.Picture{Width: r.width, Height: r.height, Alpha: r.kind == pngRGBA, Row: r.readARGB()})
	return opt.Metadata.WebP(opt.Software, r.width, r.height, r.kind == pngRGBA, stream.Size()).Write(w, stream.Write)
}

// readARGB returns a function that fills dst with the pixels of row y of r, each as 0xAARRGGBB. r must have samples of
// one byte and no grey with alpha. Several goroutines may call the function at once.
func (r *raster) readARGB() func(dst []uint32, y int) {
	const opaque = 0xff << 24
	rows := sync.Pool{New: func() any {
		row := make([]byte, r.rowBytes())
		return &row
	}}
	var colours [256]uint32
	if r.kind == pngPalette {
		list, _ := r.paletteBytes() // all are opaque
		for i := 0; len(list) > 0; i, list = i+1, list[3:] {
			colours[i] = opaque | uint32(list[0])<<16 | uint32(list[1])<<8 | uint32(list[2])
		}
	}
	return func(dst []uint32, y int) {
		buffer := rows.Get().(*[]byte)
		defer rows.Put(buffer)
		row := *buffer
		r.read(row, y)
		switch r.kind {
		case pngGrey:
			for i, v := range row {
				dst[i] = opaque | uint32(v)*0x010101
			}
		case pngPalette:
			for i, v := range row {
				dst[i] = colours[v]
			}
		case pngRGB:
			for i := range dst {
				p := row[3*i:][:3]
				dst[i] = opaque | uint32(p[0])<<16 | uint32(p[1])<<8 | uint32(p[2])
			}
		default:
			for i := range dst {
				p := row[4*i:][:4]
				dst[i] = uint32(p[3])<<24 | uint32(p[0])<<16 | uint32(p[1])<<8 | uint32(p[2])
			}
		}
	}
}
