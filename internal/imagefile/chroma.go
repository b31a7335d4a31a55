package imagefile

import (
	"image"
	"image/jpeg"
	"io"

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
	return smoothChroma(img), nil
}

// decodeWebP decodes a WebP, as libwebp does.
func decodeWebP(r io.Reader) (image.Image, error) {
	img, err := webp.Decode(r)
	if err != nil {
		return nil, err
	}
	return fromLimitedRange(img), nil
}

// smoothChroma returns a JPEG picture with colour at full resolution, enlarged as libjpeg
// does, to the bit (jdsample.c of libjpeg-turbo: h2v1, h2v2 and h1v2 "fancy" upsampling).
// Colour of another resolution is repeated there, too, and the picture returned as it is.
func smoothChroma(img image.Image) image.Image {
	src, ok := img.(*image.YCbCr)
	if !ok {
		return img
	}
	wide, high := false, false
	switch src.SubsampleRatio {
	case image.YCbCrSubsampleRatio422:
		wide = true
	case image.YCbCrSubsampleRatio440:
		high = true
	case image.YCbCrSubsampleRatio420:
		wide, high = true, true
	default:
		return img
	}
	w, h := src.Rect.Dx(), src.Rect.Dy()
	inW, inH := w, h
	if wide {
		inW = (w + 1) / 2
	}
	if high {
		inH = (h + 1) / 2
	}
	if wide && inW <= 2 {
		return img // repeated, too
	}
	out := image.NewYCbCr(src.Rect, image.YCbCrSubsampleRatio444)
	parallel.Rows(h, func(y int) {
		copy(out.Y[y*out.YStride:][:w], src.Y[y*src.YStride:][:w])
		near, far := y, y
		if high {
			near, far = around(y, inH)
		}
		for _, c := range [2]struct{ to, from []uint8 }{{out.Cb, src.Cb}, {out.Cr, src.Cr}} {
			to, a, b := c.to[y*out.CStride:][:w], c.from[near*src.CStride:][:inW], c.from[far*src.CStride:][:inW]
			switch {
			case wide && high:
				widen(to, func(x int) int { return 3*int(a[x]) + int(b[x]) }, inW, 4, 8, 7)
			case wide:
				widen(to, func(x int) int { return int(a[x]) }, inW, 2, 1, 2)
			default:
				bias := 1 + y%2
				for x := range to {
					to[x] = uint8((3*int(a[x]) + int(b[x]) + bias) >> 2)
				}
			}
		}
	})
	return out
}

// around returns which of n samples is under place i of twice as many, and which is next to it
// on the other side: itself at the ends.
func around(i, n int) (near, far int) {
	near = i / 2
	return near, min(max(near-1+i%2*2, 0), n-1)
}

// widen enlarges a row of n sums by two: ¾ of the nearer sum and ¼ of the farther one, with
// shift bits of fraction, rounded by the first bias on the left and the second on the right.
// At the ends there is none farther, and it is the nearer one itself.
func widen(to []uint8, at func(int) int, n, shift, left, right int) {
	before, now := at(0), at(0)
	for x := range n {
		after := now
		if x+1 < n {
			after = at(x + 1)
		}
		to[2*x] = uint8((3*now + before + left) >> shift)
		if 2*x+1 < len(to) {
			to[2*x+1] = uint8((3*now + after + right) >> shift)
		}
		before, now = now, after
	}
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
	out := image.NewNRGBA(src.Rect)
	parallel.Rows(h, func(y int) {
		near, far := around(y, inH)
		row, luma := out.Pix[y*out.Stride:], src.Y[y*src.YStride:][:w]
		ub, vb := src.Cb[near*src.CStride:][:inW], src.Cr[near*src.CStride:][:inW]
		uf, vf := src.Cb[far*src.CStride:][:inW], src.Cr[far*src.CStride:][:inW]
		for x, v := range luma {
			a, b := around(x, inW)
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
