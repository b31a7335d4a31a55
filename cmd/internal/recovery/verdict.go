package recovery

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"superres/internal/report"
	"superres/learners/planted"
)

// requiredShare is the mean share of the atoms that a learner has to recover with N signals, and with all larger
// numbers that were tried, so that N signals count as enough for it.
const requiredShare = 0.9

// verdict says which learner needs the fewest signals for the problems of a panel.
type verdict struct {
	// first is the learner that needs the fewest signals, n of them. next is the next best with n signals; it needs
	// nextN signals, which is 0 where no number that was tried is enough for it. Where no number is enough for any
	// learner, n is the largest that was tried and first the learner with the smallest error with n signals.
	first, next string
	n, nextN    int
	alike       []string // the other learners that need n signals
	// pair compares first with next, problem by problem with n signals: by the share of the atoms that they recover
	// or, where no number of signals is enough, by their error.
	pair    report.Pair
	reached bool // a number of signals that was tried is enough for some learner; false: for none
}

// verdict returns the verdict on the trials of panel p.
func (f findings) verdict(p planted.Panel) verdict {
	sizes := f.sizes(p)
	v := verdict{n: sizes[len(sizes)-1]}
	needs := map[string]int{}
	for _, learner := range f.learners() {
		for _, n := range slices.Backward(sizes) {
			if !(f.point(p, n, learner).recovered >= requiredShare) {
				break
			}
			needs[learner] = n
		}
		if n := needs[learner]; n > 0 && n <= v.n {
			v.n, v.reached = n, true
		}
	}
	score := func(t planted.Trial) float64 { return t.Assigned }
	if v.reached {
		score = func(t planted.Trial) float64 { return -t.Recovered }
	}
	// Learners that need v.n signals come first, and within both groups those with the smaller mean of score.
	mean := func(learner string) float64 {
		m, _ := report.Mean(slices.DeleteFunc(f.scores(p, v.n, learner, score), math.IsNaN))
		if math.IsNaN(m) {
			return math.Inf(1)
		}
		return m
	}
	order := f.learners()
	slices.SortStableFunc(order, func(a, b string) int {
		firstA, firstB := v.reached && needs[a] == v.n, v.reached && needs[b] == v.n
		switch {
		case firstA != firstB && firstA, firstA == firstB && mean(a) < mean(b):
			return -1
		case firstA != firstB || mean(a) > mean(b):
			return 1
		}
		return 0
	})
	v.first = order[0]
	if len(order) == 1 {
		v.first = f.label(v.first)
		return v
	}
	v.next, v.nextN = order[1], needs[order[1]]
	for _, learner := range order[1:] {
		if v.reached && needs[learner] == v.n {
			v.alike = append(v.alike, learner)
		}
	}
	v.pair = report.Compare(f.scores(p, v.n, v.first, score), f.scores(p, v.n, v.next, score))
	v.first, v.next = f.label(v.first), f.label(v.next)
	for i := range v.alike {
		v.alike[i] = f.label(v.alike[i])
	}
	return v
}

// scores returns the score of a learner in every trial of panel p with n signals, in their order: NaN where it failed.
func (f findings) scores(p planted.Panel, n int, learner string, score func(planted.Trial) float64) (list []float64) {
	for _, t := range f.trials {
		switch {
		case t.Panel() != p || t.N != n || t.Learner != learner:
		case t.Failure != "":
			list = append(list, math.NaN())
		default:
			list = append(list, score(t))
		}
	}
	return list
}

// decided reports whether first alone needs the fewest signals, and is ahead of next by more than chance explains.
func (v verdict) decided() bool { return v.reached && len(v.alike) == 0 && v.pair.Decided() }

// String returns the verdict as a sentence.
func (v verdict) String() string {
	better := v.pair.In("problems")
	recovers := fmt.Sprintf("%g %% of the atoms", 100*requiredShare)
	nextNeeds := fmt.Sprintf("%s, the next, from %d on", v.next, v.nextN)
	if v.nextN == 0 {
		nextNeeds = fmt.Sprintf("%s, the next, with none of the numbers tried", v.next)
	}
	switch {
	case v.next == "" && v.reached:
		return fmt.Sprintf("%s recovers %s from N = %d signals on; there is nobody to compare it with.",
			v.first, recovers, v.n)
	case v.next == "":
		return fmt.Sprintf("%s recovers %s with none of the numbers of signals tried; there is nobody to compare "+
			"it with.", v.first, recovers)
	case !v.reached && v.pair.Decided():
		return fmt.Sprintf("No learner recovers %s with the numbers of signals tried; with the most, N = %d, %s "+
			"comes nearest to the dictionary (than %s %s).", recovers, v.n, v.first, v.next, better)
	case !v.reached:
		return fmt.Sprintf("No learner recovers %s with the numbers of signals tried, and none is shown to come "+
			"nearest: %s is ahead of %s with N = %d, but that may be chance (%s).", recovers, v.first, v.next, v.n,
			better)
	case len(v.alike) > 0:
		return fmt.Sprintf("No learner alone needs the fewest signals: %s recover %s from N = %d on.",
			strings.Join(append([]string{v.first}, v.alike...), ", "), recovers, v.n)
	case v.decided():
		return fmt.Sprintf("%s needs the fewest signals: it recovers %s from N = %d on, %s (with N = %d %s).", v.first,
			recovers, v.n, nextNeeds, v.n, better)
	}
	return fmt.Sprintf("No learner is shown to need the fewest signals: %s recovers %s from N = %d on, %s, but "+
		"that may be chance (%s).", v.first, recovers, v.n, nextNeeds, better)
}

// verdicts returns the sentence at the head of the page: the verdict on the only panel or, for several panels, in how
// many of them each learner is ahead.
func (f findings) verdicts() []string {
	panels := f.panels()
	if len(panels) == 1 {
		return []string{f.verdict(panels[0]).String()}
	}
	ahead := map[string]int{}
	for _, p := range panels {
		if v := f.verdict(p); v.decided() {
			ahead[v.first]++
		}
	}
	var parts []string
	largest := 0
	order := f.names()
	slices.SortStableFunc(order, func(a, b string) int { return ahead[b] - ahead[a] })
	for _, learner := range order {
		if n := ahead[learner]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s in %d", learner, n))
			largest = max(largest, n)
		}
	}
	of := fmt.Sprintf("of %d sizes of problem", len(panels))
	open := len(panels)
	for _, n := range ahead {
		open -= n
	}
	switch {
	case largest == 0:
		return []string{fmt.Sprintf("No learner is shown to need the fewest signals in any %s; what each "+
			"comes to is below.", of)}
	case len(parts) == 1 && open == 0:
		return []string{fmt.Sprintf("%s needs the fewest signals: in all %s it recovers %g %% of the atoms with "+
			"fewer than the others.", order[0], of[len("of "):], 100*requiredShare)}
	case len(parts) == 1:
		return []string{fmt.Sprintf("%s needs the fewest signals in %d %s; in the others nobody is shown to be ahead.",
			order[0], largest, of)}
	}
	text := fmt.Sprintf("Who needs the fewest signals depends on the problem: %s %s", strings.Join(parts, ", "), of)
	if open > 0 {
		text += fmt.Sprintf(", and nobody is shown to be ahead in %d", open)
	}
	return []string{text + "."}
}
