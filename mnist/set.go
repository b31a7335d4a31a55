package mnist

import (
	"fmt"
	"image"
	"slices"
)

// maxLoad is the largest memory, in bytes, of the results of Load and ReadLabels. MNIST's training set takes a
// twentieth.
const maxLoad = 1 << 30

// imageOverhead is the memory of an image besides its pixels, in bytes: the image.Gray, a pointer to it and the
// rounding of the allocator.
const imageOverhead = 128

// Set is a pair of files in memory: Labels[i] is the label of Images[i]. All images have the same size and their own
// pixels.
type Set struct {
	Images []*image.Gray
	Labels []uint8
}

// Load reads a file of images and its file of labels, each plain or gzip, of at most 2³⁰ bytes together. [OpenImages]
// has no such limit.
func Load(images, labels string) (*Set, error) {
	f, err := OpenImages(images)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if n := int64(f.Count()) * (int64(f.Width())*int64(f.Height()) + imageOverhead); n > maxLoad {
		return nil, f.s.wrap(fmt.Errorf("%d images of %d×%d take %d bytes, expected at most %d in memory "+
			"(OpenImages has no such limit)",
			f.Count(), f.Width(), f.Height(), n, maxLoad))
	}
	set := new(Set)
	if set.Labels, err = ReadLabels(labels); err != nil {
		return nil, err
	}
	if len(set.Labels) != f.Count() {
		return nil, countsDiffer(images, f.Count(), labels, len(set.Labels))
	}
	for img, err := range f.All() {
		if err != nil {
			return nil, err
		}
		own := *img
		own.Pix = slices.Clone(img.Pix)
		set.Images = append(set.Images, &own)
	}
	return set, nil
}
