package serve

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"html/template"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// wantsPage reports whether r was sent by a browser for a page, which a person will see, and not by a program.
func wantsPage(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	for _, kind := range strings.Split(strings.Join(r.Header.Values("Accept"), ","), ",") {
		name, params, err := mime.ParseMediaType(kind)
		if err != nil || name != "text/html" {
			continue
		}
		q, err := strconv.ParseFloat(params["q"], 64)
		return params["q"] == "" || err == nil && q > 0
	}
	return false
}

// refusalStyle is the style of refusalPage. The policy of that page allows it alone.
const refusalStyle = `:root { color-scheme: light dark }
html { color: #222; background: #fff }
body { font: 17px/1.5 system-ui, "Liberation Sans", Arial, sans-serif; max-width: 34em; margin: 15vh auto; padding: 0 20px }
h1 { font-size: 1.3em }
a { display: inline-block; padding: 8px 0; color: #0b57d0 }
@media (prefers-color-scheme: dark) { html { color: #e6e6e6; background: #1b1b1b } a { color: #8ab4f8 } }`

var refusalPolicy = func() string {
	sum := sha256.Sum256([]byte(refusalStyle))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
}()

var refusalPage = template.Must(template.New("").Parse(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>superres: {{.Title}}</title>
<style>` + refusalStyle + `</style>
</head>
<body>
<main>
<h1>{{.Title}}</h1>
<p>{{.Text}}</p>
<p><a href="{{.Link}}">{{.Name}}</a></p>
</main>
</body>
</html>
`))

// refusal is the text of the page that answers a browser at an address where no page is.
type refusal struct {
	Title, Text string
	Link, Name  string // address and text of the link; an empty address is the same again
}

// oldAddress is the refusal of an address with a wrong token.
var oldAddress = refusal{Title: "This address is old, or has a typing error",
	Text: "superres serve has a new address each time it is started. It is printed in the terminal where the " +
		"server runs: open that one. superres serve --open opens it by itself, and with the variable " +
		"SUPERRES_TOKEN set it stays the same.",
	Name: "Try this address again"}

// wrongHost is the refusal of a request for another host, or from another site.
var wrongHost = refusal{Title: "This name is not known here",
	Text: "The server answers only at the address that superres serve has printed, in the terminal where it runs: " +
		"open that one.",
	Name: "Try this address again"}

// noSuchPage returns the refusal of an unknown address below the page, with a link to the page at base.
func noSuchPage(base string) refusal {
	return refusal{Title: "There is nothing at this address",
		Text: "The page that enlarges pictures is at another one.", Link: base, Name: "Open the page of superres"}
}

// refuseWith answers r with an HTTP status: a browser gets page, and a program, as JSON, an exit code and text.
func (s *site) refuseWith(w http.ResponseWriter, r *http.Request, status, exit int, text string, page refusal) {
	w.Header().Set("Vary", "Accept")
	if !wantsPage(r) {
		s.refuse(w, status, exit, text)
		return
	}
	var b bytes.Buffer
	if err := refusalPage.Execute(&b, page); err != nil {
		panic(err) // cannot happen: the page is constant, and its values are texts
	}
	w.Header().Set("Content-Security-Policy", refusalPolicy)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.patience.move))
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // an error means that the client is gone
}
