package atoms

import (
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"superres/cmd/internal/console"
	"superres/cmd/internal/mosaic"
	"superres/cmd/internal/paths"
	"superres/internal/imagefile"
	"superres/internal/parallel"
	"superres/internal/safefile"
	"superres/learners/sparse"
)

// measures are the figures of one matrix of atoms: the lengths of its atoms, |cos| of the angles between them, and the
// rank and condition of the matrix.
type measures struct {
	Of        string  `json:"of"` // the matrix: low, high, stacked or atoms
	Entries   int     `json:"entries"`
	NormMin   float64 `json:"norm_min"`
	NormMean  float64 `json:"norm_mean"`
	NormMax   float64 `json:"norm_max"`
	Coherence float64 `json:"coherence"` // the largest |cos| of all pairs of atoms, MeanCos their mean
	MeanCos   float64 `json:"mean_cos"`
	// Near is how many of all Pairs of atoms have a |cos| above 0.99, and Zero how many atoms are zero.
	Near      int     `json:"pairs_above_0.99"`
	Pairs     int     `json:"pairs"`
	Zero      int     `json:"zero_atoms"`
	Rank      int     `json:"rank"`
	Condition float64 `json:"condition"`
}

// measure sets p.Measures.
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
	if stacked, err := sparse.FromAtoms(n, both); err == nil { // fails only for entries near the limits of float64
		p.Measures = append(p.Measures, measuresOf("stacked", stacked))
	}
}

// nearCos is the |cos| above which two atoms count as nearly the same.
const nearCos = 0.99

// measuresOf returns the figures of the matrix d, which is called what in the report.
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
	// Uses has, for each atom, the number of patches whose code uses it.
	Uses []int `json:"uses"`
}

// countUsage codes opt.Pictures over every dictionary and sets its Usage. A dictionary without a stage is an error.
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

// text returns a line on the use of atoms: how many are used, how few make up half of all uses, and the most used ones.
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

// order returns the indices of the atoms, the most used first.
func (u *usageCounts) order() []int {
	order := parallel.Numbers(len(u.Uses))
	slices.SortStableFunc(order, func(a, b int) int { return u.Uses[b] - u.Uses[a] })
	return order
}

// report writes the drawing, if wanted, and prints the figures, to standard error if the drawing goes to standard
// output.
func (d *description) report(ctx context.Context, opt ShowOptions, s *console.Streams) (err error) {
	table, drawing := s.Out, opt.Drawing
	if drawing.Name != "" {
		table, err = s.WriteOutput(drawing.Name, safefile.ModeOf(opt.Name), drawing.Overwrite, func(w io.Writer) error {
			return drawing.write(d.Dictionaries[0], safefile.Interruptible(ctx, w))
		})
		if err != nil {
			return err
		}
		if !paths.IsStandard(drawing.Name) {
			d.Mosaic = paths.Name(drawing.Name)
		}
	}
	switch {
	case opt.JSON:
		return console.WriteJSON(table, d)
	case opt.Quiet && opt.Drawing.Name != "":
		return nil
	}
	_, err = io.WriteString(table, d.text())
	return err
}

// text returns the figures as tables for a terminal.
func (d *description) text() string {
	var b strings.Builder
	b.WriteString(safefile.OneLine(string(d.Name)))
	if d.Model != "" {
		b.WriteString(": " + safefile.OneLine(d.Model))
	}
	b.WriteByte('\n')
	for _, p := range d.Dictionaries {
		b.WriteByte('\n')
		if p.Stage != nil {
			fmt.Fprintf(&b, "stage %d, coupled: ", *p.Stage)
		}
		b.WriteString(console.Count(p.Atoms, "atom"))
		if p.high != nil {
			fmt.Fprintf(&b, ", patches of %d×%d to %d×%d", p.Patch, p.Patch, p.Patch*p.scale, p.Patch*p.scale)
		}
		if p.coupled != nil {
			fmt.Fprintf(&b, ", --mean=%t --detail=%t, %s", *p.Mean, *p.Detail, p.Coder)
		}
		b.WriteByte('\n')
		w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintf(w, "\tentries\tmean norm\tmin\tmax\tmean |cos|\tmax\tpairs > %g\trank\tcondition\t\n", nearCos)
		for _, m := range p.Measures {
			fmt.Fprintf(w, "%s\t%d\t%.4g\t%.3g\t%.4g\t%.4f\t%.4f\t%d\t%d\t%.4g\t\n", m.Of, m.Entries, m.NormMean,
				m.NormMin, m.NormMax, m.MeanCos, m.Coherence, m.Near, m.Rank, m.Condition)
		}
		w.Flush()
		for _, m := range p.Measures {
			if m.Zero > 0 {
				fmt.Fprintf(&b, "%s: %s %s zero, and left out of |cos|\n", m.Of, console.Count(m.Zero, "atom"),
					isOrAre(m.Zero))
			}
		}
		if p.Usage != nil {
			b.WriteString(p.Usage.text())
		}
	}
	return b.String()
}

// write writes a drawing of the atoms of p to w in the order of their columns or, if their use was counted, the most
// used first.
func (d Drawing) write(p *dictionary, w io.Writer) error {
	order := parallel.Numbers(p.Atoms)
	if p.Usage != nil {
		order = p.Usage.order()
	}
	img, err := mosaic.Draw(panels(p), order, d.Zoom)
	if err != nil {
		return err
	}
	return imagefile.Encode(w, img, d.format, imagefile.EncodeOptions{})
}

// panels returns the matrices of p to draw side by side, with the shape of their atoms: squares if the number of
// entries is a square number, else columns.
func panels(p *dictionary) []mosaic.Panel {
	if p.high != nil {
		return []mosaic.Panel{mosaic.NewPanel(p.low, p.Patch, p.Patch, p.scale),
			mosaic.NewPanel(p.high, p.Patch*p.scale, p.Patch*p.scale, 1)}
	}
	n, _ := p.low.Dims()
	w, h := 1, n
	if root := int(math.Round(math.Sqrt(float64(n)))); root*root == n {
		w, h = root, root
	}
	return []mosaic.Panel{mosaic.NewPanel(p.low, w, h, 1)}
}
