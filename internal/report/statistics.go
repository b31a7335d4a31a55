package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Mean returns the mean and the standard deviation of numbers. Without numbers, both are NaN; for one number, sd is 0.
func Mean(v []float64) (m, sd float64) {
	if len(v) == 0 {
		return math.NaN(), math.NaN()
	}
	if m, sd = stat.MeanStdDev(v, nil); len(v) < 2 {
		sd = 0
	}
	return m, sd
}

// MeanError returns the mean of numbers and its standard error. Without numbers, both are NaN; for one number, se is 0.
func MeanError(v []float64) (m, se float64) {
	m, sd := Mean(v)
	return m, sd / math.Sqrt(float64(len(v)))
}

// Median returns the median of numbers, or NaN if there are none.
func Median(v []float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(v))
	return (sorted[(len(v)-1)/2] + sorted[len(v)/2]) / 2
}

// Spread returns the 10 % and 90 % quantiles of numbers, interpolated linearly. Without numbers, both are NaN.
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

// Doubt is the level of significance: Pair calls a difference decided if its probability by chance is below Doubt.
const Doubt = 0.05

// Pair compares the scores of two entrants on the same problems. Less is better.
type Pair struct {
	N, Wins, Losses int // number of problems: all, won by the first, lost by the first
	// Mean is the mean of the second's score minus the first's, above 0 if the first is better. Low and High are the
	// ends of its 95 % confidence interval, by Student's t. Mean is NaN if N is 0; the ends are NaN if N is below 2.
	Mean, Low, High float64
	// P is the probability of differences at least as uneven if neither entrant is better: see SignedRank.
	P float64
	// Ahead reports whether the ranks of the differences favour the first entrant: see SignedRank.
	Ahead bool
}

// Compare compares scores[i], of the first entrant, with others[i] over all problems i, but for those with a NaN.
func Compare(scores, others []float64) Pair {
	var p Pair
	var differences []float64
	for i, v := range scores[:min(len(scores), len(others))] {
		switch d := others[i] - v; {
		case math.IsNaN(d):
			continue
		case d > 0:
			p.Wins++
		case d < 0:
			p.Losses++
		}
		differences = append(differences, others[i]-v)
	}
	p.N = len(differences)
	var sd float64
	p.Mean, sd = Mean(differences)
	p.Low, p.High = math.NaN(), math.NaN()
	if p.N > 1 {
		half := sd / math.Sqrt(float64(p.N)) * distuv.StudentsT{Sigma: 1, Nu: float64(p.N - 1)}.Quantile(0.975)
		p.Low, p.High = p.Mean-half, p.Mean+half
	}
	p.P, p.Ahead = SignedRank(differences)
	return p
}

// Reversed returns the comparison of the second entrant with the first.
func (p Pair) Reversed() Pair {
	p.Wins, p.Losses = p.Losses, p.Wins
	p.Mean, p.Low, p.High = -p.Mean, -p.High, -p.Low
	p.Ahead = !p.Ahead && p.P < 1 // if P is 1, neither is ahead
	return p
}

// Decided reports whether the first entrant is better by more than chance explains, at the level Doubt.
func (p Pair) Decided() bool { return p.Ahead && p.P < Doubt }

// Probability returns p as text with two digits, such as "p = 0.02", or as a bound if it is near 0 or 1.
func Probability(p float64) string {
	switch {
	case p < 0.001:
		return "p < 0.001"
	case p > 0.99:
		return "p > 0.99"
	}
	return fmt.Sprintf("p = %.2g", p)
}

// SignedRank returns the two-sided p of Wilcoxon's signed-rank test (F. Wilcoxon, Biometrics Bulletin 1, 1945,
// doi:10.2307/3001968) for the differences of pairs, and whether the positive differences have the larger sum of ranks.
// Differences of 0 are left out, and equal ones get the mean of their ranks. For up to 50 differences, p is exact,
// given the ranks; for more, p is the normal approximation with correction for ties. For no differences, p is 1.
//
// Note: p cannot be below 2^(1−n) for n differences, so five or fewer never decide at the level Doubt.
func SignedRank(differences []float64) (p float64, positive bool) {
	const mostExact = 50
	list := slices.DeleteFunc(slices.Clone(differences), func(d float64) bool { return d == 0 || math.IsNaN(d) })
	if len(list) == 0 {
		return 1, false
	}
	slices.SortFunc(list, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })
	n := len(list)
	ranks := make([]int, n)          // twice the ranks, so that the means of ties are integers
	sum, all, ties := 0, n*(n+1), 0. // sums: of positive ranks; of all; of t³ − t over groups of t ties
	for i := 0; i < n; {
		j := i
		for j < n && math.Abs(list[j]) == math.Abs(list[i]) {
			j++
		}
		t := float64(j - i)
		ties += t*t*t - t
		for k := i; k < j; k++ {
			ranks[k] = i + 1 + j
			if list[k] > 0 {
				sum += ranks[k]
			}
		}
		i = j
	}
	least := min(sum, all-sum)
	if n > mostExact {
		m := float64(n)
		variance := m*(m+1)*(2*m+1)/24 - ties/48
		z := (float64(least)/2 - m*(m+1)/4) / math.Sqrt(variance)
		return min(1, math.Erfc(-z/math.Sqrt2)), 2*sum > all // twice the normal distribution up to z, which is below 0
	}
	counts := make([]float64, all+1) // counts[s]: in how many choices of signs positive ranks sum to s
	counts[0] = 1
	for _, r := range ranks {
		for s := all; s >= r; s-- {
			counts[s] += counts[s-r]
		}
	}
	below := 0.0
	for _, c := range counts[:least+1] {
		below += c
	}
	return min(1, math.Ldexp(below, 1-n)), 2*sum > all
}

// Rank is the place of one of several entrants scored on the same problems.
type Rank struct {
	Entrant int // index of the entrant
	Mean    float64
	Won     int // number of problems on which this entrant alone is best
	// Pair compares the reference of the ranking with this entrant; for the reference it is the zero value. Its P is
	// corrected for all comparisons with the reference (S. Holm, Scandinavian Journal of Statistics 6, 1979).
	Pair
	Reference bool
}

// Ranking returns the entrants in the order of their means, the best first. scores[i] holds the scores of entrant i on
// all problems; less is better, and NaN is no score. Entrants without a score are left out. All others are compared
// with the reference: the first entrant in this order for which mayRefer is true.
func Ranking(scores [][]float64, mayRefer func(entrant int) bool) (list []Rank) {
	for i, v := range scores {
		if m, _ := Mean(slices.DeleteFunc(slices.Clone(v), math.IsNaN)); !math.IsNaN(m) {
			list = append(list, Rank{Entrant: i, Mean: m})
		}
	}
	slices.SortStableFunc(list, func(a, b Rank) int { return cmp.Compare(a.Mean, b.Mean) })
	reference := slices.IndexFunc(list, func(r Rank) bool { return mayRefer(r.Entrant) })
	for i := range list {
		r := &list[i]
		for k, v := range scores[r.Entrant] {
			if !slices.ContainsFunc(list, func(o Rank) bool {
				return o.Entrant != r.Entrant && !(v < scores[o.Entrant][k])
			}) {
				r.Won++ // no other entrant is as good on problem k
			}
		}
		if i == reference {
			r.Reference = true
		} else if reference >= 0 {
			r.Pair = Compare(scores[list[reference].Entrant], scores[r.Entrant])
		}
	}
	holm(list)
	return list
}

// holm corrects the P of all m entrants but the reference by Holm's method: in ascending order they are multiplied by
// m, m − 1, …, and none becomes less than the one before or more than 1.
func holm(list []Rank) {
	var order []*Rank
	for i := range list {
		if !list[i].Reference {
			order = append(order, &list[i])
		}
	}
	slices.SortStableFunc(order, func(a, b *Rank) int { return cmp.Compare(a.P, b.P) })
	largest := 0.0
	for i, r := range order {
		largest = min(1, max(largest, r.P*float64(len(order)-i)))
		r.P = largest
	}
}

// Best returns the index of the entrant ahead of every other by more than chance, or -1, for scores as in Ranking.
func Best(scores [][]float64) int {
	list := Ranking(scores, func(int) bool { return true })
	if len(list) < 2 || slices.ContainsFunc(list[1:], func(r Rank) bool { return !r.Decided() }) {
		return -1
	}
	return list[0].Entrant
}
