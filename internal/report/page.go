package report

import (
	_ "embed" // the parts of the page
	"html/template"
	"io"
)

// HTML is a part of a page as it stands there.
type HTML = template.HTML

// Page is a page to be read from top to bottom.
type Page struct {
	Title string
	// Findings are what came out, each a sentence or two; the first is the one that
	// matters most.
	Findings []string
	// Lead says below them what was done.
	Lead string
	// Command is the command line as it was typed.
	Command string
	// Facts are how the page came to be, folded away: the settings, the version.
	Facts []Fact
	// Sections are listed at the top, with links.
	Sections []Section
	// Notes are below everything.
	Notes []string
}

// Fact is a line of how the page came to be, such as the seed.
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
