package scoring

import (
	"fmt"
	"image"

	"superres/cmd/internal/console"
)

// arrange finds out how large the pictures are to be shown: as large as the largest.
func (d *compared) arrange() error {
	largest := d.Pictures[0]
	for _, p := range d.Pictures {
		if p.Width*p.Height > largest.Width*largest.Height {
			largest = p
		}
		d.scene = image.Pt(max(d.scene.X, p.Width), max(d.scene.Y, p.Height))
	}
	for _, p := range d.Pictures {
		var ok bool
		if p.shown, ok = shownSize(image.Pt(p.Width, p.Height), image.Pt(largest.Width, largest.Height), d.Scale); !ok {
			return console.Fail(
				console.ExitInput, fmt.Errorf("%s is %d×%d, which is not the shape of %s, %d×%d; give pictures of one scene, turned and cropped alike",
					p.Name, p.Width, p.Height, largest.Name, largest.Width, largest.Height))

		}
	}
	return nil
}

// shownSize returns how much of a scene a picture covers: its own size where it differs
// by less than scale, as a reference that is cropped for scoring does, a multiple of its
// size where that is so near, and all of the scene otherwise; not ok when both have
// different shapes, even if a side were rounded by a pixel.
func shownSize(size, scene image.Point, scale int) (shown image.Point, ok bool) {
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
