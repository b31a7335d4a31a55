// Package trainingtest has training pictures for tests of trainers.
package trainingtest

import (
	"context"
	"image"

	"superres/internal/testimage"
	"superres/superres/training"
)

// Drawings returns n different grey pictures of 64×48 pixels with edges in all directions.
func Drawings(n int) []training.Source {
	var list []training.Source
	for i := range n {
		list = append(list, training.Source{Name: "drawing", Open: func(context.Context) (image.Image, error) {
			return testimage.Drawing(64, 48, float64(i)), nil
		}})
	}
	return list
}
