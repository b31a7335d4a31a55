package comparison

import (
	"context"
	"fmt"
	"image"
	"image/draw"

	"superres/cmd/internal/console"
	"superres/cmd/internal/models"
	"superres/cmd/internal/scoring"
	"superres/internal/report"
	"superres/superres"
	"superres/superres/resample"
	"superres/superres/score"
)

// restored is a picture that was restored.
type restored struct {
	scoring.Cell
	Picture []byte `json:"picture,omitempty"` // PNG of it or of a part of it, of the first run
}

// baseline is what needs no learning.
type baseline struct {
	name   string
	scores []restored
}

// comparedModel is a model that is there already, and how much of it is run: "" is all.
type comparedModel struct{ name, effort string }

// open opens the model and says what it is called in a table.
func (c comparedModel) open() (m *superres.Model, title string, err error) {
	if m, err = models.Open(c.name); err != nil || c.effort == "" {
		return m, c.name, err
	}
	m, err = m.Effort(c.effort)
	return m, fmt.Sprintf("%s (%s)", c.name, c.effort), err
}

// baselines restores the tests by plain interpolation and by --models.
func (cmp *comparison) baselines() ([]baseline, error) {
	models := []comparedModel{{name: "nearest"}, {name: "bicubic"}}
	if cmp.protocol.photo {
		models = append(models, comparedModel{name: "lanczos"})
	}
	var list []baseline
	for _, model := range append(models, cmp.models...) {
		m, name, err := model.open()
		if err != nil {
			return nil, err
		}
		if len(m.Stages) == 0 {
			plain := *m
			m, plain.Degradation = &plain, cmp.degradation()
		}
		b := baseline{name: name}
		for i, t := range cmp.tests {
			one, err := cmp.restore(cmp.c.Context, m, t, i < shownTests)
			if err != nil {
				return nil, console.Fail(console.ExitInput, fmt.Errorf("%s: %w", t.name, err))
			}
			b.scores = append(b.scores, one)
		}
		list = append(list, b)
	}
	return list, nil
}

func (cmp *comparison) degradation() resample.Degradation {
	if cmp.protocol.photo {
		return resample.Cubic
	}
	return resample.Box
}

// comparedScale is the scale of all comparisons: the paper's.
const comparedScale = 2

// restore reduces a picture, enlarges it again and scores the result, and keeps it, or
// a part of it, to be shown.
func (cmp *comparison) restore(ctx context.Context, m *superres.Model, t testPicture, show bool) (s restored, err error) {
	var shown image.Image
	if cmp.protocol.photo {
		low, err := score.Reduce(t.img, comparedScale, m.Degradation)
		if err != nil {
			return s, err
		}
		if shown, err = m.Upscale(ctx, low, superres.Options{Scale: comparedScale}); err != nil {
			return s, err
		}
		got, err := score.Compare(t.img, shown, comparedScale, comparedScale)
		if err != nil {
			return s, err
		}
		s.PSNR, s.SSIM = console.Finite(got.PSNR), console.Finite(got.SSIM)
	} else {
		nfe, gray, err := m.RestoreExact(ctx, t.img, comparedScale)
		if err != nil {
			return s, err
		}
		s.NFE, shown = console.Finite(nfe), gray
	}
	if show {
		s.Picture, err = crop(shown, t.img, cmp.shownSide())
	}
	return s, err
}

// shownTests is how many pictures the page shows at most.
const shownTests = 12

// cropZoom is how much parts of photographs are enlarged on the page.
const cropZoom = 3

// shownSide is the largest side of a picture on the page, or of the part that is shown.
func (cmp *comparison) shownSide() int {
	if cmp.protocol.photo {
		return 60
	}
	return 96
}

// crop encodes a picture as PNG, or the part of it where the truth has most detail.
func crop(img, truth image.Image, side int) ([]byte, error) {
	b := img.Bounds()
	if b.Dx() > side || b.Dy() > side {
		at := busiest(truth, min(b.Dx(), side), min(b.Dy(), side))
		part := image.NewNRGBA(image.Rectangle{Max: at.Size()})
		draw.Draw(part, part.Rect, img, b.Min.Add(at.Min), draw.Src)
		img = part
	}
	return report.PNG(img)
}

// busiest returns the window of w×h, from 0,0, with the most detail, among those at
// multiples of half its size: there brightness differs most between samples two apart,
// so that edges and texture count for more than noise.
func busiest(img image.Image, w, h int) image.Rectangle {
	b := img.Bounds()
	sums := make([]int, b.Dx()*b.Dy()) // of R, G and B
	for i := range sums {
		r, g, bl, _ := img.At(b.Min.X+i%b.Dx(), b.Min.Y+i/b.Dx()).RGBA()
		sums[i] = int(r + g + bl)
	}
	var best image.Rectangle
	most := -1
	for y := 0; y+h <= b.Dy(); y += max(1, h/2) {
		for x := 0; x+w <= b.Dx(); x += max(1, w/2) {
			detail := 0
			for v := y; v+2 < y+h; v++ {
				for u := x; u+2 < x+w; u++ {
					at := v*b.Dx() + u
					detail += abs(sums[at+2]-sums[at]) + abs(sums[at+2*b.Dx()]-sums[at])
				}
			}
			if detail > most {
				most, best = detail, image.Rect(x, y, x+w, y+h)
			}
		}
	}
	return best
}

func abs(n int) int { return max(n, -n) }
