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

// HTML is a part of a page, written to it unchanged.
type HTML = template.HTML

// Document is the result of a command, as data. All output formats are written from it.
type Document struct {
	Title string
	// Findings are the results, each in a sentence or two; the first matters most.
	Findings []string
	// Lead is a text, shown below the findings, about the work that led to the findings.
	Lead     string
	Command  string    // the command line as it was typed
	Facts    []Fact    // the settings and the version; the page folds them away
	Sections []Section // listed at the top of the page, with links
	Notes    []string  // shown at the end of the page
	Caption  string    // text below every table in LaTeX, for example on the means in it
	Data     any       // the JSON output of the command
}

// Fact is a setting of the run, such as the seed.
type Fact struct{ Name, Value string }

// Section is a part of a document: pictures (two from Restored and Figure can be laid over one another), then tables.
type Section struct {
	Title, Text string
	// A and B name the models or learners with the two pictures of the first scene that the page shows at first, A to
	// the left of the divider. If they are empty, it shows the last two pictures.
	A, B     string
	Charts   []Chart
	Maps     []Heat // drawn on pages; tables in the other formats
	Pictures []HTML
	Tables   []Table
}

// HTML writes the document as a page, which refers to nothing outside, with charts and maps drawn as pictures.
func (d Document) HTML(w io.Writer) error {
	sections := slices.Clone(d.Sections)
	for i, s := range sections {
		var drawn []HTML
		for _, c := range s.Charts {
			figure, err := c.Figure(340, 250) // width and height in points
			if err != nil {
				return err
			}
			drawn = append(drawn, figure)
		}
		for _, m := range s.Maps {
			drawn = append(drawn, m.Figure(34, 24)) // of a cell
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

// tables returns the tables that every format contains: the tables without pictures, and tables of the maps.
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

// write writes the tables of d to w, each with writeTable. Tables without a caption get d.Caption.
func (d Document) write(w io.Writer, writeTable func(Table, io.Writer) error) error {
	for _, t := range d.tables() {
		if t.Caption == "" {
			t.Caption = d.Caption
		}
		if err := writeTable(t, w); err != nil {
			return err
		}
	}
	return nil
}

// Text writes the findings and the lead, each in one line, and the tables for a terminal.
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

// CSV writes the tables, with a blank line between them. The title of a table replaces the head of its first column.
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

// Scripts shared by pages with pictures of different sizes. Each defines functions and runs nothing.
var (
	// Viewport defines makeViewport: the visible part of a scene, moved by keys, mouse and fingers, and the divider.
	//go:embed viewport.js
	Viewport string
	// Bicubic defines enlargeBicubic, which enlarges a part of a picture like the model bicubic.
	//go:embed bicubic.js
	Bicubic string
)
