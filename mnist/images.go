package mnist

import (
	"errors"
	"fmt"
	"image"
	"io"
	"iter"
)

// Images reads an IDX file of images, one at a time: it holds fixed buffers and one image in memory, for any number
// of images. It is not safe for concurrent use.
type Images struct{ s *stream }

// OpenImages opens a regular file, plain or gzip, and reads its header. The caller must close the reader.
func OpenImages(name string) (*Images, error) {
	s, err := openStream(name, imageMagic)
	if err != nil {
		return nil, err
	}
	return &Images{s}, nil
}

// NewImages reads the header of the images in r, plain or gzip. It may read beyond the last image. Close leaves r open.
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

// All yields the images in the order of the file. It reuses the image: its pixels are valid until the next iteration.
// After an error, which comes with a nil image, the loop ends. A second loop continues where the first loop stopped.
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

// Close closes the file that OpenImages opened. It does not check images that were not read.
func (f *Images) Close() error { return f.s.close() }

// Pair reads images and labels from two files, one image with its label at a time. It is not safe for concurrent use.
type Pair struct {
	*Images
	labels *stream // nil if no labels were opened
}

// Item is an image with its number in the file, from 0, and its label, or NoLabel.
type Item struct {
	Index int
	Image *image.Gray
	Label int
}

// NoLabel is the label of an image for which no labels were opened.
const NoLabel = -1

// OpenPair opens the regular files images and labels, plain or gzip, and reads their headers. The two counts must be
// equal. If labels is "", there are no labels. The caller must close the pair.
func OpenPair(images, labels string) (*Pair, error) {
	p := new(Pair)
	var err error
	if p.Images, err = OpenImages(images); err != nil {
		return nil, err
	}
	if labels == "" {
		return p, nil
	}
	if p.labels, err = openStream(labels, labelMagic); err != nil {
		p.Images.Close()
		return nil, err
	}
	if n := p.labels.count; n != p.Count() {
		p.Close()
		return nil, fmt.Errorf("mnist: got %d images in %s but %d labels in %s, expected as many",
			p.Count(), images, n, labels)
	}
	return p, nil
}

// All yields the images with their labels in the order of the files. It reuses the image: its pixels are valid until
// the next iteration. After an error the loop ends. A loop that runs to its end has checked the ends of both files.
func (p *Pair) All() iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		for img, err := range p.Images.All() {
			item := Item{Image: img, Index: p.Images.s.next - 1, Label: NoLabel}
			if err == nil && p.labels != nil {
				item.Label, err = p.labels.readLabel()
			}
			if err != nil {
				yield(Item{}, err)
				return
			}
			if !yield(item, nil) {
				return
			}
		}
		if p.labels == nil {
			return
		}
		if _, err := p.labels.readLabel(); err != io.EOF {
			yield(Item{}, err)
		}
	}
}

// Close closes both files.
func (p *Pair) Close() error {
	if p.labels == nil {
		return p.Images.Close()
	}
	return errors.Join(p.Images.Close(), p.labels.close())
}
