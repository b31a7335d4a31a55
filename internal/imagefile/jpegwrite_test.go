package imagefile

import (
	"bytes"
	"image"
	"image/color"
	"image/jpeg"
	"math"
	"math/rand/v2"
	"testing"

	"superres/internal/imagefile/imagetest"
	"superres/internal/must"
)

// cosine is one coefficient of the definition, T.81 section A.3.3.
func cosine(x *[64]float64, u, v int) float64 {
	sum := 0.0
	for i := range 64 {
		sum += x[i] * math.Cos(float64(2*(i%8)+1)*float64(u)*math.Pi/16) * math.Cos(
			float64(2*(i/8)+1)*float64(v)*math.Pi/16)
	}
	for _, k := range [2]int{u, v} {
		if k == 0 {
			sum /= math.Sqrt2
		}
	}
	return sum / 4
}

func TestTransformAgainstItsDefinition(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	worst := 0.0
	for n := range 200 {
		var fast [64]int32
		var slow [64]float64
		for i := range fast {
			v := int32(random.IntN(256) - 128)
			if n < 2 { // the extremes
				v = int32(255*((i+i/8*n)%2) - 128)
			}
			fast[i], slow[i] = v*sampleScale, float64(v)
		}
		transform(&fast)
		for i, got := range fast {
			worst = max(worst, math.Abs(float64(got)/(1<<coefficientBits)-cosine(&slow, i%8, i/8)))
		}
	}
	t.Logf("off by at most %.3f", worst)
	if worst > 0.1 {
		t.Errorf("a coefficient is off by %.3f", worst)
	}
}

// drawing is a picture of w×h with hard edges between strong colours.
func drawing(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(3, 5, 3+w, 5+h))
	for i := range w * h {
		x, y := i%w, i/w
		c := color.NRGBA{uint8(x * 255 / w), uint8(y * 255 / h), 128, 255}
		if (x+y)%9 < 2 {
			c = color.NRGBA{230, 20, 30, 255}
		}
		if x%11 == 3 {
			c = color.NRGBA{10, 30, 240, 255}
		}
		img.SetNRGBA(3+x, 5+y, c)
	}
	return img
}

// psnr compares two pictures of one size, with the origin at their corner.
func psnr(a, b image.Image) float64 {
	sum, n := 0.0, 0
	ab, bb := a.Bounds(), b.Bounds()
	for y := range ab.Dy() {
		for x := range ab.Dx() {
			p := color.NRGBAModel.Convert(a.At(ab.Min.X+x, ab.Min.Y+y)).(color.NRGBA)
			q := color.NRGBAModel.Convert(b.At(bb.Min.X+x, bb.Min.Y+y)).(color.NRGBA)
			for _, d := range [3]int{int(p.R) - int(q.R), int(p.G) - int(q.G), int(p.B) - int(q.B)} {
				sum, n = sum+float64(d*d), n+1
			}
		}
	}
	return 10 * math.Log10(255*255*float64(n)/sum)
}

// Every size and quality decodes to nearly the picture that went in, in colour at full resolution, and closer to it
// than image/jpeg comes.
func TestEncodeJPEG(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {7, 3}, {8, 8}, {9, 17}, {64, 40}} {
		img := drawing(size[0], size[1])
		last := 0.0
		for _, quality := range []int{1, 30, 50, 75, 95, 100} {
			got, ok := throughJPEG(t, img, quality).(*image.YCbCr)
			if !ok || got.Bounds() != image.Rect(0, 0, size[0], size[1]) ||
				got.SubsampleRatio != image.YCbCrSubsampleRatio444 {
				t.Fatalf("%v: %v, %v", size, got.Bounds(), got.SubsampleRatio)
			}
			if size[0] < 64 {
				continue
			}
			other := must.Get(jpeg.Decode(bytes.NewReader(imagetest.JPEG(t, img, quality))))(t)
			db, theirs := psnr(img, got), psnr(img, other)
			t.Logf("quality %d: %.2f dB; image/jpeg %.2f dB", quality, db, theirs)
			if db < last || quality >= 30 && db < theirs || quality == 100 && db < 45 {
				t.Errorf("quality %d: %.2f dB", quality, db)
			}
			last = db
		}
	}
}

// throughJPEG returns a picture as image/jpeg reads it from the file that Encode makes.
func throughJPEG(t *testing.T, img image.Image, quality int) image.Image {
	t.Helper()
	return must.Get(jpeg.Decode(bytes.NewReader(encoded(t, img, JPEG, EncodeOptions{Quality: quality}))))(t)
}

// Noise at the best quality has the largest numbers that there can be.
func TestEncodeJPEGOfNoise(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	img := image.NewRGBA(image.Rect(0, 0, 40, 40))
	for i := range img.Pix {
		if img.Pix[i] = byte(255 * random.IntN(2)); i%4 == 3 {
			img.Pix[i] = 255
		}
	}
	if db := psnr(img, throughJPEG(t, img, 100)); db < 40 {
		t.Errorf("%.2f dB", db)
	}
}

// A grey picture has one component, and grey in three equal samples stays free of colour. Grey values survive.
func TestEncodeGreyJPEG(t *testing.T) {
	grey, equal := image.NewGray(image.Rect(0, 0, 16, 16)), image.NewNRGBA(image.Rect(0, 0, 16, 16))
	for i := range 256 {
		grey.Pix[i] = uint8(i)
		equal.SetNRGBA(i%16, i/16, color.NRGBA{uint8(i), uint8(i), uint8(i), 255})
	}
	got, ok := throughJPEG(t, grey, 100).(*image.Gray)
	if !ok {
		t.Fatal("not grey")
	}
	neutral := throughJPEG(t, equal, 100).(*image.YCbCr)
	for i := range 256 {
		if d := int(got.Pix[i]) - i; d < -1 || d > 1 || neutral.Cb[i] != 128 || neutral.Cr[i] != 128 {
			t.Fatalf("%d is %d, and of the colour %d, %d", i, got.Pix[i], neutral.Cb[i], neutral.Cr[i])
		}
	}
}
