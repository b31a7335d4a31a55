package scoring

import (
	_ "embed" // the parts of the page
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"

	"superres/cmd/internal/console"
)

var (
	//go:embed page.html
	pageHTML string
	//go:embed page.css
	pageCSS template.CSS
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

// write writes the page. The pictures come last, past the template: they are large.
func (d *compared) write(w io.Writer) error {
	type covers struct {
		Name string `json:"name"`
		W    int    `json:"w"`
		H    int    `json:"h"`
	}
	var data struct {
		Scene    covers   `json:"scene"`
		Pictures []covers `json:"pictures"`
	}
	data.Scene = covers{W: d.scene.X, H: d.scene.Y}
	var rows []pagePicture
	for i, p := range d.Pictures {
		data.Pictures = append(data.Pictures, covers{string(p.Name), p.shown.X, p.shown.Y})
		psnr, ssim, mean, largest := p.texts()
		rows = append(rows, pagePicture{p, i + 1, psnr, ssim, mean, largest})
	}
	err := pageTemplate.Execute(w, map[string]any{
		"Title": "superres diff: " + string(d.Pictures[0].Name), "Style": pageCSS, "Caption": d.caption(), "Pictures": rows, "Data": data,
	})
	if err != nil {
		return err
	}
	for _, p := range d.Pictures {
		if _, err := fmt.Fprintf(w, `<img alt="%s" src="data:image/png;base64,`, template.HTMLEscapeString(string(p.Name))); err != nil {
			return err
		}
		enc := base64.NewEncoder(base64.StdEncoding, w)
		if _, err := enc.Write(p.png); err != nil {
			return err
		}
		if err := enc.Close(); err != nil {
			return err
		}
		if _, err := io.WriteString(w, "\">\n"); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(w, "</div>\n<script>\n%s</script>\n</body>\n</html>\n", pageJS)
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
