package fit_test

import (
	"context"
	"fmt"
	"image"

	"superres/superres"
	"superres/superres/coupled/learning"
	"superres/superres/fit"
	"superres/superres/training"
)

// A small model is trained, scored on a picture that was held out, and used.
func ExampleTrain() {
	draw := func(w, h, phase int) image.Image {
		m := image.NewGray(image.Rect(0, 0, w, h))
		for i := range m.Pix {
			x, y := i%w+5*phase, i/w
			m.Pix[i] = uint8(60 + 120*((x+y/2)/7%2) + (x*y+phase)%40)
		}
		return m
	}
	var pictures []training.Source
	for i := range 4 {
		pictures = append(pictures, training.Source{
			Name: fmt.Sprint("drawing ", i),
			Open: func(context.Context) (image.Image, error) { return draw(64, 48, i), nil },
		})
	}
	trainer := learning.Defaults()
	trainer.Atoms, trainer.Patches, trainer.Iterations, trainer.Seed = 40, 2000, 4, 1
	m, err := fit.Train(context.Background(), pictures, trainer, fit.Options{HeldOut: 1, Seed: 1})
	if err != nil {
		panic(err)
	}
	s := m.Provenance.Score
	fmt.Printf("scale %d, better than bicubic: %v\n", m.Scale, s.Model.PSNR > s.Bicubic.PSNR)
	large, err := m.Upscale(context.Background(), draw(20, 10, 9), superres.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Println(large.Bounds().Size())
	// Output:
	// scale 2, better than bicubic: true
	// (40,20)
}
