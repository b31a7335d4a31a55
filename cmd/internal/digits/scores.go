package digits

import (
	"fmt"
	"math"
	"slices"

	"superres/cmd/internal/console"
	"superres/internal/report"
	"superres/mnist"
)

// scores sums up the errors of all digits.
type scores struct {
	all     sums
	classes map[int]*sums // by label; nil where there are no labels
	worst   *worst        // nil where no error is defined
	duels   []report.Duel // of the model with each of the other columns
}

// add adds the errors of a digit. Digits are added in the order of the file, so that the sums are the same bits for
// any number of workers.
func (s *scores) add(x digit) {
	if x.errors == nil {
		return
	}
	s.all.add(x.errors)
	s.compare(x.errors)
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

// compare adds an image to the duels of the model, whose error is the last.
func (s *scores) compare(errs []float64) {
	others, model := errs[:len(errs)-1], errs[len(errs)-1:]
	if s.duels == nil {
		s.duels = make([]report.Duel, len(others))
	}
	if slices.ContainsFunc(errs, math.IsNaN) {
		return // the image is black
	}
	for i := range others {
		d, image := &s.duels[i], report.Judge(model, others[i:])
		d.Wins, d.Losses, d.Ties = d.Wins+image.Wins, d.Losses+image.Losses, d.Ties+image.Ties
	}
}

// finding says in a sentence whether the model, which is the last column, restores better than the best of the
// others. It is empty where nothing is compared.
func (s *scores) finding(columns []string) string {
	mean := s.all.means()
	last := len(mean) - 1
	if last < 1 || mean[last] == nil {
		return ""
	}
	next := 0
	for i := range mean[:last] {
		if *mean[i] < *mean[next] {
			next = i
		}
	}
	model, other, duel := columns[last], columns[next], s.duels[next]
	back := report.Duel{Wins: duel.Losses, Losses: duel.Wins, Ties: duel.Ties}
	figures := fmt.Sprintf("a mean error of %.4f against %.4f", *mean[last], *mean[next])
	switch {
	case *mean[last] < *mean[next] && duel.Decided():
		return fmt.Sprintf("%s restores best: %s of %s, the next (%s).", model, figures, other, duel.In("images"))
	case *mean[last] > *mean[next] && back.Decided():
		return fmt.Sprintf("%s restores worse than %s: %s (%s is %s).", model, other, figures, other, back.In("images"))
	}
	return fmt.Sprintf("%s is not shown to restore better than %s: %s (%s).", model, other, figures, duel.In("images"))
}

// sums are sums of errors over images.
type sums struct {
	images, scored int       // how many images there are, and how many of them have an error
	errors         []float64 // a sum for each column
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

// means returns the mean error of each column over the images that have one: nil where none has.
func (s *sums) means() []*float64 {
	out := make([]*float64, len(s.errors))
	for i, v := range s.errors {
		out[i] = console.Finite(v / float64(s.scored))
	}
	return out
}
