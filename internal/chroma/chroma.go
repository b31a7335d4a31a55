// Package chroma enlarges subsampled chroma as libjpeg does, which most programs use.
package chroma

import (
	"image"

	"superres/internal/parallel"
)

// Smooth returns a picture decoded from a JPEG with its chroma enlarged to full resolution, bit for bit as in libjpeg
// (jdsample.c of libjpeg-turbo: h2v1, h2v2 and h1v2 "fancy" upsampling). It returns img itself where libjpeg only
// repeats samples, because of the chroma's resolution or a width of at most 4, and where there is nothing to enlarge.
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

// EnlargeRow sets to to row y of the enlarged plane src. The plane has inW×inH samples, in rows stride bytes apart, and
// is enlarged as in Smooth: to twice its width if wide, and to twice its height if high.
func EnlargeRow(to, src []uint8, stride, inW, inH, y int, wide, high bool) {
	near, far := y, y
	if high {
		near, far = Neighbours(y, inH)
	}
	a, b := src[near*stride:][:inW], src[far*stride:][:inW]
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

// Neighbours returns, for position i in a row of 2n samples, the index among n samples of the one that covers the
// position, and of the other one nearest to the position; at the ends both are the same.
func Neighbours(i, n int) (near, far int) {
	near = i / 2
	return near, min(max(near-1+i%2*2, 0), n-1)
}

// widen enlarges a row of n sums, which at returns, to twice its width: each result is ¾ of the nearer sum and ¼ of the
// farther one; at the ends both are the same. Before results are shifted right by shift bits, left is added for the
// first pixel of a sum, and right for the second, to round.
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
