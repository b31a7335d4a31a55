package mnist

import (
	"fmt"
	"io"
	"iter"
)

// Labels reads an IDX file of labels, one at a time. It is not safe for concurrent use.
type Labels struct{ s *stream }

// OpenLabels opens a regular file, plain or gzip, and reads its header. The caller closes it.
func OpenLabels(name string) (*Labels, error) {
	s, _, err := openStream(name, labelMagic)
	if err != nil {
		return nil, err
	}
	return &Labels{s}, nil
}

// NewLabels returns a reader of labels, plain or gzip, from r, and reads their header. It may read r beyond the
// labels. Close does not close r.
func NewLabels(r io.Reader) (*Labels, error) {
	s, _, err := newStream(r, "", labelMagic)
	if err != nil {
		return nil, err
	}
	return &Labels{s}, nil
}

// Count returns the number of labels that the header announces.
func (f *Labels) Count() int { return f.s.count }

// All yields the labels in the order of the file: 0 to 9 in MNIST, any byte in similar data sets. After an error the
// loop ends. A second loop continues where the first stopped.
func (f *Labels) All() iter.Seq2[uint8, error] {
	return func(yield func(uint8, error) bool) {
		var b [1]byte
		for {
			err := f.s.read(b[:])
			if err == io.EOF {
				return
			}
			if err != nil {
				yield(0, err)
				return
			}
			if !yield(b[0], nil) {
				return
			}
		}
	}
}

// Close closes the file that OpenLabels opened. Labels that were not read are not checked.
func (f *Labels) Close() error { return f.s.close() }

// ReadLabels returns all labels of a file, of which there may be 2³⁰.
func ReadLabels(name string) ([]uint8, error) {
	f, err := OpenLabels(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if f.Count() > maxLoad {
		return nil, f.s.wrap(fmt.Errorf("got %d labels, expected at most %d in memory (OpenLabels has no such limit)",
			f.Count(), maxLoad))
	}
	// The count of the header may be false, so memory grows with the labels that are read.
	labels := make([]uint8, 0, min(f.Count(), 1<<16))
	for label, err := range f.All() {
		if err != nil {
			return nil, err
		}
		labels = append(labels, label)
	}
	return labels, nil
}
