package report

import (
	_ "embed" // the parts of the page
	"html/template"
	"io"
)

// HTML is a part of a page as it stands there.
type HTML = template.HTML

// Page is a page that is read from top to bottom.
type Page struct {
	Title string
	// Findings are the results, each in a sentence or two. The first matters most.
	Findings []string
	// Lead describes, below the findings, what was done.
	Lead string
	// Command is the command line as it was typed.
	Command string
	// Facts are the settings and the version behind the page, folded away.
	Facts []Fact
	// Sections are listed at the top, with links.
	Sections []Section
	// Notes are at the end of the page.
	Notes []string
}

// Fact is a setting of the run, such as the seed.
type Fact struct{ Name, Value string }

// Section is a part of a page: pictures side by side, then tables. Two of the pictures
// that Restored and Figure made can be laid over one another.
type Section struct {
	Title, Text string
	Pictures    []HTML
	Tables      []Table
}

// Write writes the page as HTML. Nothing in it refers to anything outside.
func (p Page) Write(w io.Writer) error {
	return pageTemplate.Execute(w, struct {
		Page
		Style  template.CSS
		Script template.JS
	}{p, pageCSS, pageJS})
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
