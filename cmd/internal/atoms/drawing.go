package atoms

import (
	"io"
	"math"

	"superres/cmd/internal/console"
	"superres/cmd/internal/mosaic"
	"superres/internal/imagefile"
)

// suits refuses a shape that the atoms do not have.
func (d Drawing) suits(s *shown) error {
	p := s.Dictionaries[0]
	if d.Name == "" || d.Width == 0 {
		return nil
	}
	if p.high != nil {
		return console.Usage("%s holds patches of %d×%d; --shape is for dictionaries that are not coupled", s.Name, p.Patch, p.Patch)
	}
	if n, _ := p.low.Dims(); d.Width*d.Height != n {
		return console.Usage("--shape %dx%d has %d entries, the atoms of %s have %d", d.Width, d.Height, d.Width*d.Height, s.Name, n)
	}
	return nil
}

// write draws the atoms of a dictionary: the most used first where that is known.
func (d Drawing) write(p *shownDictionary, w io.Writer) error {
	order := make([]int, p.Atoms)
	for i := range order {
		order[i] = i
	}
	if p.Usage != nil {
		order = p.Usage.order()
	}
	img, err := mosaic.Draw(d.panels(p), order, d.Zoom)
	if err != nil {
		return err
	}
	return imagefile.Encode(w, img, d.format, imagefile.EncodeOptions{})
}

// panels shapes the atoms.
func (d Drawing) panels(p *shownDictionary) []mosaic.Panel {
	if p.high != nil {
		return []mosaic.Panel{mosaic.NewPanel(p.low, p.Patch, p.Patch, p.scale), mosaic.NewPanel(p.high, p.Patch*p.scale, p.Patch*p.scale, 1)}
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
