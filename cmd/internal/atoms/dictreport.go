package atoms

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/internal/safefile"
)

// report draws the atoms and prints the figures.
func (d *shown) report(c *cli.Context, s *console.Streams, drawing *drawing) error {
	table := s.Out
	if drawing.name != "" {
		if drawing.name == "-" {
			w := bufio.NewWriter(s.Out)
			if err := drawing.write(d.Parts[0], w); err != nil {
				return err
			}
			if err := w.Flush(); err != nil {
				return err
			}
			table = s.Err
		} else {
			d.Mosaic = drawing.name
			if err := safefile.WriteAtomic(drawing.name, drawing.overwrite, func(w io.Writer) error {
				return drawing.write(d.Parts[0], console.Interruptible(c.Context, w))
			}); err != nil {
				return err
			}
		}
	}
	if c.Bool("quiet") && drawing.name != "" && !c.Bool("json") {
		return nil
	}
	if c.Bool("json") {
		enc := json.NewEncoder(table)
		enc.SetIndent("", "  ")
		return enc.Encode(d)
	}
	_, err := io.WriteString(table, d.text())
	return err
}

// text is the report for reading.
func (d *shown) text() string {
	var b strings.Builder
	b.WriteString(safefile.OneLine(d.Name))
	if d.Model != "" {
		b.WriteString(": " + safefile.OneLine(d.Model))
	}
	b.WriteByte('\n')
	for _, p := range d.Parts {
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
		fmt.Fprintf(w, "\tentries\tmean norm\tmin\tmax\tmean |cos|\tmax\tpairs > %g\trank\tcondition\t\n", near)
		for _, m := range p.Measures {
			fmt.Fprintf(w, "%s\t%d\t%.4g\t%.3g\t%.4g\t%.4f\t%.4f\t%d\t%d\t%.4g\t\n", m.Of, m.Entries, m.NormMean, m.NormMin, m.NormMax, m.MeanCos, m.Coherence, m.Near, m.Rank, m.Condition)
		}
		w.Flush()
		for _, m := range p.Measures {
			if m.Zero > 0 {
				fmt.Fprintf(&b, "%s: %s %s zero, and left out of |cos|\n", m.Of, console.Count(m.Zero, "atom"), are(m.Zero))
			}
		}
		if p.Usage != nil {
			b.WriteString(p.Usage.text())
		}
	}
	return b.String()
}

// text says how the use is spread.
func (u *usageCounts) text() string {
	total := 0
	for _, n := range u.Uses {
		total += n
	}
	text := fmt.Sprintf("%d patches of %s: %d of %d atoms used, %.3g a patch", u.Patches, console.Count(u.Pictures, "picture"), u.Used, len(u.Uses), float64(total)/float64(u.Patches))
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

// order returns the atoms, the most used first.
func (u *usageCounts) order() []int {
	order := make([]int, len(u.Uses))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return u.Uses[b] - u.Uses[a] })
	return order
}
