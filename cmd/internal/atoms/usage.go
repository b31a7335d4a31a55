package atoms

import (
	"context"
	"fmt"
	"slices"

	"superres/cmd/internal/console"
	"superres/cmd/internal/mosaic"
)

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
