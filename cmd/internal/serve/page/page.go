// Package page holds the files of the web page of superres serve: HTML, CSS and scripts, which talk only to their
// server, through its public calls. The server fills in the settings, a block of data in index.html.
//
// Each script is a module: main.js ties the others together; files.js takes files that are dropped, pasted or chosen;
// settings.js reads the form, and sizes.js computes the size that the form asks for; api.js calls the server and waits
// for a lost one, or local.js does the calls in workers of the browser (see package browser); queue.js schedules
// pictures; list.js lists them; view.js shows a picture before and after, from the pixels that source.js loads, first
// where detail.js finds the most detail, and page by page with pages.js; zip.js packs results; words.js formats
// numbers; language.js has the texts in other languages. superres diff uses viewport.js and bicubic.js, too.
package page

import (
	"bytes"
	"embed"
	"encoding/json"

	"superres/internal/report"
	"superres/internal/settings"
)

//go:embed *.html *.css *.svg *.js *.json
var own embed.FS

// Settings are the values that the page needs when it is loaded.
type Settings struct {
	Version   string                 `json:"version"`
	Options   []settings.Description `json:"options"`         // parameters of v1/upscale
	Models    []string               `json:"models"`          // names of the user's models
	Compared  []string               `json:"compared"`        // names of models with which a result can be compared
	MaxBytes  int64                  `json:"max_bytes"`       // limit for a file, in bytes
	MaxPixels int64                  `json:"max_pixels"`      // limit for a picture, in pixels; 0: none but memory
	MaxMemory int64                  `json:"max_memory"`      // limit for all pictures in progress, in bytes
	Local     bool                   `json:"local,omitempty"` // the browser does the calls; false: a server does
	// Window says that the program ends when the last page is closed. Each page then holds a request to v1/window.
	Window bool    `json:"window,omitempty"`
	Scale  float64 `json:"scale,omitempty"` // the scale at first; 0: the scale of the last visit
	Given  []Given `json:"given,omitempty"` // pictures to load at first, from v1/given?n=0, 1 and so on
}

// Given is a picture that the page loads at first.
type Given struct {
	Name   string `json:"name"`
	Folder string `json:"folder"` // path from the folder on the command line, with "/" at the end; "": no folder
}

// Files gives access to index.html and the files that it loads.
var Files files

type files struct{}

// ReadFile returns the content of the file called name, or an error that wraps fs.ErrNotExist.
func (files) ReadFile(name string) ([]byte, error) {
	switch name {
	case "viewport.js":
		return []byte(report.Viewport), nil
	case "bicubic.js":
		return []byte(report.Bicubic), nil
	}
	return own.ReadFile(name)
}

// Names returns the names of all files that ReadFile can read.
func (files) Names() []string {
	names := []string{"bicubic.js", "viewport.js"}
	entries, err := own.ReadDir(".")
	if err != nil {
		panic(err) // cannot happen: the folder is embedded
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Index returns index.html with values, as JSON, in the script element whose id is settings.
func (files) Index(values Settings) ([]byte, error) {
	text, err := own.ReadFile("index.html")
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(values) // escapes <, so the data cannot end the script element
	if err != nil {
		return nil, err
	}
	const block = `id="settings">`
	return bytes.Replace(text, []byte(block+"{}"), append([]byte(block), data...), 1), nil
}
