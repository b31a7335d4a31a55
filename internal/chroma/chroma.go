// Package chroma enlarges subsampled chroma as libjpeg does, which most programs use.
package chroma

import (
	"image"

	"superres/internal/parallel"
)

// Smooth returns a picture decoded from a JPEG with its chroma enlarged to full resolution, bit for bit as in libjpeg
// (jdsample.c of libjpeg-turbo: h2v1, h2v2 and h1v2 "fancy" upsampling). It returns img itself if it has no subsampled
// chroma, or if libjpeg only repeats samples: of chroma with other ratios, or with half the width of at most 4 pixels.
func Smooth(img image.Image) image.Image {
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
		return img // libjpeg repeats such narrow chroma
	}
	out := image.NewYCbCr(src.Rect, image.YCbCrSubsampleRatio444)
	parallel.Rows(h, func(y int) {
		copy(out.Y[y*out.YStride:][:w], src.Y[y*src.YStride:][:w])
		EnlargeRow(out.Cb[y*out.CStride:][:w], src.Cb, src.CStride, inW, inH, y, wide, high)
		EnlargeRow(out.Cr[y*out.CStride:][:w], src.Cr, src.CStride, inW, inH, y, wide, high)
	})
	return out
}

// EnlargeRow sets the row to, of at most 2·inW samples, to row y of the enlarged plane src, which has inW×inH samples,
// in rows stride bytes apart. wide or high must be true: the plane gets twice its width if wide, and twice its height
// if high. In each of these directions a sample is ¾ of the nearest plus ¼ of the next, rounded as libjpeg does.
func EnlargeRow(to, src []uint8, stride, inW, inH, y int, wide, high bool) {
	near, far := y, y
	if high {
		near, far = Neighbours(y, inH)
	}
	a, b := src[near*stride:][:inW], src[far*stride:][:inW]
	switch {
	case wide && high: // shift right by 4, after adding 8 to left and 7 to right samples
		widen(to, func(x int) int { return 3*int(a[x]) + int(b[x]) }, inW, 4, 8, 7)
	case wide:
		widen(to, func(x int) int { return int(a[x]) }, inW, 2, 1, 2)
	default: // only high
		bias := 1 + y%2 // libjpeg rounds even and odd rows differently
		for x := range to {
			to[x] = uint8((3*int(a[x]) + int(b[x]) + bias) >> 2)
		}
	}
}

// Neighbours returns, for position i in a row of 2n samples, the index among n samples of the one that covers the
// position, and of the other one nearest to the position; at the ends both are the same.
func Neighbours(i, n int) (near, far int) {
	near = i / 2
	return near, min(max(near-1+i%2*2, 0), n-1)
}

// widen enlarges a row of n sums, which at returns, to len(to), 2n or 2n−1 samples: each is three times the nearer sum
// plus the farther one (at the ends the same one again), shifted right by shift bits. To round, left is added before
// the shift for the first of the two samples over a sum, and right for the second.
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
