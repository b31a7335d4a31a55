package superres_test

import (
	"context"
	"fmt"
	"image"
	"image/color"

	"superres/superres"
	"superres/superres/coupled"
	"superres/superres/models"
	"superres/superres/training"
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
	trainer := coupled.Trainer{Atoms: 40, Patches: 2000, Iterations: 4, Seed: 1}
	m, err := superres.Train(context.Background(), pictures, trainer, superres.TrainOptions{HeldOut: 1, Seed: 1})
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
