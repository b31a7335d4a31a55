package repair

import (
	"image"
	"math"
	"math/rand/v2"
	"testing"

	"superres/internal/picture"
	"superres/internal/testimage"
	"superres/superres/flaws/measure"
)

// octaves returns the correction with gains of 2 to the power of each of list.
func octaves(list ...float64) (c Correction) {
	for i := range c {
		c[i] = int32(math.Round(Octave * list[min(i, len(list)-1)]))
	}
	return c
}

// meanSquare returns that of the difference of two pictures, in levels of 255.
func meanSquare(a, b image.Image) (sum float64) {
	p, q := picture.Split(a), picture.Split(b)
	for i, channel := range p.Channels {
		for y := range channel.H {
			for x, v := range channel.Row(y) {
				off := 255 * float64(v-q.Channels[min(i, len(q.Channels)-1)].Row(y)[x])
				sum += off * off / float64(channel.H*channel.W*len(p.Channels))
			}
		}
	}
	return sum
}

// The taps of a correction have its gains at all frequencies, across, down and between, and leave the mean alone.
func TestTapsHaveGains(t *testing.T) {
	for _, c := range []Correction{{}, octaves(0.1, 0.3, 0.6, 0.9, 1.2, 1.4, 1.5), octaves(-0.2, -0.4, -0.6, -0.8)} {
		taps := c.taps()
		for _, way := range [][2]float64{{1, 0}, {0, 1}, {math.Sqrt2 / 2, math.Sqrt2 / 2}} {
			for band := range Bands + 1 {
				f, got := 2*math.Pi*float64(band)/16, 0.0
				for y, row := range taps {
					for x, v := range row {
						wave := math.Cos(f*way[0]*float64(x)) * math.Cos(f*way[1]*float64(y))
						got += float64(countOf(x, y)*v) / (1 << tapBits) * wave
					}
				}
				want := 1.0
				if band > 0 {
					want = math.Exp2(float64(c[band-1]) / Octave)
				}
				if math.Abs(got-want) > 0.06*want {
					t.Errorf("%v: the gain along %v in band %d is %.3f, expected %.3f", c, way, band, got, want)
				}
			}
		}
	}
}

// Blur returns the standard deviation of a Gaussian blur from the correction that undoes it.
func TestCorrectionTellsBlur(t *testing.T) {
	var c Correction
	for i := range c {
		f := float64(i+1) / 16
		c[i] = int32(math.Round(Octave * 2 * math.Pi * math.Pi * 0.8 * 0.8 * f * f / math.Ln2))
	}
	if got := c.Blur(); math.Abs(got-0.8) > 0.01 {
		t.Errorf("blur %.3f, expected 0.8", got)
	}
}

// A sharpening is the inverse of the least gain; what lowers nothing undoes none.
func TestSharpening(t *testing.T) {
	for _, c := range []struct{ least, want float64 }{{0.5, 0}, {0, 0}, {-0.2, 1.149}, {-1, 2}, {-3, 8}} {
		if got := octaves(0, c.least, 0.3).Sharpening(); math.Abs(got-c.want) > 0.01 {
			t.Errorf("a least gain of %g octaves undoes %g, expected %g", c.least, got, c.want)
		}
	}
}

// A share of a correction changes a picture by that share of what all of it changes.
func TestPartlyIsLinear(t *testing.T) {
	img, c := testimage.Drawing(90, 140, 1), octaves(-0.2, -0.6, -0.9, 0.3, -1.3)
	all := picture.Split(c.Apply(img)).Luma()
	for _, share := range []float64{0, 0.25, 0.5, 1} {
		part := c.Partly(share)
		if share == 0 && !part.IsNone() {
			t.Errorf("no share of it changes something: %v", part)
		}
		before, after := picture.Split(img).Luma(), picture.Split(part.Apply(img)).Luma()
		for y := range before.H {
			for x, v := range before.Row(y) {
				want := v + float32(share)*(all.Row(y)[x]-v)
				if off := math.Abs(float64(after.Row(y)[x]-want)) * 255; off > 2 {
					t.Fatalf("share %g, (%d, %d): %.1f levels off", share, x, y, off)
				}
			}
		}
	}
}

// Noise limits gains; without noise they stay.
func TestCorrectionIsLimited(t *testing.T) {
	c := octaves(0.5, 1, 1.5, 2, 2.5, 3)
	if got := c.Limited(measure.Flaws{}); got != c {
		t.Errorf("without noise %v, expected %v", got, c)
	}
	before := c
	for _, noise := range []float64{1, 3, 10, 30} {
		got := c.Limited(measure.Flaws{Noise: noise})
		for i, v := range got {
			r, f := math.Exp2(-float64(c[i])/Octave), float64(i+1)/Bands
			e := NoiseWeight * noise * noise * f * f
			if want := math.Log2((r + e) / (r*r + e)); math.Abs(float64(v)/Octave-want) > 0.15 {
				t.Errorf("noise %g, band %d: %.2f, expected %.2f", noise, i, float64(v)/Octave, want)
			}
			if v > before[i] {
				t.Errorf("noise %g, band %d: %d, with less noise %d", noise, i, v, before[i])
			}
		}
		before = got
	}
}

// White noise grows as NoiseGain says, in pictures of any size; what is flat stays flat.
func TestApplyChangesNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	c := octaves(0.2, 0.5, 0.8, 1)
	img := image.NewGray(image.Rect(0, 0, 190, 150))
	for i := range img.Pix {
		img.Pix[i] = uint8(math.Round(128 + 8*rng.NormFloat64()))
	}
	out := c.Apply(img).(*image.Gray)
	square := 0.0
	for _, v := range out.Pix {
		square += (float64(v) - 128) * (float64(v) - 128) / float64(len(out.Pix))
	}
	if want := 8 * c.NoiseGain(); math.Abs(math.Sqrt(square)-want) > 0.05*want {
		t.Errorf("the deviation is %.2f, expected %.2f", math.Sqrt(square), want)
	}
	for _, size := range [][2]int{{1, 1}, {3, 200}, {200, 2}, {65, 64}} {
		flat := image.NewGray(image.Rect(0, 0, size[0], size[1]))
		for i := range flat.Pix {
			flat.Pix[i] = 77
		}
		for i, v := range c.Apply(flat).(*image.Gray).Pix {
			if v != 77 {
				t.Fatalf("%v: pixel %d is %d, expected 77", size, i, v)
			}
		}
	}
}

// A picture is corrected the same in colour as in grey and as a part of another; no correction leaves it as it is.
func TestApplyKeepsKinds(t *testing.T) {
	img := testimage.Drawing(90, 140, 1)
	if got := (Correction{}).Apply(img); meanSquare(got, img) != 0 {
		t.Errorf("no correction changes a picture by %g", meanSquare(got, img))
	}
	c := octaves(0.3, 0.6, 1)
	want := c.Apply(img)
	inner := image.NewNRGBA(image.Rect(-5, 3, 200, 300))
	part := inner.SubImage(image.Rect(10, 20, 100, 160)).(*image.NRGBA)
	for y := range 140 {
		for x := range 90 {
			part.Set(10+x, 20+y, img.At(img.Bounds().Min.X+x, img.Bounds().Min.Y+y))
		}
	}
	if got := c.Apply(part); meanSquare(got, want) != 0 {
		t.Errorf("a part of a picture in colour differs by %g", meanSquare(got, want))
	}
}

// What was blurred and corrected by the inverse is nearer to what it was.
func TestApplyUndoesBlur(t *testing.T) {
	sharp := testimage.Drawing(120, 90, 2)
	blur := octaves(-0.1, -0.4, -0.8, -1.2, -1.4, -1.5)
	soft := blur.Apply(sharp)
	var inverse Correction
	for i, v := range blur {
		inverse[i] = -v
	}
	if before, after := meanSquare(soft, sharp), meanSquare(inverse.Apply(soft), sharp); after > before/10 {
		t.Errorf("the mean squared difference is %.2f, before %.2f", after, before)
	}
}
