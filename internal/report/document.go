package report

import (
	_ "embed" // the parts of the page and its scripts
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"slices"

	"superres/internal/safefile"
)

// HTML is a part of a page as it stands there.
type HTML = template.HTML

// Document is what a command found, as data. All formats are written from it.
type Document struct {
	Title string
	// Findings are the results, each in a sentence or two. The first matters most.
	Findings []string
	// Lead describes, below the findings, what was done.
	Lead     string
	Command  string    // the command line as it was typed
	Facts    []Fact    // the settings and the version behind it, folded away on the page
	Sections []Section // listed at the top of the page, with links
	Notes    []string  // at the end of the page
	Caption  string    // what stands below every table in LaTeX, such as what its figures are means of
	Data     any       // what the command has as JSON
}

// Fact is a setting of the run, such as the seed.
type Fact struct{ Name, Value string }

// Section is a part of a document: pictures side by side, then tables. Two of the pictures that Restored and Figure
// made can be laid over one another.
type Section struct {
	Title, Text string
	// A and B are the makers of the two pictures that lie over one another at first, of the first scene: A on the left
	// of the divider. Empty: the last two.
	A, B     string
	Charts   []Chart
	Maps     []Heat // pages show them drawn, other formats as tables
	Pictures []HTML
	Tables   []Table
}

// HTML writes the document as a page. Nothing in it refers to anything outside.
func (d Document) HTML(w io.Writer) error {
	sections := slices.Clone(d.Sections)
	for i, s := range sections {
		var drawn []HTML
		for _, c := range s.Charts {
			figure, err := c.Figure(340, 250)
			if err != nil {
				return err
			}
			drawn = append(drawn, figure)
		}
		for _, m := range s.Maps {
			drawn = append(drawn, m.Figure(34, 24))
		}
		sections[i].Pictures = append(drawn, s.Pictures...)
	}
	d.Sections = sections
	return pageTemplate.Execute(w, struct {
		Document
		Style  template.CSS
		Script template.JS
	}{d, pageCSS, pageJS})
}

// tables returns the tables that all formats have: those without pictures, and those of maps.
func (d Document) tables() (list []Table) {
	for _, s := range d.Sections {
		for _, m := range s.Maps {
			list = append(list, m.table())
		}
		for _, t := range s.Tables {
			pictures := func(row []Cell) bool {
				return slices.ContainsFunc(row, func(c Cell) bool { return c.Picture != "" })
			}
			if !slices.ContainsFunc(t.Rows, pictures) {
				list = append(list, t)
			}
		}
	}
	return list
}

// write writes all tables by each.
func (d Document) write(w io.Writer, each func(Table, io.Writer) error) error {
	for _, t := range d.tables() {
		if t.Caption == "" {
			t.Caption = d.Caption
		}
		if err := each(t, w); err != nil {
			return err
		}
	}
	return nil
}

// Text writes the findings, what was done, and the tables, for a terminal.
func (d Document) Text(w io.Writer) error {
	for _, line := range append(slices.Clone(d.Findings), d.Lead) {
		if line == "" {
			continue
		}
		if _, err := fmt.Fprintln(w, safefile.OneLine(line)); err != nil {
			return err
		}
	}
	return d.write(w, Table.Text)
}

// LaTeX writes the tables: see Table.LaTeX.
func (d Document) LaTeX(w io.Writer) error { return d.write(w, Table.LaTeX) }

// CSV writes the tables, with a blank line between them and the title of each in the corner.
func (d Document) CSV(w io.Writer) error {
	for i, t := range d.tables() {
		if i > 0 {
			if _, err := io.WriteString(w, "\n"); err != nil {
				return err
			}
		}
		if t.Title != "" {
			t.Head = append([]string{t.Title}, t.Head[1:]...)
		}
		if err := t.CSV(w); err != nil {
			return err
		}
	}
	return nil
}

// JSON writes the data, indented by two spaces.
func (d Document) JSON(w io.Writer) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(d.Data)
}

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS template.CSS
	//go:embed page.js
	pageJS template.JS
)

var pageTemplate = template.Must(template.New("page").Parse(pageHTML))

// Scripts that pages with pictures of different sizes have in common. Each defines functions and runs nothing.
var (
	// Viewport defines makeViewport: the part of a scene that is seen, how keys, mouse and
	// fingers move it, and the divider between two pictures.
	//go:embed viewport.js
	Viewport string
	// Bicubic defines enlargeBicubic: a part of a picture as the model bicubic makes it.
	//go:embed bicubic.js
	Bicubic string
)
