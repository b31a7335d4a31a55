package report

import (
	_ "embed" // the parts of the page and its scripts
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
	Lead     string
	Command  string    // the command line as it was typed
	Facts    []Fact    // the settings and the version behind the page, folded away
	Sections []Section // listed at the top, with links
	Notes    []string  // at the end of the page
}

// Fact is a setting of the run, such as the seed.
type Fact struct{ Name, Value string }

// Section is a part of a page: pictures side by side, then tables. Two of the pictures
// that Restored and Figure made can be laid over one another.
type Section struct {
	Title, Text string
	// A and B are the makers of the two pictures that lie over one another at first, of the first scene: A on the left
	// of the divider. Empty: the last two.
	A, B     string
	Pictures []HTML
	Tables   []Table
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
