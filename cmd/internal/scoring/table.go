package scoring

import (
	"fmt"
	"slices"
	"strings"

	"superres/cmd/internal/console"
	"superres/cmd/internal/paths"
	"superres/internal/safefile"
	"superres/superres/resample"
	"superres/superres/score"
)

// Scores is the result of superres eval.
type Scores struct {
	Protocol score.Protocol `json:"protocol"` // how the pictures were scored
	Scale    int            `json:"scale"`    // how much they were enlarged
	// Degradation is how they were reduced. It is empty for files, which are scored as they are.
	Degradation resample.Degradation `json:"degradation,omitempty"`
	// Noise is the standard deviation of the noise that reduced pictures got, in levels of 0..255.
	Noise float64 `json:"noise,omitempty"`
	// JPEG is the quality of the JPEG files that reduced pictures passed through, or 0 for none.
	JPEG    int          `json:"jpeg,omitempty"`
	Effort  string       `json:"effort,omitempty"` // how much the models did; empty: best
	Columns []paths.Name `json:"columns"`          // the names of the models, or of what was scored
	Rows    []scoreRow   `json:"rows"`             // the scores, a row for each picture
	Mean    []Cell       `json:"mean"`             // has the mean of each column over the rows in which it is defined
}

// scoreRow has the scores of a picture, one for each column.
type scoreRow struct {
	Name  paths.Name `json:"name"`
	Cells []Cell     `json:"cells"`
}

// Cell holds the scores of a picture. Those that the protocol does not have are nil, as are those that are not
// defined: the PSNR of equal pictures, and the SSIM of pictures smaller than its window.
type Cell struct {
	PSNR *float64 `json:"psnr,omitempty"`
	SSIM *float64 `json:"ssim,omitempty"`
	NFE  *float64 `json:"nfe,omitempty"`
}

// CellOf returns the scores of a picture as a cell.
func CellOf(m score.Metrics) Cell {
	return Cell{console.Finite(m.PSNR), console.Finite(m.SSIM), console.Finite(m.NFE)}
}

// average sets the means of all columns.
func (t *Scores) average() {
	for column := range t.Columns {
		var mean Cell
		for _, f := range []func(*Cell) **float64{
			func(c *Cell) **float64 { return &c.PSNR }, func(c *Cell) **float64 { return &c.SSIM },
			func(c *Cell) **float64 { return &c.NFE },
		} {
			sum, count := 0.0, 0
			for _, row := range t.Rows {
				if v := *f(&row.Cells[column]); v != nil {
					sum, count = sum+*v, count+1
				}
			}
			if count > 0 {
				v := sum / float64(count)
				*f(&mean) = &v
			}
		}
		t.Mean = append(t.Mean, mean)
	}
}

// text returns the scores as a table for a terminal.
func (t *Scores) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "protocol %s, scale %d", t.Protocol, t.Scale)
	if t.Degradation != "" {
		fmt.Fprintf(&b, ", reduced by %s", t.Degradation)
	}
	if t.Noise > 0 {
		fmt.Fprintf(&b, ", noise of %g levels", t.Noise)
	}
	if t.JPEG > 0 {
		fmt.Fprintf(&b, ", JPEG of quality %d", t.JPEG)
	}
	if t.Effort != "" {
		fmt.Fprintf(&b, ", effort %s", t.Effort)
	}
	fmt.Fprintf(&b, ": %s\n", t.Protocol.Measures())
	width := len("mean")
	for _, row := range t.Rows {
		width = max(width, len(row.Name))
	}
	line := func(name string, cells []string) {
		fmt.Fprintf(&b, "%-*s", width, name)
		for _, c := range cells {
			fmt.Fprintf(&b, "  %16s", c)
		}
		b.WriteByte('\n')
	}
	undefined := false
	var columns []string
	for _, c := range t.Columns {
		columns = append(columns, safefile.OneLine(string(c)))
	}
	line("", columns)
	for _, row := range append(slices.Clone(t.Rows), scoreRow{"mean", t.Mean}) {
		var cells []string
		for _, c := range row.Cells {
			undefined = undefined || c.NFE == nil && (c.PSNR == nil || c.SSIM == nil)
			if t.Protocol == score.Normalised {
				cells = append(cells, console.Number("%.4f", c.NFE))
			} else {
				cells = append(cells, console.Number("%.2f", c.PSNR)+" / "+console.Number("%.4f", c.SSIM))
			}
		}
		line(safefile.OneLine(string(row.Name)), cells)
	}
	if undefined {
		b.WriteString("-: not defined (equal pictures, or smaller than the window of SSIM), and left out of the mean\n")
	}
	return b.String()
}
