// Package page is the page of superres serve: HTML, CSS and scripts that ask nothing but
// the server they come from, by the calls that are there for everybody.
//
// The scripts, each a module: main.js puts the others together; files.js takes what is
// dropped, pasted and chosen; settings.js reads the form; api.js calls the server and waits
// for one that is gone; queue.js decides what is enlarged when; list.js shows the pictures,
// view.js one of them before and after, with the part that is seen at once; scores.js
// compares with a truth; zip.js packs results. viewport.js and bicubic.js are those of the
// page of superres diff.
package page

import (
	"bytes"
	"embed"
	"html/template"
	"path"

	"superres/internal/report"
)

//go:embed index.html page.css icon.svg *.js
var files embed.FS

// Settings are what the server tells the page at its start.
type Settings struct {
	Version string `json:"version"`
	// MaxBytes is how long the file of a picture may be; 0: any length.
	MaxBytes int64 `json:"max_bytes,omitempty"`
	// Away tells that the page may be open on another computer than the server's.
	Away bool `json:"away,omitempty"`
}

// Policy is the Content-Security-Policy that the page keeps to: nothing of elsewhere, and
// nothing inline.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"

var index = template.Must(template.ParseFS(files, "index.html"))

// Index returns the page itself, as text/html in UTF-8.
func Index(s Settings) ([]byte, error) {
	var b bytes.Buffer
	if err := index.Execute(&b, s); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// File returns a file that the page asks for by a name without a folder, and its
// Content-Type; ok tells whether there is one. Nobody may change the bytes.
func File(name string) (data []byte, contentType string, ok bool) {
	contentType = map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}[path.Ext(name)]
	if contentType == "" {
		return nil, "", false
	}
	switch name {
	case "viewport.js":
		return []byte(report.Viewport), contentType, true
	case "bicubic.js":
		return []byte(report.Bicubic), contentType, true
	}
	data, err := files.ReadFile(name)
	return data, contentType, err == nil
}
