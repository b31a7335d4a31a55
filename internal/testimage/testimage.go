// Package testimage computes pictures for tests, so that the tests need no files.
package testimage

import (
	"image"
	"image/color"
	"math"
	"math/rand/v2"

	"superres/patches/plane"
)

// Gray returns a picture of w×h pixels with f(x, y) as the level of pixel (x, y).
func Gray(w, h int, f func(x, y int) uint8) *image.Gray {
	m := image.NewGray(image.Rect(0, 0, w, h))
	for i := range m.Pix {
		m.Pix[i] = f(i%w, i/w)
	}
	return m
}

// Drawing returns rings across stripes, with edges in all directions. phase shifts the rings and turns the stripes.
func Drawing(w, h int, phase float64) *image.Gray {
	return Gray(w, h, func(x, y int) uint8 {
		u, v := float64(x)-float64(w)/2, float64(y)-float64(h)/2
		a := math.Tanh(2 * math.Sin(math.Hypot(u, v)/4+phase))
		b := math.Tanh(3 * math.Sin((u*math.Cos(phase)+v*math.Sin(phase))/5))
		return uint8(127.5 + 60*a + 60*b)
	})
}

// Tinted returns a Drawing in colours that change along its edges and inside its areas.
func Tinted(w, h int, phase float64) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i, v := range Drawing(w, h, phase).Pix {
		hue := float64(i%w)/11 + phase
		img.Pix[4*i], img.Pix[4*i+1] = v, uint8(float64(v)*(0.6+0.4*math.Sin(hue)))
		img.Pix[4*i+2], img.Pix[4*i+3] = 255-v, 255
	}
	return img
}

// Noise returns a plane of uniform noise in 0..1, always the same for the same size.
func Noise(w, h int) *plane.Plane {
	rng := rand.New(rand.NewPCG(uint64(w), uint64(h)))
	p := plane.New(w, h)
	for i := range p.Pix {
		p.Pix[i] = rng.Float32()
	}
	return p
}

// Fill sets every pixel of an image to a random colour, opaque or with a random alpha above 0, and returns the image.
func Fill[T interface {
	image.Image
	Set(x, y int, c color.Color)
}](m T, opaque bool) T {
	rng := rand.New(rand.NewPCG(1, 2))
	b := m.Bounds()
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			a := uint16(0xffff)
			if !opaque {
				a = 0x101 * uint16(1+rng.IntN(255))
			}
			m.Set(x, y, color.NRGBA64{uint16(rng.Uint32()), uint16(rng.Uint32()), uint16(rng.Uint32()), a})
		}
	}
	return m
}
