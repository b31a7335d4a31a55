package atoms

import (
	"io"
	"math"

	"superres/cmd/internal/console"
	"superres/cmd/internal/mosaic"
	"superres/internal/imagefile"
)

// checkShape refuses a --shape that does not have as many entries as the atoms.
func (d Drawing) checkShape(s *description) error {
	p := s.Dictionaries[0]
	if d.Name == "" || d.Width == 0 {
		return nil
	}
	if p.high != nil {
		return console.Usage("%s holds patches of %d×%d; --shape is for dictionaries that are not coupled",
			s.Name, p.Patch, p.Patch)
	}
	if n, _ := p.low.Dims(); d.Width*d.Height != n {
		return console.Usage("--shape %dx%d has %d entries, the atoms of %s have %d", d.Width, d.Height,
			d.Width*d.Height, s.Name, n)
	}
	return nil
}

// write draws the atoms of a dictionary in the order of their numbers or, where their use was counted, the most used
// first.
func (d Drawing) write(p *dictionary, w io.Writer) error {
	order := mosaic.InOrder(p.Atoms)
	if p.Usage != nil {
		order = p.Usage.order()
	}
	img, err := mosaic.Draw(d.panels(p), order, d.Zoom)
	if err != nil {
		return err
	}
	return imagefile.Encode(w, img, d.format, imagefile.EncodeOptions{})
}

// panels returns the matrices of atoms to draw side by side, each with the shape of its atoms: those of --shape, else
// squares where the number of entries is a square number, else columns.
func (d Drawing) panels(p *dictionary) []mosaic.Panel {
	if p.high != nil {
		return []mosaic.Panel{mosaic.NewPanel(p.low, p.Patch, p.Patch, p.scale),
			mosaic.NewPanel(p.high, p.Patch*p.scale, p.Patch*p.scale, 1)}
	}
	n, _ := p.low.Dims()
	w, h := d.Width, d.Height
	if w == 0 {
		w, h = 1, n
		if root := int(math.Round(math.Sqrt(float64(n)))); root*root == n {
			w, h = root, root
		}
	}
	return []mosaic.Panel{mosaic.NewPanel(p.low, w, h, 1)}
}
