package superres_test

import (
	"context"
	"fmt"
	"image"
	"image/color"

	"superres/superres"
	"superres/superres/models"
)

// A model that is part of the program enlarges an image.
func Example() {
	m, err := models.Open("photo")
	if err != nil {
		panic(err)
	}
	small := image.NewNRGBA(image.Rect(0, 0, 40, 30))
	for i := range 40 * 30 {
		x, y := i%40, i/40
		small.Set(x, y, color.NRGBA{uint8(6 * x), uint8(8 * y), 128, 255})
	}
	large, err := m.Upscale(context.Background(), small, superres.Options{Scale: 2.5})
	if err != nil {
		panic(err)
	}
	fmt.Println(large.Bounds().Size())
	// Output: (100,75)
}
