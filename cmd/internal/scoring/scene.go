package scoring

import (
	"fmt"
	"image"

	"superres/cmd/internal/console"
)

// arrange sets the size of the scene, and for every picture how much of it the picture covers: all are shown as large
// as the largest.
func (d *comparison) arrange() error {
	largest := d.Pictures[0]
	for _, p := range d.Pictures {
		if p.Width*p.Height > largest.Width*largest.Height {
			largest = p
		}
		d.scene = image.Pt(max(d.scene.X, p.Width), max(d.scene.Y, p.Height))
	}
	for _, p := range d.Pictures {
		var ok bool
		if p.covers, ok = coveredSize(image.Pt(p.Width, p.Height), image.Pt(largest.Width, largest.Height),
			d.Scale); !ok {
			return console.Fail(console.ExitInput, fmt.Errorf("%s is %d×%d, which is not the shape of %s, %d×%d; "+
				"give pictures of one scene, turned and cropped alike",
				p.Name, p.Width, p.Height, largest.Name, largest.Width, largest.Height))
		}
	}
	return nil
}

// coveredSize returns the size of the part of a scene that a picture covers, in pixels. That is the size of the
// picture where it differs from the scene by less than scale, as for a reference that was cropped for scoring; else a
// multiple of that size where it is as near; else the entire scene. ok is false where the two have different shapes,
// even if a side was rounded by a pixel.
func coveredSize(size, scene image.Point, scale int) (covered image.Point, ok bool) {
	near := func(n, of, by int) bool { return n <= of && of-n < by || n > of && n-of < by }
	if near(size.X, scene.X, scale) && near(size.Y, scene.Y, scale) {
		return size, true
	}
	if n := max(scene.X/size.X, scene.Y/size.Y); near(n*size.X, scene.X, n) && near(n*size.Y, scene.Y, n) {
		return size.Mul(n), true
	}
	// The least and the most that a side of n pixels can have been enlarged by.
	least := func(n, to int) float64 { return float64(to) / float64(n+1) }
	most := func(n, to int) float64 { return float64(to) / (float64(n) - 0.999) }
	ok = least(size.X, scene.X) <= most(size.Y, scene.Y) && least(size.Y, scene.Y) <= most(size.X, scene.X)
	return scene, ok
}
