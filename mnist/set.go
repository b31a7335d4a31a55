package mnist

import (
	"fmt"
	"image"
	"slices"
)

// maxLoad bounds, in bytes, what Load and ReadLabels keep in memory; MNIST's
// training set takes a twentieth.
const maxLoad = 1 << 30

// imageOverhead is about what an image costs besides its pixels: the
// image.Gray, a pointer to it and the allocator's rounding.
const imageOverhead = 128

// Set is a pair of files in memory: Labels[i] tells what Images[i] shows. All
// images are of one size and own their pixels.
type Set struct {
	Images []*image.Gray
	Labels []uint8
}

// Load reads a file of images and its file of labels, each plain or gzip, of at
// most 2³⁰ bytes together. [OpenImages] has no such limit.
func Load(images, labels string) (*Set, error) {
	f, err := OpenImages(images)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if n := int64(f.Count()) * (int64(f.Width())*int64(f.Height()) + imageOverhead); n > maxLoad {
		return nil, f.s.wrap(fmt.Errorf("%d images of %d×%d take %d bytes, expected at most %d in memory (OpenImages has no such limit)",
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
