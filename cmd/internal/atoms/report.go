package atoms

import (
	"bufio"
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
	"superres/internal/safefile"
)

// report draws the atoms and prints the figures. Where the drawing goes to standard output, the figures go to
// standard error.
func (d *description) report(ctx context.Context, opt ShowOptions, s *console.Streams) error {
	table := s.Out
	switch opt.Drawing.Name {
	case "":
	case "-":
		w := bufio.NewWriter(s.Out)
		if err := opt.Drawing.write(d.Dictionaries[0], w); err != nil {
			return err
		}
		if err := w.Flush(); err != nil {
			return err
		}
		table = s.Err
	default:
		d.Mosaic = paths.Name(opt.Drawing.Name)
		mode, drawing := safefile.ModeOf(opt.Name), opt.Drawing
		if err := safefile.WriteAtomicMode(mode, drawing.Name, drawing.Overwrite, func(w io.Writer) error {
			return drawing.write(d.Dictionaries[0], console.Interruptible(ctx, w))
		}); err != nil {
			return err
		}
	}
	switch {
	case opt.JSON:
		return console.WriteJSON(table, d)
	case opt.Quiet && opt.Drawing.Name != "":
		return nil
	}
	_, err := io.WriteString(table, d.text())
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

// checkShape refuses a --shape that does not have as many entries as the atoms.
func (d Drawing) checkShape(s *description) error {
	p := s.Dictionaries[0]
	if d.Name == "" || d.Width == 0 {
		return nil
	}
	if p.high != nil {
		return console.Usage("%s holds patches of %d×%d; --shape is for dictionaries that are not coupled",
			s.Name, p.Patch, p.Patch)
	}
	if n, _ := p.low.Dims(); d.Width*d.Height != n {
		return console.Usage("--shape %dx%d has %d entries, the atoms of %s have %d", d.Width, d.Height,
			d.Width*d.Height, s.Name, n)
	}
	return nil
}

// write draws the atoms of a dictionary in the order of their numbers or, where their use was counted, the most used
// first.
func (d Drawing) write(p *dictionary, w io.Writer) error {
	order := mosaic.InOrder(p.Atoms)
	if p.Usage != nil {
		order = p.Usage.order()
	}
	img, err := mosaic.Draw(d.panels(p), order, d.Zoom)
	if err != nil {
		return err
	}
	return imagefile.Encode(w, img, d.format, imagefile.EncodeOptions{})
}

// panels returns the matrices of atoms to draw side by side, each with the shape of its atoms: those of --shape, else
// squares where the number of entries is a square number, else columns.
func (d Drawing) panels(p *dictionary) []mosaic.Panel {
	if p.high != nil {
		return []mosaic.Panel{mosaic.NewPanel(p.low, p.Patch, p.Patch, p.scale),
			mosaic.NewPanel(p.high, p.Patch*p.scale, p.Patch*p.scale, 1)}
	}
	n, _ := p.low.Dims()
	w, h := d.Width, d.Height
	if w == 0 {
		w, h = 1, n
		if root := int(math.Round(math.Sqrt(float64(n)))); root*root == n {
			w, h = root, root
		}
	}
	return []mosaic.Panel{mosaic.NewPanel(p.low, w, h, 1)}
}
