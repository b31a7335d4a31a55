package report

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Mean returns the mean and the standard deviation of numbers. Both are NaN for no numbers; the deviation of
// one number is 0.
func Mean(v []float64) (m, sd float64) {
	if len(v) == 0 {
		return math.NaN(), math.NaN()
	}
	if m, sd = stat.MeanStdDev(v, nil); len(v) < 2 {
		sd = 0
	}
	return m, sd
}

// MeanError returns the mean of numbers and its standard error. Both are NaN for no numbers; the error of one is 0.
func MeanError(v []float64) (m, se float64) {
	m, sd := Mean(v)
	return m, sd / math.Sqrt(float64(len(v)))
}

// Median returns the median of numbers, or NaN for none.
func Median(v []float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(v))
	return (sorted[(len(v)-1)/2] + sorted[len(v)/2]) / 2
}

// Spread returns the 10 % and the 90 % quantile of numbers, interpolated linearly. Both are NaN for no numbers.
func Spread(v []float64) (low, high float64) {
	if len(v) == 0 {
		return math.NaN(), math.NaN()
	}
	sorted := slices.Sorted(slices.Values(v))
	at := func(q float64) float64 {
		k := q * float64(len(sorted)-1)
		i := int(k)
		return sorted[i] + (k-float64(i))*(sorted[min(i+1, len(sorted)-1)]-sorted[i])
	}
	return at(0.1), at(0.9)
}

// Doubt is the largest probability, by chance alone, of a result that Duel calls decided.
const Doubt = 0.05

// Duel counts how often each of two was better than the other on the same problems, and how often they were equal.
type Duel struct{ Wins, Losses, Ties int }

// Judge returns the duel of scores[i] with others[i] over all problems i. Less is better, and NaN is left out.
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

// P returns the probability that a duel is at least as uneven as d when neither side is better, by the two-sided sign
// test.
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

// Decided reports whether the first side is better by more than chance explains.
func (d Duel) Decided() bool { return d.Wins > d.Losses && d.P() < Doubt }

// In says in how many of the problems the first side was better. problems is the word for them, such as "runs".
func (d Duel) In(problems string) string {
	p := fmt.Sprintf("p = %.2g", d.P())
	if d.P() < 0.001 {
		p = "p < 0.001"
	}
	return fmt.Sprintf("better in %d of %d %s, sign test, %s", d.Wins, d.Wins+d.Losses+d.Ties, problems, p)
}

// Gap is by how much one of two is better than the other on the same problems, in the mean.
type Gap struct {
	N     int     // the number of problems
	Mean  float64 // above 0 where the first is better; NaN where N is 0
	Error float64 // the standard error of Mean; NaN where N is below 2
}

// Compare returns the gap between scores and others[i] over all problems i. Less is better, and NaN is left out.
func Compare(scores, others []float64) Gap {
	var differences []float64
	for i, v := range scores[:min(len(scores), len(others))] {
		if d := others[i] - v; !math.IsNaN(d) {
			differences = append(differences, d)
		}
	}
	g := Gap{N: len(differences)}
	var sd float64
	if g.Mean, sd = Mean(differences); g.N < 2 {
		sd = math.NaN()
	}
	g.Error = sd / math.Sqrt(float64(g.N))
	return g
}

// Decided reports whether the first is better by more standard errors than chance explains: Student's t test of pairs,
// two-sided, at the level Doubt.
func (g Gap) Decided() bool {
	return g.N > 1 && g.Mean > 0 &&
		g.Mean > g.Error*distuv.StudentsT{Sigma: 1, Nu: float64(g.N - 1)}.Quantile(1-Doubt/2)
}

// Best returns the index of the scores with the least mean where these are ahead of every other by more than chance
// explains, by Student's t test of pairs or by the sign test, or else -1. All scores are of the same problems in the
// same order; less is better, and NaN is left out.
func Best(scores [][]float64) int {
	best, least := -1, math.Inf(1)
	for i, v := range scores {
		m, _ := Mean(slices.DeleteFunc(slices.Clone(v), math.IsNaN))
		if m < least {
			best, least = i, m
		}
	}
	for i, v := range scores {
		if i != best && best >= 0 && !Compare(scores[best], v).Decided() && !Judge(scores[best], v).Decided() {
			return -1
		}
	}
	if len(scores) < 2 {
		return -1
	}
	return best
}
