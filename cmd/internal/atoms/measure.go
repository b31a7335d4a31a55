package atoms

import (
	"context"
	"fmt"
	"slices"

	"superres/cmd/internal/console"
	"superres/cmd/internal/mosaic"
	"superres/learners/sparse"
)

// measures are the figures of one matrix of atoms: the lengths of its atoms, |cos| of the angles between them, its
// rank and its condition.
type measures struct {
	Of        string  `json:"of"` // names the matrix: low, high, stacked or atoms
	Entries   int     `json:"entries"`
	NormMin   float64 `json:"norm_min"`
	NormMean  float64 `json:"norm_mean"`
	NormMax   float64 `json:"norm_max"`
	Coherence float64 `json:"coherence"` // the largest |cos| of all pairs of atoms, MeanCos their mean
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

// usageCounts says how often the atoms of a dictionary are used to code the patches of pictures.
type usageCounts struct {
	Pictures int `json:"pictures"`
	Patches  int `json:"patches"`
	Used     int `json:"atoms_used"`
	// Uses is, for each atom, how many patches use it.
	Uses []int `json:"uses"`
}

// countUsage codes the pictures of the options over every dictionary and counts how often each atom is used.
func (d *description) countUsage(ctx context.Context, opt ShowOptions, bar *console.Progress) error {
	for _, p := range d.Dictionaries {
		if p.coupled == nil {
			return console.Usage("%s does not say how pictures are coded over it, so their use of its atoms cannot "+
				"be counted; make it a model by superres dict import, or leave the pictures out", d.Name)
		}
		p.Usage = &usageCounts{Uses: make([]int, p.Atoms)}
	}
	list, err := opt.Sources.List(ctx, opt.Pictures)
	if err != nil {
		return err
	}
	for i, src := range list {
		bar.Set("coding pictures", float64(i)/float64(len(list)))
		img, err := src.Open(ctx)
		if err != nil {
			return err
		}
		for _, p := range d.Dictionaries {
			uses, patches, err := p.coupled.Usage(ctx, img)
			if err != nil {
				return err
			}
			p.Usage.Pictures++
			p.Usage.Patches += patches
			for k, n := range uses {
				p.Usage.Uses[k] += n
			}
		}
	}
	for _, p := range d.Dictionaries {
		for _, n := range p.Usage.Uses {
			if n > 0 {
				p.Usage.Used++
			}
		}
	}
	return nil
}

// text says in a line how much the atoms are used: how many at all, on how many half of the use falls, and which most.
func (u *usageCounts) text() string {
	total := 0
	for _, n := range u.Uses {
		total += n
	}
	text := fmt.Sprintf("%d patches of %s: %d of %d atoms used, %.3g a patch", u.Patches,
		console.Count(u.Pictures, "picture"), u.Used, len(u.Uses), float64(total)/float64(u.Patches))
	order := u.order()
	if total > 0 {
		sum, half := 0, 0
		for half = 0; 2*sum < total; half++ {
			sum += u.Uses[order[half]]
		}
		text += fmt.Sprintf("; half of the use is of %s; most used:", console.Count(half, "atom"))
		for _, k := range order[:min(5, u.Used)] {
			text += fmt.Sprintf(" %d (%.2g %%)", k, 100*float64(u.Uses[k])/float64(u.Patches))
		}
	}
	return text + "\n"
}

// order returns the numbers of the atoms, the most used first.
func (u *usageCounts) order() []int {
	order := mosaic.InOrder(len(u.Uses))
	slices.SortStableFunc(order, func(a, b int) int { return u.Uses[b] - u.Uses[a] })
	return order
}
