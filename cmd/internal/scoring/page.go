package scoring

import (
	"bytes"
	_ "embed" // the parts of the page
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"

	"superres/cmd/internal/console"
	"superres/cmd/internal/paths"
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

// pagePicture is a picture in the form that the template takes: with its number from 1, and its scores as text.
type pagePicture struct {
	*comparedPicture
	Number int
	scoreTexts
}

// scoreTexts are the scores of a picture as text: "∞" for the PSNR of equal pictures, "-" for other undefined scores.
type scoreTexts struct{ PSNRText, SSIMText, MeanText, LargestText string }

// scene is the data for the script of the page, as JSON. W×H is the size of the largest picture, in pixels.
type scene struct {
	W        int          `json:"w"`
	H        int          `json:"h"`
	Place    position     `json:"at"`
	Pictures []scenePart  `json:"pictures"`
	Regions  sceneRegions `json:"regions"`
}

// scenePart describes a picture: W×H is the part of the scene that it covers, OwnW×OwnH its real size, in pixels.
type scenePart struct {
	Name  string `json:"name"`
	W     int    `json:"w"`
	H     int    `json:"h"`
	OwnW  int    `json:"ownW"`
	OwnH  int    `json:"ownH"`
	Sharp bool   `json:"sharp"` // the picture covers W×H without being enlarged
}

// sceneRegions describes the squares of Side pixels into which the scene is cut; Columns is the number in a row.
type sceneRegions struct {
	Side    int `json:"side"`
	Columns int `json:"columns"`
}

// write writes the page to w. The pictures follow the output of the template, since they are large: all reduced, and
// the tiles of the regions in d.inPage. A picture is Sharp if it is not enlarged to what it covers of the scene.
func (d *comparison) write(w io.Writer) error {
	data := scene{W: d.scene.X, H: d.scene.Y, Place: d.Place,
		Regions: sceneRegions{Side: d.side(), Columns: d.columns()}}
	var rows []pagePicture
	for i, p := range d.Pictures {
		data.Pictures = append(data.Pictures,
			scenePart{string(p.Name), p.covers.X, p.covers.Y, p.Width, p.Height, p.Width >= p.covers.X})
		rows = append(rows, pagePicture{p, i + 1, p.texts()})
	}
	err := pageTemplate.Execute(w, map[string]any{
		"Title": "superres diff: " + string(d.Pictures[0].Name), "Style": pageCSS, "Caption": d.caption(),
		"Pictures": rows, "Data": data,
		"Blurred": slices.ContainsFunc(data.Pictures, func(p scenePart) bool { return !p.Sharp }),
	})
	if err != nil {
		return err
	}
	for i, p := range d.Pictures {
		if len(p.reduced) > 0 {
			if err := writeImage(w, string(p.Name), fmt.Sprintf(`data-picture="%d"`, i), p.reduced); err != nil {
				return err
			}
		}
		for region, tile := range p.tiles {
			if d.inPage[region] && len(tile) > 0 {
				if err := writeImage(w, string(p.Name), fmt.Sprintf(`data-picture="%d" data-region="%d"`, i, region),
					tile); err != nil {
					return err
				}
			}
		}
	}
	_, err = fmt.Fprintf(w, "</div>\n<script>\n%s%s%s%s</script>\n</body>\n</html>\n", report.Viewport, report.Bicubic,
		paintJS, pageJS)
	return err
}

// writeImage writes data, a PNG or a JPEG, to w as an img element with the alternative text name and with attributes.
func writeImage(w io.Writer, name, attributes string, data []byte) error {
	kind := "png"
	if !bytes.HasPrefix(data, []byte("\x89PNG")) {
		kind = "jpeg"
	}
	if _, err := fmt.Fprintf(w, `<img alt="%s" %s src="data:image/%s;base64,`, template.HTMLEscapeString(name),
		attributes, kind); err != nil {
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

// caption returns a line that says how the pictures were scored.
func (d *comparison) caption() string {
	return fmt.Sprintf("protocol %s, scale %d, reference %s; differences of all colours, in levels of 255", d.Protocol,
		d.Scale, d.Pictures[0].Name)
}

// texts returns the scores of p as text.
func (p *comparedPicture) texts() scoreTexts {
	psnr := console.Number("%.2f", p.PSNR)
	if p.PSNR == nil && p.Mean != nil { // scored, and equal to the reference
		psnr = "∞"
	}
	return scoreTexts{psnr, console.Number("%.4f", p.SSIM), console.Number("%.3f", p.Mean),
		console.Number("%.4g", p.Largest)}
}

// document returns the scores as a report for a terminal.
func (d *comparison) document() report.Document {
	page := string(d.Page)
	if paths.IsStandard(page) {
		page = "standard output"
	}
	out := report.Document{Lead: page + ": " + d.caption()}
	if outside := d.regions() - len(d.inPage); outside > 0 {
		out.Findings = []string{fmt.Sprintf("%s far from where the page opens are reduced there, for want of room",
			console.Count(outside, "region"))}
	}
	t := report.Table{Head: []string{"picture", "size", "PSNR of Y", "SSIM", "mean", "largest"}}
	for _, p := range d.Pictures {
		s := p.texts()
		t.Rows = append(t.Rows, []report.Cell{{Text: string(p.Name), Mark: p.Note}, {Text: fmt.Sprintf("%d×%d", p.Width,
			p.Height)}, {Text: s.PSNRText}, {Text: s.SSIMText}, {Text: s.MeanText}, {Text: s.LargestText}})
	}
	out.Sections = []report.Section{{Tables: []report.Table{t}}}
	return out
}
