package imagefile

import (
	"image"
	"io"

	"superres/internal/chroma"
	"superres/internal/parallel"

	"golang.org/x/image/webp"
)

// All lossy WebP files store chroma at half the resolution of luma. Go's decoder returns chroma as stored, and Go's
// colour conversion repeats each sample. libwebp enlarges chroma by a triangle filter instead: a new sample is ¾ and ¼
// of two stored ones, or 9, 3, 3 and 1 sixteenths of 2×2. So does this package.

// decodeWebP decodes a WebP to the pixels of libwebp.
func decodeWebP(r io.Reader) (image.Image, error) {
	img, err := webp.Decode(r)
	if err != nil {
		return nil, err
	}
	return fromLimitedRange(img), nil
}

// fromLimitedRange returns a WebP picture in RGB. Luma of lossy files is 16 to 235 and chroma 16 to 240, by BT.601,
// which the decoder does not convert. Chroma is enlarged as in yuv.h and upsampling.c of libwebp, to the bit.
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
		ub, vb := src.Cb[near*src.CStride:][:inW], src.Cr[near*src.CStride:][:inW]
		uf, vf := src.Cb[far*src.CStride:][:inW], src.Cr[far*src.CStride:][:inW]
		for x, v := range luma {
			a, b := chroma.Neighbours(x, inW)
			r, g, blue := limitedToRGB(int(v), interpolate(ub[a], ub[b], uf[a], uf[b]),
				interpolate(vb[a], vb[b], vf[a], vf[b]))
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

// limitedToRGB converts luma of 16 to 235 and chroma of 16 to 240 to RGB, as libwebp does.
func limitedToRGB(y, u, v int) (r, g, b uint8) {
	l := y * 19077 >> 8
	return clip6(l + v*26149>>8 - 14234), clip6(l - u*6419>>8 - v*13320>>8 + 8708), clip6(l + u*33050>>8 - 17685)
}

// clip6 returns v without its 6 bits of fraction, clipped to 0..255.
func clip6(v int) uint8 { return uint8(min(max(v>>6, 0), 255)) }
