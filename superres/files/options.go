package files

import (
	"cmp"
	"fmt"
	"image"
	"strconv"
	"strings"
	"time"

	"superres/internal/enlarging"
	"superres/internal/imagefile"
	"superres/internal/safefile"
	"superres/internal/usage"
	"superres/superres"
	"superres/superres/models"
)

// Options say how files are enlarged and written. The zero value enlarges by 2, as the program superres does.
type Options struct {
	// Scale is the factor for each side, 1 to 16. 0 means 2, or the scale of a model with a network of another program.
	Scale float64
	// Width and Height are the size of the result in pixels; they are set instead of Scale. If one of them is 0, that
	// side follows from the other and the proportions of the picture.
	Width, Height int
	// Fit keeps the proportions of the picture, so that the result is the largest one within Width×Height.
	Fit bool
	// Region is the part of the upright picture to enlarge, in pixels: its result has the pixels that the whole result
	// has there. Of several pictures, the first is taken. Empty means the whole picture.
	Region image.Rectangle

	// Model is the name of a model for Open. Empty means auto: photo, and photo-real for pictures with noise or
	// compression.
	Model string
	// Open opens the model called Model. nil means models.Open.
	Open func(name string) (*superres.Model, error)
	// Effort is fast, best or max: see superres.Model.Effort. Empty means best.
	Effort string
	// Denoise is how strongly noise and compression are removed, 0 to 1. nil means as much as is found in a picture.
	Denoise *float64
	// Strength is the share, in the result, of what the model adds to interpolation: 0 to 1.3. nil means 1.
	Strength *float64

	// Format is the format of the result: png, jpeg, webp, bmp or tiff, or gif for animations. Empty means that of the
	// file, or png where it cannot be written.
	Format string
	// Quality is the quality of a JPEG, 1 to 100. 0 means 95.
	Quality int
	// Depth is the number of bits of a sample of the result, 8 or 16. 0 means as many as in the file.
	Depth int
	// StripMetadata leaves out colour profile, EXIF, XMP, resolution and provenance. False keeps them.
	StripMetadata bool
	// NoProvenance leaves out the line that says which program, model and options made the result. False writes it,
	// unless StripMetadata is set.
	NoProvenance bool
	// FirstFrame takes the first picture alone of animations and of files with pages. False takes all.
	FirstFrame bool

	// Limits are the most that one file may take.
	Limits Limits
}

// Limits are the most that one file may take.
type Limits struct {
	// Memory is the estimated memory of the work, in bytes. 0 means 2 GiB. It holds as superres.Model.Memory says.
	Memory int64
	// Pixels is the number of pixels of the picture. 0 means as many as Memory holds, but above 50 million at most 200
	// for each byte of the file.
	Pixels int64
	// ResultPixels is the number of pixels of the result. 0 means 4,000 million.
	ResultPixels int64
	// Decoding is the time for decoding. 0 means 30 s.
	Decoding time.Duration
	// Time is the time for all, without the wait in Watch.Admit. 0 means no limit.
	Time time.Duration
}

// Set sets the option called name from text, as the parameters of the program's HTTP interface do: scale (2, 1.5,
// 300%), width, height, fit (800x600, 4K), region (X,Y,W,H), model, denoise (auto, 0.5), strength, effort, format,
// quality, metadata (keep, strip), provenance (true, false), depth (same, 8, 16), first-frame (true, false). It fails
// with ErrOptions.
func (o *Options) Set(name, text string) error {
	set := o.setters()[name]
	if set == nil {
		return usage.Errorf("%s", usage.Unknown("option", name, optionNames))
	}
	if err := set(text); err != nil {
		return fmt.Errorf("%s %s: %w", name, safefile.Shortened(safefile.OneLine(text)), err)
	}
	return nil
}

// optionNames are the names that Set knows.
var optionNames = []string{"scale", "width", "height", "fit", "region", "model", "denoise", "strength", "effort",
	"format", "quality", "metadata", "provenance", "depth", "first-frame"}

// setters returns a function for each name of optionNames.
func (o *Options) setters() map[string]func(text string) error {
	number := func(to *int, least, most int) func(string) error {
		return func(text string) error {
			n, err := strconv.Atoi(text)
			if err != nil || n < least || n > most {
				return usage.Errorf("expected %d to %d", least, most)
			}
			*to = n
			return nil
		}
	}
	oneOf := func(set func(word string), words ...string) func(string) error {
		return func(text string) error {
			for _, word := range words {
				if text == word {
					set(word)
					return nil
				}
			}
			return usage.Errorf("expected %s", strings.Join(words, ", "))
		}
	}
	flag := func(to *bool, when string, words ...string) func(string) error {
		return oneOf(func(word string) { *to = word == when }, words...)
	}
	word := func(to *string) func(string) error {
		return func(text string) error {
			*to = text
			return nil
		}
	}
	return map[string]func(text string) error{
		"scale": func(text string) (err error) {
			o.Scale, err = enlarging.ParseScale(text)
			return err
		},
		"width":  number(&o.Width, 1, mostSide),
		"height": number(&o.Height, 1, mostSide),
		"fit": func(text string) (err error) {
			if o.Width, o.Height, err = enlarging.ParseFit(text); err == nil {
				o.Fit = true
			}
			return err
		},
		"region": func(text string) (err error) {
			o.Region, err = enlarging.ParseRegion(text)
			return err
		},
		"model": word(&o.Model),
		"denoise": func(text string) error {
			v, err := enlarging.ParseDenoise(text)
			if o.Denoise = &v; err != nil || v < 0 {
				o.Denoise = nil
			}
			return err
		},
		"strength": func(text string) error {
			v, err := strconv.ParseFloat(text, 64)
			if err != nil || !(v >= 0 && v <= superres.MaxStrength) {
				return usage.Errorf("expected 0 to %g", superres.MaxStrength)
			}
			o.Strength = &v
			return nil
		},
		"effort":      oneOf(func(word string) { o.Effort = word }, superres.Efforts()...),
		"format":      word(&o.Format),
		"quality":     number(&o.Quality, 1, 100),
		"metadata":    flag(&o.StripMetadata, "strip", "keep", "strip"),
		"provenance":  flag(&o.NoProvenance, "false", "true", "false"),
		"depth":       oneOf(func(word string) { o.Depth, _ = strconv.Atoi(word) }, "same", "8", "16"),
		"first-frame": flag(&o.FirstFrame, "true", "true", "false"),
	}
}

// mostSide is the largest width or height that Set takes, in pixels.
const mostSide = 1 << 30

// settings returns the settings for o, or an error of ErrOptions.
func (o Options) settings() (s enlarging.Settings, err error) {
	sized := o.Width != 0 || o.Height != 0
	format := imagefile.Format(strings.ToLower(o.Format))
	switch {
	case o.Scale != 0 && !(o.Scale >= superres.MinScale && o.Scale <= superres.MaxScale):
		return s, usage.Errorf("scale %g: expected %d to %d", o.Scale, superres.MinScale, superres.MaxScale)
	case o.Width < 0 || o.Height < 0:
		return s, usage.Errorf("size %d×%d: expected more than nothing", o.Width, o.Height)
	case o.Scale != 0 && sized:
		return s, usage.Errorf("scale and width or height: expected one of them")
	case o.Fit && (o.Width == 0 || o.Height == 0):
		return s, usage.Errorf("fit: expected a width and a height")
	case o.Format != "" && !format.CanWrite() && !format.CanAnimate():
		return s, usage.Errorf("format %.60q: expected png, jpeg, webp, bmp or tiff, or gif for animations", o.Format)
	case o.Quality < 0 || o.Quality > 100:
		return s, usage.Errorf("quality %d: expected 1 to 100", o.Quality)
	case o.Depth != 0 && o.Depth != 8 && o.Depth != 16:
		return s, usage.Errorf("depth %d: expected 8 or 16", o.Depth)
	case o.Denoise != nil && !(*o.Denoise >= 0 && *o.Denoise <= 1):
		return s, usage.Errorf("denoise %g: expected 0 to 1", *o.Denoise)
	case o.Strength != nil && !(*o.Strength >= 0 && *o.Strength <= superres.MaxStrength):
		return s, usage.Errorf("strength %g: expected 0 to %g", *o.Strength, superres.MaxStrength)
	}
	s = enlarging.Settings{
		Size:     superres.Options{Scale: o.Scale, Width: o.Width, Height: o.Height, Fit: o.Fit, Strength: o.Strength},
		OwnScale: o.Scale == 0 && !sized, Model: cmp.Or(o.Model, models.Auto), Denoise: -1,
		Effort: cmp.Or(o.Effort, "best"), Quality: cmp.Or(o.Quality, 95), Region: o.Region,
		Keep: enlarging.Fidelity{Strip: o.StripMetadata, FirstFrame: o.FirstFrame || !o.Region.Empty(), Depth: o.Depth,
			Record: !o.StripMetadata && !o.NoProvenance},
		Limits: enlarging.Limits{Memory: cmp.Or(o.Limits.Memory, 2<<30), Pixels: o.Limits.Pixels,
			Result: o.Limits.ResultPixels},
		DecodeTime: o.Limits.Decoding, WholeTime: o.Limits.Time, Open: o.Open,
	}
	if s.OwnScale {
		s.Size.Scale = 2
	}
	if o.Denoise != nil {
		s.Denoise = *o.Denoise
	}
	s.Given = o.given()
	return s, nil
}

// given lists the options that change pixels and are not the defaults, in the words and the order of the program.
func (o Options) given() (list []string) {
	if o.Denoise != nil {
		list = append(list, fmt.Sprint("denoise ", *o.Denoise))
	}
	if o.Strength != nil && *o.Strength != 1 {
		list = append(list, fmt.Sprint("strength ", *o.Strength))
	}
	if o.Effort != "" && o.Effort != "best" {
		list = append(list, "effort "+o.Effort)
	}
	return list
}
