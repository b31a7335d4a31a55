package report

import (
	"fmt"
	"math"
)

// Doubt is the largest probability, by chance alone, of a result that Duel calls decided.
const Doubt = 0.05

// Duel counts how often each of two was better than the other on the same problems, and how often they were
// equal.
type Duel struct{ Wins, Losses, Ties int }

// Judge returns the duel of scores, problem by problem. Less is better. Scores that are NaN are left out.
func Judge(scores, others []float64) (d Duel) {
	for i, v := range scores[:min(len(scores), len(others))] {
		switch {
		case v < others[i]:
			d.Wins++
		case v > others[i]:
			d.Losses++
		case v == others[i]:
			d.Ties++
		}
	}
	return d
}

// P returns the probability of so uneven a duel, or a more uneven one, when neither is better, by the two-
// sided sign test.
func (d Duel) P() float64 {
	n := d.Wins + d.Losses
	logFactorial := func(k int) float64 {
		v, _ := math.Lgamma(float64(k + 1))
		return v
	}
	sum := 0.0
	for k := range min(d.Wins, d.Losses) + 1 {
		sum += math.Exp(logFactorial(n) - logFactorial(k) - logFactorial(n-k) - float64(n)*math.Ln2)
	}
	return min(1, 2*sum)
}

// Decided reports whether the first is better, beyond chance.
func (d Duel) Decided() bool { return d.Wins > d.Losses && d.P() < Doubt }

// In describes the duel: in how many of the problems, for which it has a word, the first was better.
func (d Duel) In(problems string) string {
	p := fmt.Sprintf("p = %.2g", d.P())
	if d.P() < 0.001 {
		p = "p < 0.001"
	}
	return fmt.Sprintf("better in %d of %d %s, sign test, %s", d.Wins, d.Wins+d.Losses+d.Ties, problems, p)
}
