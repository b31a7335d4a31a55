package scoring

import (
	"bytes"
	_ "embed" // the parts of the page
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"superres/cmd/internal/console"
	"superres/internal/report"
)

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS template.CSS
	//go:embed paint.js
	paintJS string
	//go:embed page.js
	pageJS string
)

var pageTemplate = template.Must(template.New("diff").Parse(pageHTML))

// pagePicture is a picture as the template names it.
type pagePicture struct {
	*comparedPicture
	Number                                    int
	PSNRText, SSIMText, MeanText, LargestText string
}

// scene is what the script of the page is told.
type scene struct {
	W        int          `json:"w"`
	H        int          `json:"h"`
	Place    place        `json:"at"`
	Pictures []scenePart  `json:"pictures"`
	Regions  sceneRegions `json:"regions"`
}

// scenePart is a picture: how much of the scene it covers, and its own size.
type scenePart struct {
	Name  string `json:"name"`
	W     int    `json:"w"`
	H     int    `json:"h"`
	OwnW  int    `json:"ownW"`
	OwnH  int    `json:"ownH"`
	Sharp bool   `json:"sharp"` // there is no less than one pixel of its own for one of the scene
}

// sceneRegions is how the scene is cut.
type sceneRegions struct {
	Side    int      `json:"side"`
	Columns int      `json:"columns"`
	ID      string   `json:"id"`
	Files   []string `json:"files"` // empty: the page holds it, or nobody
}

// write writes the page. The pictures come last, past the template: they are large.
func (d *compared) write(w io.Writer) error {
	data := scene{W: d.scene.X, H: d.scene.Y, Place: d.Place, Regions: sceneRegions{Side: d.side(), Columns: d.columns(), ID: d.id}}
	for i := range d.regions() {
		file := ""
		if d.Folder != "" && !d.held[i] {
			file = url.PathEscape(filepath.Base(string(d.Folder))) + "/" + d.regionFile(i)
		}
		data.Regions.Files = append(data.Regions.Files, file)
	}
	var rows []pagePicture
	for i, p := range d.Pictures {
		data.Pictures = append(data.Pictures, scenePart{string(p.Name), p.shown.X, p.shown.Y, p.Width, p.Height, p.Width >= p.shown.X})
		psnr, ssim, mean, largest := p.texts()
		rows = append(rows, pagePicture{p, i + 1, psnr, ssim, mean, largest})
	}
	err := pageTemplate.Execute(w, map[string]any{
		"Title": "superres diff: " + string(d.Pictures[0].Name), "Style": pageCSS, "Caption": d.caption(), "Pictures": rows, "Data": data,
		"Blurred": slices.ContainsFunc(data.Pictures, func(p scenePart) bool { return !p.Sharp }),
	})
	if err != nil {
		return err
	}
	for i, p := range d.Pictures {
		if len(p.reduced) > 0 {
			if err := element(w, string(p.Name), fmt.Sprintf(`data-picture="%d"`, i), p.reduced); err != nil {
				return err
			}
		}
		for region, tile := range p.tiles {
			if d.held[region] && len(tile) > 0 {
				if err := element(w, string(p.Name), fmt.Sprintf(`data-picture="%d" data-region="%d"`, i, region), tile); err != nil {
					return err
				}
			}
		}
	}
	_, err = fmt.Fprintf(w, "</div>\n<script>\n%s%s%s%s</script>\n</body>\n</html>\n", report.Viewport, report.Bicubic, paintJS, pageJS)
	return err
}

// element writes a picture as an element of the page.
func element(w io.Writer, name, attributes string, data []byte) error {
	kind := "png"
	if !bytes.HasPrefix(data, []byte("\x89PNG")) {
		kind = "jpeg"
	}
	if _, err := fmt.Fprintf(w, `<img alt="%s" %s src="data:image/%s;base64,`, template.HTMLEscapeString(name), attributes, kind); err != nil {
		return err
	}
	enc := base64.NewEncoder(base64.StdEncoding, w)
	if _, err := enc.Write(data); err != nil {
		return err
	}
	if err := enc.Close(); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\">\n")
	return err
}

// caption says how the pictures were scored.
func (d *compared) caption() string {
	return fmt.Sprintf("protocol %s, scale %d, reference %s; differences of all colours, in levels of 255", d.Protocol, d.Scale, d.Pictures[0].Name)
}

// texts are the scores for reading.
func (p *comparedPicture) texts() (psnr, ssim, mean, largest string) {
	psnr = console.Number("%.2f", p.PSNR)
	if p.PSNR == nil && p.Mean != nil {
		psnr = "∞"
	}
	return psnr, console.Number("%.4f", p.SSIM), console.Number("%.3f", p.Mean), console.Number("%.4g", p.Largest)
}

// text is the table for reading.
func (d *compared) text() string {
	var b strings.Builder
	page := d.Page
	if page == "-" {
		page = "standard output"
	}
	fmt.Fprintf(&b, "%s: %s\n", page, d.caption())
	switch away := d.regions() - len(d.held); {
	case d.Folder != "":
		fmt.Fprintf(&b, "%s: %s for which the page has no room; it goes where the page goes\n", d.Folder+"/", console.Count(away, "region"))
	case away > 0:
		fmt.Fprintf(&b, "%s for which the page has no room are left out; -o FILE puts them into a folder beside it\n", console.Count(away, "region"))
	}
	width := len("picture")
	for _, p := range d.Pictures {
		width = max(width, len([]rune(p.Name)))
	}
	fmt.Fprintf(&b, "%-*s  %11s  %9s  %7s  %7s  %7s\n", width, "picture", "size", "PSNR of Y", "SSIM", "mean", "largest")
	for _, p := range d.Pictures {
		fmt.Fprintf(&b, "%-*s  %11s", width, p.Name, fmt.Sprintf("%d×%d", p.Width, p.Height))
		if p.Note != "" {
			fmt.Fprintf(&b, "  %s\n", p.Note)
			continue
		}
		psnr, ssim, mean, largest := p.texts()
		fmt.Fprintf(&b, "  %9s  %7s  %7s  %7s\n", psnr, ssim, mean, largest)
	}
	return b.String()
}
