package comparison

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"superres/cmd/internal/console"
	"superres/cmd/internal/paths"
	"superres/cmd/internal/scoring"
	"superres/internal/report"
)

// writeTables calls write with each of f.tables and w, up to the first error.
func (f findings) writeTables(write func(report.Table, io.Writer) error, w io.Writer) error {
	for _, t := range f.tables {
		if err := write(t, w); err != nil {
			return err
		}
	}
	return nil
}

// csv writes the tables with blank lines between them.
func (f findings) csv(w io.Writer) error {
	for _, t := range f.tables {
		t.Head = append([]string{t.Title}, t.Head[1:]...) // in a copy of the head, which other formats use
		if err := t.CSV(w); err != nil {
			return err
		}
		if _, err := io.WriteString(w, "\n"); err != nil {
			return err
		}
	}
	return nil
}

// markdown writes the tables.
func (f findings) markdown(w io.Writer) error { return f.writeTables(report.Table.Markdown, w) }

// latex writes the tables.
func (f findings) latex(w io.Writer) error { return f.writeTables(report.Table.LaTeX, w) }

// json writes the command and every run, without pictures. For a failed run it writes only the task and the failure.
func (f findings) json(w io.Writer) error {
	scores := func(list []restored) []scoring.Cell {
		var out []scoring.Cell
		for _, s := range list {
			out = append(out, s.Cell)
		}
		return out
	}
	type run struct {
		result
		Plain     []scoring.Cell `json:"plain"`
		Projected []scoring.Cell `json:"back_projected"`
		Mosaic    []byte         `json:"mosaic,omitempty"`
	}
	var runs []any
	for _, r := range f.results {
		if r.Failure != "" {
			runs = append(runs, struct {
				task
				Failure string `json:"failure"`
			}{r.task, r.Failure})
			continue
		}
		runs = append(runs, run{r, scores(r.Plain), scores(r.Projected), nil})
	}
	var names []paths.Name
	for _, t := range f.data.tests {
		names = append(names, paths.Name(t.name))
	}
	base := map[string][]scoring.Cell{}
	for _, b := range f.baselines {
		base[b.name] = scores(b.scores)
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	return enc.Encode(map[string]any{"command": paths.Name(f.opt.command), "version": console.Version,
		"pictures": names, "baselines": base, "runs": runs})
}

// text writes the tables and the findings for a terminal.
func (f findings) text(w io.Writer) error {
	tab := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	for _, t := range f.tables {
		fmt.Fprintf(tab, "%s\t%s\t\n", t.Title, strings.Join(t.Head[1:], "\t"))
		for _, row := range t.Rows {
			for _, c := range row {
				fmt.Fprintf(tab, "%s\t", c.Text)
			}
			fmt.Fprintln(tab)
		}
		fmt.Fprintln(tab, "\t")
	}
	if err := tab.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w, strings.Join(f.verdicts(), "\n"))
	return err
}
