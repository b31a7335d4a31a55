package mnist

import (
	"image"
	"io"
	"iter"
)

// Images reads an IDX file of images, one at a time: it holds fixed buffers and one image in memory, for any number
// of images. It is not safe for concurrent use.
type Images struct{ s *stream }

// OpenImages opens a regular file, plain or gzip, and reads its header. The caller closes it.
func OpenImages(name string) (*Images, error) {
	s, err := openStream(name, imageMagic)
	if err != nil {
		return nil, err
	}
	return &Images{s}, nil
}

// NewImages returns a reader of images, plain or gzip, from r, and reads their header. It may read r beyond the
// images. Close does not close r.
func NewImages(r io.Reader) (*Images, error) {
	s, err := newStream(r, "", imageMagic)
	if err != nil {
		return nil, err
	}
	return &Images{s}, nil
}

// Count returns the number of images that the header announces.
func (f *Images) Count() int { return f.s.count }

// Width returns the width of every image in pixels, 1 to 65535.
func (f *Images) Width() int { return f.s.width }

// Height returns the height of every image in pixels, 1 to 65535.
func (f *Images) Height() int { return f.s.height }

// All yields the images in the order of the file. The image is reused: its pixels are valid until the next step.
// After an error, which comes with a nil image, the loop ends. A second loop continues where the first stopped.
func (f *Images) All() iter.Seq2[*image.Gray, error] {
	return func(yield func(*image.Gray, error) bool) {
		img := image.NewGray(image.Rect(0, 0, f.s.width, f.s.height))
		for {
			err := f.s.read(img.Pix)
			if err == io.EOF {
				return
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(img, nil) {
				return
			}
		}
	}
}

// Close closes the file that OpenImages opened. Images that were not read are not checked.
func (f *Images) Close() error { return f.s.close() }
