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

// comparison is the content of a page of superres diff, and of its JSON.
type comparison struct {
	Page paths.Name `json:"page"` // the file of the page
	// Folder holds the regions of the pictures that are too many for the page. It is empty where the page has all.
	Folder   paths.Name     `json:"folder,omitempty"`
	Protocol score.Protocol `json:"protocol"` // how the pictures are scored
	Scale    int            `json:"scale"`    // how much was enlarged
	// Place is where the pictures differ most, in pixels of the largest picture. The page opens with it in the middle.
	Place position `json:"opens_at"`
	// Pictures are in the order of the command line. The first is the reference.
	Pictures []*comparedPicture `json:"pictures"`

	scene  image.Point  // the width and the height of the largest picture, in pixels
	inPage map[int]bool // has the numbers of the regions that the page itself holds
	// mode bounds the permissions of new files: they get none that a picture does not have.
	mode fs.FileMode
	id   string // a checksum of all regions, by which the page knows those of its own pictures
}

// comparedPicture is one picture of a page.
type comparedPicture struct {
	Name paths.Name `json:"name"` // its name on the page
	// Width and Height are its own size, in pixels.
	Width  int `json:"width"`
	Height int `json:"height"`
	// Cell holds its scores against the reference.
	Cell
	// Mean and Largest are the mean and the largest absolute difference of its colours from those of the reference,
	// in levels of 0..255. They are nil where it was not compared.
	Mean    *float64 `json:"mean_absolute_difference,omitempty"`
	Largest *float64 `json:"largest_difference,omitempty"`
	Note    string   `json:"note,omitempty"` // says why there are no scores; empty where there are

	// tiles are its parts within each region, as PNG with 8 bits a sample. One is empty where the picture does not
	// reach the region.
	tiles [][]byte
	// reduced is the entire picture in fewer pixels, as JPEG or, with transparency, as PNG. It is empty where there
	// is only one region.
	reduced []byte
	covers  image.Point // the size of the part of the scene that it covers, in pixels
}

// What a pixel takes in memory at the peak, in bytes: of a picture that is read, of the reference, which stays in
// memory, and of a picture that is scored.
const (
	readBytes      = 16
	referenceBytes = 8
	scoreBytes     = 80
)

// errSize ends the reading of a picture whose size is known.
var errSize = errors.New("the size is known")

// readSizes reads the sizes of the pictures from their headers.
func readSizes(ctx context.Context, opt DiffOptions) (*comparison, error) {
	d := &comparison{Page: paths.Name(opt.Page), Protocol: score.MatlabY, Scale: opt.Scale}
	for _, path := range opt.Inputs {
		p := &comparedPicture{Name: paths.Name(shortName(path, opt.Inputs))}
		limits := pictures.Frugal(opt.Limits, readBytes)
		acceptMemory := limits.Accept
		limits.Accept = func(cfg image.Config, inUse int64) error {
			if err := acceptMemory(cfg, inUse); err != nil {
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

// load reads one picture after the other, scores it against the reference and cuts it into tiles. In the end it sets
// the place where the pictures differ most.
func (d *comparison) load(ctx context.Context, opt DiffOptions, bar *console.Progress) error {
	left := opt.Limits // without the memory of what is kept
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
				return console.Failf(console.ExitInput, "%s: changed while it was read", path)
			}
			if i == 0 {
				ref = img
				p.Note = "the reference"
				left.Memory -= int64(p.Width) * int64(p.Height) * referenceBytes
			} else {
				d.score(p, ref, img, left.Memory)
				if err := differ.add(ctx, ref, img, d.Pictures[0].covers, p.covers); err != nil {
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
	d.Place = differ.peak()
	return nil
}

// bytes returns the size of all encoded parts of a picture.
func (p *comparedPicture) bytes() int64 {
	sum := len(p.reduced)
	for _, tile := range p.tiles {
		sum += len(tile)
	}
	return int64(sum)
}

// shortName returns the last element of a path, or the entire path where another path has the same last element.
func shortName(path string, among []string) string {
	base := filepath.Base(path)
	same := func(other string) bool { return filepath.Base(other) == base }
	if i := slices.IndexFunc(among, same); slices.ContainsFunc(among[i+1:], same) {
		return safefile.OneLine(filepath.ToSlash(path))
	}
	return safefile.OneLine(base)
}

// score scores a picture against the reference within a number of bytes of memory, or notes why it cannot.
func (d *comparison) score(p *comparedPicture, ref, test image.Image, memory int64) {
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
