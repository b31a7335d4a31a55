package atoms

import "superres/learners/sparse"

// measures are the figures of one matrix of atoms: the lengths of its atoms, |cos| of the angles between them, its
// rank and its condition.
type measures struct {
	// Of names the matrix: low, high, stacked or atoms.
	Of       string  `json:"of"`
	Entries  int     `json:"entries"`
	NormMin  float64 `json:"norm_min"`
	NormMean float64 `json:"norm_mean"`
	NormMax  float64 `json:"norm_max"`
	// Coherence is the largest |cos| of all pairs of atoms, MeanCos their mean.
	Coherence float64 `json:"coherence"`
	MeanCos   float64 `json:"mean_cos"`
	// Near is how many of all Pairs have a |cos| above 0.99, and Zero how many atoms are zero.
	Near      int     `json:"pairs_above_0.99"`
	Pairs     int     `json:"pairs"`
	Zero      int     `json:"zero_atoms"`
	Rank      int     `json:"rank"`
	Condition float64 `json:"condition"`
}

// measure works out the figures of the dictionary.
func (p *dictionary) measure() {
	if p.high == nil {
		p.Measures = []measures{measuresOf("atoms", p.low)}
		return
	}
	both, n := []float64(nil), 0
	for k := range p.Atoms {
		both = append(append(both, p.low.Atom(k)...), p.high.Atom(k)...)
		n = len(both) / (k + 1)
	}
	p.Measures = []measures{measuresOf("low", p.low), measuresOf("high", p.high)}
	if stacked, err := sparse.FromAtoms(n, both); err == nil { // fails for halves at the edge of float64 alone
		p.Measures = append(p.Measures, measuresOf("stacked", stacked))
	}
}

// nearCos is the |cos| above which two atoms count as nearly the same.
const nearCos = 0.99

// measuresOf works out the figures of a matrix of atoms, which what names.
func measuresOf(what string, d *sparse.Dictionary) measures {
	n, k := d.Dims()
	m := measures{Of: what, Entries: n, NormMin: d.Norm(0)}
	for i := range k {
		v := d.Norm(i)
		m.NormMin, m.NormMax = min(m.NormMin, v), max(m.NormMax, v)
		m.NormMean += v / float64(k)
		if v == 0 {
			m.Zero++
		}
	}
	a := d.Angles(nearCos)
	m.Coherence, m.MeanCos, m.Near, m.Pairs = a.Max, a.Mean, a.Near, a.Pairs
	m.Rank, m.Condition = d.Condition()
	return m
}
