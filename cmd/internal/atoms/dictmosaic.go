package atoms

import (
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/mosaic"
	"superres/internal/imagefile"
)

// drawing is a picture of atoms to be written.
type drawing struct {
	name, format string // "": none
	overwrite    bool
	zoom         int // pixels of the side of an entry; 0: what fits a screen
	w, h         int // shape of an atom of a dictionary; 0: a square or a column
}

// drawingOf reads the flags of the drawing and refuses what cannot be written.
func drawingOf(c *cli.Context, model string) (*drawing, error) {
	d := &drawing{name: c.String("output"), format: "png", zoom: c.Int("zoom")}
	if d.zoom < 0 || d.zoom > 64 {
		return nil, console.Usage("--zoom %d: expected 0 to 64", d.zoom)
	}
	if shape := c.String("shape"); shape != "" {
		w, h, ok := strings.Cut(shape, "x")
		var err1, err2 error
		d.w, err1 = strconv.Atoi(w)
		d.h, err2 = strconv.Atoi(h)
		if !ok || err1 != nil || err2 != nil || d.w < 1 || d.h < 1 || d.w > 1<<20 || d.h > 1<<20 {
			return nil, console.Usage("--shape %s: expected WxH such as 8x8", shape)
		}
	}
	if d.name == "" && (d.w > 0 || d.zoom > 0) {
		return nil, console.Usage("--shape and --zoom are of the drawing; say where it goes with -o FILE.png")
	}
	if d.name != "" && d.name != "-" {
		var err error
		if d.format, err = imagefile.FormatOf(d.name); err != nil {
			return nil, console.Usage("-o %s: expected a name that ends in .png, .jpg, .bmp or .tif", filepath.Base(d.name))
		}
	}
	var err error
	d.overwrite, err = console.SoleOutput(c, model)
	return d, err
}

// suits refuses a shape that the atoms do not have.
func (d *drawing) suits(s *shown) error {
	p := s.Parts[0]
	if d.name == "" || d.w == 0 {
		return nil
	}
	if p.high != nil {
		return console.Usage("%s holds patches of %d×%d; --shape is for dictionaries that are not coupled", s.Name, p.Patch, p.Patch)
	}
	if n, _ := p.low.Dims(); d.w*d.h != n {
		return console.Usage("--shape %dx%d has %d entries, the atoms of %s have %d", d.w, d.h, d.w*d.h, s.Name, n)
	}
	return nil
}

// write draws the atoms of a dictionary: the most used first where that is known.
func (d *drawing) write(p *shownDictionary, w io.Writer) error {
	order := make([]int, p.Atoms)
	for i := range order {
		order[i] = i
	}
	if p.Usage != nil {
		order = p.Usage.order()
	}
	img, err := mosaic.Draw(d.panels(p), order, d.zoom)
	if err != nil {
		return err
	}
	return imagefile.Encode(w, img, d.format, imagefile.EncodeOptions{})
}

// panels shapes the atoms.
func (d *drawing) panels(p *shownDictionary) []mosaic.Panel {
	if p.high != nil {
		return []mosaic.Panel{mosaic.NewPanel(p.low, p.Patch, p.Patch, p.scale), mosaic.NewPanel(p.high, p.Patch*p.scale, p.Patch*p.scale, 1)}
	}
	n, _ := p.low.Dims()
	w, h := d.w, d.h
	if w == 0 {
		w, h = 1, n
		if root := int(math.Round(math.Sqrt(float64(n)))); root*root == n {
			w, h = root, root
		}
	}
	return []mosaic.Panel{mosaic.NewPanel(p.low, w, h, 1)}
}
