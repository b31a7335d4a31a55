// Package page holds the files of the web page of superres serve: HTML, CSS and scripts, which talk only to their
// server, through its public calls. The server fills in the block of data called settings in index.html.
//
// Each script is a module: main.js ties the others together; files.js takes files that are dropped, pasted or chosen;
// settings.js reads the form, and sizes.js computes the size it asks for; api.js calls the server and waits for a lost
// one, or local.js does the calls in workers of the browser (see package browser); queue.js schedules pictures; list.js
// lists them; view.js shows one before and after, from the pixels that source.js loads, first where detail.js finds the
// most detail, and page by page by pages.js; zip.js packs results; words.js formats numbers; language.js has the words
// in other languages, of de.json and so on. viewport.js and bicubic.js are shared with the page of superres diff.
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
	Compared  []string               `json:"compared"`        // names of models to compare a result with
	MaxBytes  int64                  `json:"max_bytes"`       // limit for a file
	MaxPixels int64                  `json:"max_pixels"`      // limit for a picture; 0: as many as the memory holds
	MaxMemory int64                  `json:"max_memory"`      // for all pictures in work, in bytes
	Local     bool                   `json:"local,omitempty"` // the browser does the calls; false: a server
	// Window says that the program ends with the last page, of which each holds a request of v1/window.
	Window bool    `json:"window,omitempty"`
	Scale  float64 `json:"scale,omitempty"` // the scale to begin with; 0: the one of the last visit
	Given  []Given `json:"given,omitempty"` // pictures to begin with, which v1/given?n=0, 1 and so on answers with
}

// Given is a picture to begin with.
type Given struct {
	Name   string `json:"name"`
	Folder string `json:"folder"` // the folder below which it was found, with a slash at its end; "": named itself
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

// Names returns the names of all files.
func (files) Names() []string {
	names := []string{"bicubic.js", "viewport.js"}
	entries, err := own.ReadDir(".")
	if err != nil {
		panic(err) // cannot happen: it is embedded
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Index returns index.html with values, as JSON, in its block of data.
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
