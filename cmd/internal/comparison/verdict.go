package comparison

import (
	"fmt"
	"math"
	"slices"

	"superres/internal/report"
)

// verdicts say who restored best, one form of models after the other, by the first of the
// measures.
func (f findings) verdicts() []string {
	var list []string
	for _, way := range f.forms {
		list = append(list, f.verdict(f.measures()[0], way))
	}
	return list
}

// verdict compares the learner with the best mean with the next, and the best with what
// needs no learning.
func (f findings) verdict(m measure, way form) string {
	// Less is better from here on.
	sign := -1.0
	if m.less {
		sign = 1
	}
	mean := map[string]float64{}
	var order []string
	for _, learner := range f.opt.Learners {
		if v, _ := report.Mean(f.values(m, way, learner, -1)); !math.IsNaN(v) {
			mean[learner] = sign * v
			order = append(order, learner)
		}
	}
	say := func(v float64) string { return fmt.Sprintf(m.say, sign*v) }
	with := "as in the paper"
	if !way.paper || f.opt.Protocol.photo {
		with = "with " + way.title
	}
	if !way.paper && !f.opt.Protocol.photo {
		with = way.title
	}
	if len(order) == 0 {
		return fmt.Sprintf("No learner restored anything %s.", with)
	}
	slices.SortStableFunc(order, func(a, b string) int {
		switch {
		case mean[a] < mean[b]:
			return -1
		case mean[a] > mean[b]:
			return 1
		}
		return 0
	})
	first := order[0]
	text := fmt.Sprintf("%s restores %s with %s in the mean; there is nobody to compare it with.", first, with, say(mean[first]))
	if len(order) > 1 {
		next := order[1]
		a, what := f.problems(m, way, first, sign)
		b, _ := f.problems(m, way, next, sign)
		duel := report.Judge(a, b)
		if duel.Decided() {
			text = fmt.Sprintf("%s restores best %s: %s in the mean, %s, the next, %s (%s).", first, with, say(mean[first]), next, say(mean[next]), duel.In(what))
		} else {
			text = fmt.Sprintf("No learner is shown to restore best %s: %s has %s in the mean, %s, the next, %s, but that may be chance (%s).",
				with, first, say(mean[first]), next, say(mean[next]), duel.In(what))
		}
	}
	best, name := math.Inf(1), ""
	for _, b := range f.baselines {
		if v := sign * average(m, b.scores, -1); v < best {
			best, name = v, f.title(b)
		}
	}
	switch {
	case name == "":
		return text
	case best < mean[first]:
		return fmt.Sprintf("%s None comes up to %s, with %s.", text, name, say(best))
	}
	return fmt.Sprintf("%s The best of what was there already, %s, has %s.", text, name, say(best))
}

// problems returns the score of a learner in every run or, where there are more of them, of
// every picture, no number where there is none, and what they are; sign says whether less
// is better.
func (f findings) problems(m measure, way form, learner string, sign float64) (list []float64, what string) {
	if len(f.data.tests) > f.opt.Protocol.runs {
		for i := range f.data.tests {
			v, _ := report.Mean(f.values(m, way, learner, i))
			list = append(list, sign*v)
		}
		return list, "pictures"
	}
	list = slices.Repeat([]float64{math.NaN()}, f.opt.Protocol.runs)
	for _, one := range f.results {
		if one.Learner == learner && one.Failure == "" && one.Run < len(list) {
			list[one.Run] = sign * average(m, way.scores(one), -1)
		}
	}
	return list, "runs"
}
