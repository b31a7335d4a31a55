package recovery

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"superres/cmd/internal/plugins"
	"superres/internal/report"
	"superres/learners/planted"
)

// requiredShare is the mean share of the atoms that a learner must recover with N signals, and with every larger number
// of signals tried, for N signals to count as enough.
const requiredShare = 0.9

// verdict says which learners need the fewest signals to solve the problems of a panel, and how many.
type verdict struct {
	// first are the learners for which n signals are enough, while fewer are not enough for any learner. If no number
	// tried is enough for any learner, first is empty and n is the largest number tried.
	first []string
	n     int
	// next is the learner that needs the fewest signals after those in first, and nextN the number that it needs, or 0
	// if no number tried is enough. next is empty if there is no other learner.
	next  string
	nextN int
	// contest compares the errors of all learners with n signals.
	contest report.Contest
}

// verdict returns which learners need the fewest signals according to the trials of panel p.
func (f findings) verdict(p planted.Panel) (v verdict) {
	sizes := f.sizes(p)
	v.n = sizes[len(sizes)-1]
	needs := map[string]int{}
	for _, learner := range f.learners() {
		for _, n := range slices.Backward(sizes) { // all larger numbers must be enough, too
			if !(f.mean(p, n, learner, recovered) >= requiredShare) { // also if all trials failed: NaN
				break
			}
			needs[learner] = n
		}
		if n := needs[learner]; n > 0 {
			v.n = min(v.n, n)
		}
	}
	for _, learner := range f.learners() {
		switch n := needs[learner]; {
		case n == v.n: // not for n = 0, with which no number is enough
			v.first = append(v.first, f.label(learner))
		case v.next == "" || n > 0 && (v.nextN == 0 || n < v.nextN):
			v.next, v.nextN = f.label(learner), n
		}
	}
	v.contest = f.contest(p, v.n)
	return v
}

// contest returns the comparison of the learners by their errors on the problems of panel p with n signals. Further
// columns have the share of atoms recovered, what the learner is told besides the signals, and non-zeros in a code.
func (f findings) contest(p planted.Panel, n int) report.Contest {
	c := report.Contest{Title: fmt.Sprintf("ranking with N = %d", n), Kind: "learner", Problems: "problems",
		Measure: report.Measure{Name: "error", Format: "%.4f", Say: "an error of %.4f"},
		Columns: []string{"recovered", "told", "non-zeros"}}
	for _, learner := range f.learners() {
		nonZeros := f.mean(p, n, learner, func(t planted.Trial) float64 { return t.NonZeros })
		// The mean of 1 for a trial that was falling and 0 for others is their share.
		falling := f.mean(p, n, learner, func(t planted.Trial) float64 { return map[bool]float64{true: 1}[t.Falling] })
		e := report.Entrant{Name: f.label(learner), Learns: true,
			Seconds: f.mean(p, n, learner, seconds), Scores: f.scores(p, n, learner, assigned),
			More: []report.Cell{{Text: report.Number("%.0f %%", 100*f.mean(p, n, learner, recovered))},
				{Text: plugins.Told(learner, p.S)}, {Text: report.Number("%.2f", nonZeros)}}}
		if plugins.Coderless(learner) {
			e.More[2].Mark = e.Name + " has no coder, is not told S, and chooses the number of non-zeros itself. The " +
				"error compares the atoms, in which codes play no part."
		}
		if falling > 0 {
			e.Mark = fmt.Sprintf("%s: the RMSE still fell at the last iteration in %.0f %% of the problems. ", e.Name,
				100*falling)
		}
		if worse := f.mean(p, n, learner, worse); worse > 0 {
			e.Mark += fmt.Sprintf("%s: in %.0f %% of the problems an earlier iteration had an RMSE smaller by more "+
				"than 1 %%; the dictionary is that of the last.", e.Name, 100*worse)
		}
		e.Mark = strings.TrimSpace(e.Mark)
		c.Entrants = append(c.Entrants, e)
	}
	return c
}

// worse returns 1 if a trial ended with an RMSE more than 1 % above its least RMSE, else 0.
func worse(t planted.Trial) float64 {
	return map[bool]float64{true: 1}[t.Least > 0 && t.Least < 0.99*t.RMSE]
}

// scores returns the score of each trial of a learner on panel p with n signals, in order; NaN for a failed trial.
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

// String returns the verdict as text: which learners need the fewest signals, how many, and who has the least error.
func (v verdict) String() string {
	recovers := fmt.Sprintf("%g %% of the atoms", 100*requiredShare)
	with := fmt.Sprintf("With N = %d, %s.", v.n, v.contest.Headline())
	next := ""
	switch {
	case len(v.first) == 0:
		return fmt.Sprintf("No learner recovers %s with the numbers of signals tried. %s", recovers, with)
	case v.next != "" && v.nextN == 0:
		next = fmt.Sprintf(", %s with none of the numbers tried", v.next)
	case v.next != "":
		next = fmt.Sprintf(", %s, the next, from %d on", v.next, v.nextN)
	}
	from := fmt.Sprintf("%s from N = %d on%s. %s", recovers, v.n, next, with)
	names := report.Enumerate(v.first)
	switch {
	case len(v.first) > 1:
		return fmt.Sprintf("No learner alone needs the fewest signals: %s recover %s", names, from)
	case v.next == "":
		return names + " recovers " + from
	case !v.decided():
		return fmt.Sprintf("No learner is shown to need the fewest signals: %s recovers %s", names, from)
	}
	return fmt.Sprintf("%s needs the fewest signals: it recovers %s", names, from)
}

// decided reports whether one learner alone needs the fewest signals and, with them, is ahead by more than chance.
func (v verdict) decided() bool { return len(v.first) == 1 && v.contest.Winner() == v.first[0] }

// verdicts returns the findings at the head of the page. For one panel they are the verdict and the evidence for it;
// for several panels, the number of panels in which each learner alone needs the fewest signals.
func (f findings) verdicts() []string {
	panels := f.panels()
	if len(panels) == 1 {
		v := f.verdict(panels[0])
		return append([]string{v.String()}, slices.DeleteFunc([]string{v.contest.Evidence()},
			func(text string) bool { return text == "" })...)
	}
	alone := map[string]int{}
	for _, p := range panels {
		if v := f.verdict(p); v.decided() {
			alone[v.first[0]]++
		}
	}
	var parts []string
	for _, learner := range f.names() {
		if n := alone[learner]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s in %d", learner, n))
		}
	}
	if len(parts) == 0 {
		return []string{fmt.Sprintf("No learner is shown to need the fewest signals in any of %d sizes of problem.",
			len(panels))}
	}
	return []string{fmt.Sprintf("The fewest signals are needed by %s of %d sizes of problem.", report.Enumerate(parts),
		len(panels))}
}
