package imagefile

import (
	"image"
	"image/jpeg"
	"io"

	"superres/internal/chroma"
	"superres/internal/parallel"

	"golang.org/x/image/webp"
)

// The decoders return colour as it is stored, at half the resolution of brightness in most
// JPEG and all lossy WebP files, and Go repeats it. The libraries that others use enlarge it
// by a triangle filter: of every two samples, or of 2×2, ¾ and ¼, or 9, 3, 3 and 1 of 16.

// decodeJPEG decodes a JPEG, as libjpeg does but for the rounding of its cosine transform.
func decodeJPEG(r io.Reader) (image.Image, error) {
	img, err := jpeg.Decode(r)
	if err != nil {
		return nil, err
	}
	return chroma.Smooth(img), nil
}

// decodeWebP decodes a WebP, as libwebp does.
func decodeWebP(r io.Reader) (image.Image, error) {
	img, err := webp.Decode(r)
	if err != nil {
		return nil, err
	}
	return fromLimitedRange(img), nil
}

// fromLimitedRange returns a WebP picture in RGB. The brightness of lossy files is 16 to 235
// and their colour 16 to 240 of 255, by BT.601, of which the decoder says nothing; colour is
// enlarged as libwebp does, to the bit (yuv.h and upsampling.c of libwebp).
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
		near, far := chroma.Beside(y, inH)
		row, luma := out.Pix[y*out.Stride:], src.Y[y*src.YStride:][:w]
		ub, vb := src.Cb[near*src.CStride:][:inW], src.Cr[near*src.CStride:][:inW]
		uf, vf := src.Cb[far*src.CStride:][:inW], src.Cr[far*src.CStride:][:inW]
		for x, v := range luma {
			a, b := chroma.Beside(x, inW)
			r, g, blue := limitedToRGB(int(v), between(ub[a], ub[b], uf[a], uf[b]), between(vb[a], vb[b], vf[a], vf[b]))
			pix := row[4*x : 4*x+4 : 4*x+4]
			pix[0], pix[1], pix[2], pix[3] = r, g, blue, 255
			if alpha != nil {
				pix[3] = alpha.A[y*alpha.AStride+x]
			}
		}
	})
	return out
}

// between is 9 parts of a, 3 of b and of c, and 1 of d, of 16, rounded as libwebp does, in
// two steps.
func between(a, b, c, d uint8) int {
	sum := int(a) + int(b) + int(c) + int(d) + 8
	return ((sum+2*(int(b)+int(c)))>>3 + int(a)) >> 1
}

// limitedToRGB converts brightness of 16 to 235 and colour of 16 to 240 as libwebp does.
func limitedToRGB(y, u, v int) (r, g, b uint8) {
	l := y * 19077 >> 8
	return clip6(l + v*26149>>8 - 14234), clip6(l - u*6419>>8 - v*13320>>8 + 8708), clip6(l + u*33050>>8 - 17685)
}

// clip6 is v without its 6 bits of fraction, within 0 and 255.
func clip6(v int) uint8 { return uint8(min(max(v>>6, 0), 255)) }
