package digits

import (
	"math"
	"slices"

	"superres/cmd/internal/console"
	"superres/mnist"
)

// scores are the sums of the errors of a call.
type scores struct {
	all     sums
	classes map[int]*sums // by label; nil without labels
	worst   *worst        // nil when no error is defined
}

// add counts a digit in, in the order of the file, so that the sums are the same
// bits for any number of workers.
func (s *scores) add(x digit) {
	if x.errors == nil {
		return
	}
	s.all.add(x.errors)
	if x.label != mnist.NoLabel {
		if s.classes == nil {
			s.classes = map[int]*sums{}
		}
		if s.classes[x.label] == nil {
			s.classes[x.label] = new(sums)
		}
		s.classes[x.label].add(x.errors)
	}
	if v := x.errors[len(x.errors)-1]; !math.IsNaN(v) && (s.worst == nil || v > s.worst.Error) {
		s.worst = &worst{Index: x.index, Error: v}
		if x.label != mnist.NoLabel {
			s.worst.Label = &x.label
		}
	}
}

// sums are sums over some images.
type sums struct {
	images, scored int       // of scored ones an error is defined
	errors         []float64 // one a column
}

func (s *sums) add(errs []float64) {
	if s.errors == nil {
		s.errors = make([]float64, len(errs))
	}
	if s.images++; slices.ContainsFunc(errs, math.IsNaN) {
		return // the image is black
	}
	s.scored++
	for i, v := range errs {
		s.errors[i] += v
	}
}

// means are the mean errors over the images that have one; nil where none has.
func (s *sums) means() []*float64 {
	out := make([]*float64, len(s.errors))
	for i, v := range s.errors {
		out[i] = console.Finite(v / float64(s.scored))
	}
	return out
}
