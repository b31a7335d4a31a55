package score_test

import (
	"fmt"
	"image"

	"superres/superres/resample"
	"superres/superres/score"
)

// A picture is reduced as a protocol does, and what became of it is scored.
func Example() {
	draw := func(contrast int) image.Image {
		m := image.NewGray(image.Rect(0, 0, 64, 48))
		for i := range m.Pix {
			m.Pix[i] = uint8(128 + contrast*(i%64/8%2)) // stripes
		}
		return m
	}
	truth := draw(100)
	low, err := score.Reduce(truth, 2, resample.Cubic)
	if err != nil {
		panic(err)
	}
	fmt.Println(low.Bounds().Size(), score.MatlabY.Measures())
	worse := draw(90) // what somebody made of it
	m, err := score.MatlabY.Compare(truth, worse, 2)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.1f dB\n", m.PSNR)
	// Output:
	// (32,24) PSNR dB / SSIM of Y
	// 32.1 dB
}
