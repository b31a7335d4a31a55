package report

import (
	"html/template"
	"io"
)

// HTML is a part of a page as it stands there.
type HTML = template.HTML

// Page is a page to be read from top to bottom.
type Page struct {
	Title    string
	Lead     string // a sentence or two below the title
	Facts    []Fact
	Key      HTML // the legend of all charts
	Sections []Section
	Notes    []string // below everything
}

// Fact is a line of how the page came to be, such as the command.
type Fact struct{ Name, Value string }

// Section is a part of a page: pictures side by side, then a table.
type Section struct {
	Title, Text string
	Pictures    []HTML
	Tables      []Table
}

// Write writes the page as HTML. Nothing in it refers to anything outside.
func (p Page) Write(w io.Writer) error { return pageTemplate.Execute(w, p) }

var pageTemplate = template.Must(template.New("page").Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.Title}}</title>
<style>
body { font: 15px/1.5 system-ui, "Liberation Sans", Arial, sans-serif; color: #222; background: #fff; max-width: 1180px; margin: 2em auto; padding: 0 1em }
h1 { font-size: 1.6em; margin-bottom: .2em }
h2 { font-size: 1.2em; margin-top: 2em; border-bottom: 1px solid #ddd }
.keys { margin: 1em 0 }
.key { margin-right: 1.4em; white-space: nowrap }
.key svg { vertical-align: middle }
.pictures { display: flex; flex-wrap: wrap; gap: 12px }
.pictures svg, .pictures img { max-width: 100%; height: auto }
table { border-collapse: collapse; margin: 1em 0; font-variant-numeric: tabular-nums }
th, td { text-align: right; padding: .25em .5em; border-bottom: 1px solid #e4e4e4; vertical-align: top }
th:first-child, td:first-child { text-align: left }
thead th { border-bottom: 1.5px solid #555 }
tbody td { white-space: nowrap }
td small { white-space: normal; color: #777; display: block }
td img { display: block; margin: 0 0 .2em auto }
figure { margin: 0 0 .4em }
figure img { display: block }
figcaption small { color: #777; display: block }
.pixels { image-rendering: pixelated }
caption { text-align: left; font-weight: 600; padding: .3em 0 }
.wide { overflow-x: auto }
td.best { font-weight: 600 }
td.best small { font-weight: 400 }
dl { display: grid; grid-template-columns: max-content auto; gap: 0 1em; color: #444 }
dt { color: #777 }
dd { margin: 0; overflow-wrap: anywhere }
code { font-family: ui-monospace, "Liberation Mono", monospace; font-size: .92em }
.notes { color: #555; margin-top: 2em; border-top: 1px solid #ddd }
</style>
</head>
<body>
<h1>{{.Title}}</h1>
<p>{{.Lead}}</p>
<dl>{{range .Facts}}<dt>{{.Name}}</dt><dd><code>{{.Value}}</code></dd>
{{end}}</dl>
{{with .Key}}<p class="keys">{{.}}</p>
{{end}}{{range .Sections}}<h2>{{.Title}}</h2>
{{with .Text}}<p>{{.}}</p>
{{end}}{{with .Pictures}}<div class="pictures">{{range .}}{{.}}
{{end}}</div>
{{end}}{{range .Tables}}<div class="wide"><table>
{{with .Title}}<caption>{{.}}</caption>
{{end}}<thead><tr>{{range .Head}}<th>{{.}}</th>{{end}}</tr></thead>
<tbody>
{{range .Rows}}<tr>{{range .}}<td{{if .Best}} class="best"{{end}}>{{.Picture}}{{.Text}}{{with .Note}}<small>{{.}}</small>{{end}}</td>{{end}}</tr>
{{end}}</tbody></table></div>
{{end}}{{end}}{{with .Notes}}<div class="notes">{{range .}}<p>{{.}}</p>
{{end}}</div>
{{end}}</body>
</html>
`))
