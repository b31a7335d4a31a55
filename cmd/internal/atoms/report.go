package atoms

import (
	"context"
	"fmt"
	"io"
	"math"
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

// measures are the figures for one matrix of atoms: the lengths of the atoms, |cos| of the angles between atoms, and
// the rank and condition of the matrix: see sparse.Dictionary.Condition.
type measures struct {
	Of        string  `json:"of"` // the matrix: low, high, stacked or atoms
	Entries   int     `json:"entries"`
	NormMin   float64 `json:"norm_min"`
	NormMean  float64 `json:"norm_mean"`
	NormMax   float64 `json:"norm_max"`
	Coherence float64 `json:"coherence"` // greatest |cos| over all pairs of atoms; MeanCos is the mean |cos|
	MeanCos   float64 `json:"mean_cos"`
	// Near is how many of the Pairs of atoms have a |cos| above 0.99, and Zero the number of zero atoms, in no pair.
	Near      int     `json:"pairs_above_0.99"`
	Pairs     int     `json:"pairs"`
	Zero      int     `json:"zero_atoms"`
	Rank      int     `json:"rank"`
	Condition float64 `json:"condition"`
}

// measure sets p.Measures from the atoms.
func (p *dictionary) measure() {
	if p.high == nil {
		p.Measures = []measures{measuresOf("atoms", p.low)}
		return
	}
	both, n := []float64(nil), 0 // the stacked atoms one after another, each of n entries
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

// measuresOf returns the figures for the matrix d, called name in the report.
func measuresOf(name string, d *sparse.Dictionary) measures {
	n, k := d.Dims()
	m := measures{Of: name, Entries: n, NormMin: d.Norm(0)}
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

// report writes the drawing, if requested, and prints the figures, to standard error if the drawing goes to standard
// output. With a drawing and --quiet it prints them only as JSON.
func (d *description) report(ctx context.Context, opt Options, s *console.Streams) (err error) {
	table := s.Out
	if opt.Drawing != "" {
		p := d.Dictionaries[0]
		table, err = s.WriteOutput(opt.Drawing, safefile.ModeOf(opt.Name), opt.Overwrite, func(w io.Writer) error {
			img, err := mosaic.Draw(panels(p), parallel.Numbers(p.Atoms), opt.Zoom)
			if err != nil {
				return err
			}
			return imagefile.Encode(safefile.Interruptible(ctx, w), img, opt.format, imagefile.EncodeOptions{})
		})
		if err != nil {
			return err
		}
		if !paths.IsStandard(opt.Drawing) {
			d.Mosaic = paths.Name(opt.Drawing)
		}
	}
	switch {
	case opt.JSON:
		return console.WriteJSON(table, d)
	case opt.Quiet && opt.Drawing != "":
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
		if p.Stage != nil {
			fmt.Fprintf(&b, ", patches of %d×%d to %d×%d, --mean=%t --detail=%t, %s", p.Patch, p.Patch, p.Patch*p.scale,
				p.Patch*p.scale, *p.Mean, *p.Detail, p.Coder)
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
				fmt.Fprintf(&b, "%s: %s of zeros, left out of |cos|\n", m.Of, console.Count(m.Zero, "atom"))
			}
		}
	}
	return b.String()
}

// panels returns the matrices in p to draw side by side. An entry of a low half is scale×scale pixels, so that both
// halves have the same size. Atoms of a dictionary from a file become squares if they have n² entries, else columns.
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
