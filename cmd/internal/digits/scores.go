package digits

import (
	"fmt"
	"math"
	"slices"

	"superres/cmd/internal/console"
	"superres/internal/report"
	"superres/mnist"
)

// scores are the sums of the errors of a call.
type scores struct {
	all     sums
	classes map[int]*sums // by label; nil without labels
	worst   *worst        // nil when no error is defined
	duels   []report.Duel // of the model with each other column
}

// add counts a digit in, in the order of the file, so that the sums are the same
// bits for any number of workers.
func (s *scores) add(x digit) {
	if x.errors == nil {
		return
	}
	s.all.add(x.errors)
	s.fight(x.errors)
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

// fight counts for the model, whose error is the last, or against it.
func (s *scores) fight(errs []float64) {
	others, model := errs[:len(errs)-1], errs[len(errs)-1:]
	if s.duels == nil {
		s.duels = make([]report.Duel, len(others))
	}
	if slices.ContainsFunc(errs, math.IsNaN) {
		return // the image is black
	}
	for i := range others {
		one := report.Judge(model, others[i:])
		s.duels[i] = report.Duel{Wins: s.duels[i].Wins + one.Wins, Losses: s.duels[i].Losses + one.Losses, Ties: s.duels[i].Ties + one.Ties}
	}
}

// finding says in a sentence whether the model, the last of the columns, restores better
// than the best of the others. It is empty where there is nothing to compare.
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
