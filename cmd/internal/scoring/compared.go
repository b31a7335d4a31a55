package scoring

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io/fs"
	"path/filepath"
	"slices"

	"superres/cmd/internal/console"
	"superres/cmd/internal/paths"
	"superres/cmd/internal/pictures"
	"superres/internal/safefile"
	"superres/superres/score"
)

// compared is all that a page shows.
type compared struct {
	// Page is the file of the page.
	Page paths.Name `json:"page"`
	// Folder has the regions of the pictures for which the page has no room. Empty is none.
	Folder paths.Name `json:"folder,omitempty"`
	// Protocol is how the pictures are scored.
	Protocol score.Protocol `json:"protocol"`
	// Scale is how much was enlarged.
	Scale int `json:"scale"`
	// Place is where the pictures differ most, in pixels of the largest picture: the
	// middle of what the page shows first.
	Place place `json:"opens_at"`
	// Pictures are in the order they were named in. The first is the reference.
	Pictures []*comparedPicture `json:"pictures"`

	// scene is how large the largest picture is, in pixels.
	scene image.Point
	// held has the numbers of the regions that are in the page.
	held map[int]bool
	// most is the mode that new files get at most, by the pictures.
	most fs.FileMode
	// id tells the regions of these pictures from those of others.
	id string
}

// comparedPicture is one picture of a page.
type comparedPicture struct {
	// Name is what the page calls it.
	Name paths.Name `json:"name"`
	// Width and Height are its own size, in pixels.
	Width  int `json:"width"`
	Height int `json:"height"`
	// Cell has its scores against the reference.
	Cell
	// Mean and Largest are how far its colours are from those of the reference, in levels
	// of 0..255. Nil is not compared.
	Mean    *float64 `json:"mean_absolute_difference,omitempty"`
	Largest *float64 `json:"largest_difference,omitempty"`
	// Note says why there are no scores. It is empty where there are.
	Note string `json:"note,omitempty"`

	// tiles are what the regions have of it, as PNG with 8 bits a sample. One is empty
	// where the picture does not reach.
	tiles [][]byte
	// reduced is all of it in fewer pixels, as JPEG, or as PNG with transparency. It is
	// empty where one region is all there is.
	reduced []byte
	// shown is how much of the scene it covers, in pixels.
	shown image.Point
}

// What a pixel takes at the peak, in bytes: of a picture that is read, of the reference
// while it waits for the next, and of a picture that is scored.
const (
	readBytes  = 16
	heldBytes  = 8
	scoreBytes = 80
)

// errSize ends the reading of a picture whose size is known.
var errSize = errors.New("the size is known")

// readSizes finds out how large the pictures are, without decoding them.
func readSizes(ctx context.Context, opt DiffOptions) (*compared, error) {
	d := &compared{Page: paths.Name(opt.Page), Protocol: score.MatlabY, Scale: opt.Scale}
	for _, path := range opt.Inputs {
		p := &comparedPicture{Name: paths.Name(shortName(path, opt.Inputs))}
		limits := pictures.Frugal(opt.Limits, readBytes)
		enough := limits.Accept
		limits.Accept = func(cfg image.Config, held int64) error {
			if err := enough(cfg, held); err != nil {
				return err
			}
			p.Width, p.Height = cfg.Width, cfg.Height
			return errSize
		}
		if _, err := pictures.Open(ctx, path, limits); err != nil && !errors.Is(err, errSize) {
			return nil, err
		}
		d.Pictures = append(d.Pictures, p)
	}
	return d, nil
}

// load reads the pictures, one besides the reference at a time, scores them, cuts them
// into tiles and finds the place where they differ most.
func (d *compared) load(ctx context.Context, opt DiffOptions, bar *console.Progress) error {
	left := opt.Limits // the rest is taken by what is kept
	var ref image.Image
	differ := newDifferences(d.scene)
	for i, path := range opt.Inputs {
		bar.Set("comparing", float64(i)/float64(len(opt.Inputs)))
		err := console.Picture(path, func() error {
			img, err := pictures.Open(ctx, path, pictures.Frugal(left, readBytes))
			if err != nil {
				return err
			}
			p := d.Pictures[i]
			if img.Bounds().Size() != image.Pt(p.Width, p.Height) {
				return console.Fail(console.ExitInput, fmt.Errorf("%s: changed while it was read", path))
			}
			if i == 0 {
				ref = img
				p.Note = "the reference"
				left.Memory -= int64(p.Width) * int64(p.Height) * heldBytes
			} else {
				d.score(p, ref, img, left.Memory)
				if err := differ.add(ctx, ref, img, d.Pictures[0].shown, p.shown); err != nil {
					return err
				}
			}
			if err := d.cut(ctx, p, img); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			left.Memory -= p.bytes()
			return nil
		})
		if err != nil {
			return err
		}
	}
	d.Place = differ.most()
	return nil
}

// bytes is how much the encoded parts of a picture take.
func (p *comparedPicture) bytes() int64 {
	sum := len(p.reduced)
	for _, tile := range p.tiles {
		sum += len(tile)
	}
	return int64(sum)
}

// shortName is the last part of a path, or all of it where another has the same.
func shortName(path string, among []string) string {
	base := filepath.Base(path)
	same := func(other string) bool { return filepath.Base(other) == base }
	if i := slices.IndexFunc(among, same); slices.ContainsFunc(among[i+1:], same) {
		return safefile.OneLine(filepath.ToSlash(path))
	}
	return safefile.OneLine(base)
}

// score scores a picture, for which there are so many bytes of memory, or notes why it
// cannot be scored.
func (d *compared) score(p *comparedPicture, ref, test image.Image, memory int64) {
	if ref.Bounds().Size().Sub(test.Bounds().Size()) == (image.Point{}) {
		if need := int64(p.Width) * int64(p.Height) * scoreBytes; need > memory {
			p.Note = fmt.Sprintf("not scored: that needs %s more; use --max-memory", console.Bytes(need-memory))
			return
		}
	}
	m, err := d.Protocol.Compare(ref, test, d.Scale)
	if err == nil {
		var by score.Difference
		if by, err = score.Differ(ref, test, d.Scale); err == nil {
			p.Cell, p.Mean, p.Largest = CellOf(m), &by.Mean, &by.Max
			return
		}
	}
	p.Note = "not scored: " + console.Message(err)
}
