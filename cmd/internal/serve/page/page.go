// Package page has the files of the page that superres serve shows: HTML, CSS and scripts
// that ask nothing but the server they come from, by the calls that are there for everybody.
// In index.html the server fills in the block of data called settings.
//
// The scripts, each a module: main.js puts the others together; files.js takes what is
// dropped, pasted and chosen; settings.js reads the form, and sizes.js works out what size that
// is; api.js calls the server and waits
// for one that is gone; queue.js decides what is enlarged when; list.js shows the pictures,
// view.js one of them before and after, with the part that is seen at once, by what source.js
// opens; scores.js compares with a truth; zip.js packs results; words.js says numbers.
// viewport.js and bicubic.js are those of the page of superres diff.
package page

import (
	"bytes"
	"embed"
	"encoding/json"

	"superres/internal/report"
)

//go:embed *.html *.css *.svg *.js
var own embed.FS

// Files are index.html and what it loads.
var Files files

type files struct{}

// ReadFile returns the bytes of a file, or an error that is fs.ErrNotExist.
func (files) ReadFile(name string) ([]byte, error) {
	switch name {
	case "viewport.js":
		return []byte(report.Viewport), nil
	case "bicubic.js":
		return []byte(report.Bicubic), nil
	}
	return own.ReadFile(name)
}

// Index returns index.html with values in its block of data, of which the page needs options, as
// v1/options has them.
func (files) Index(values any) ([]byte, error) {
	text, err := own.ReadFile("index.html")
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(values) // in which < is escaped
	if err != nil {
		return nil, err
	}
	const block = `id="settings">`
	return bytes.Replace(text, []byte(block+"{}"), append([]byte(block), data...), 1), nil
}
