package files

import (
	"cmp"
	"fmt"
	"image"
	"slices"
	"strings"
	"time"

	"superres/internal/enlarging"
	"superres/internal/imagefile"
	"superres/internal/safefile"
	"superres/internal/settings"
	"superres/internal/usage"
	"superres/superres"
)

// Options say how files are enlarged and written. The zero value enlarges by 2, as the program superres does.
type Options struct {
	// Scale is the factor for each side, 1 to 16. 0 means 2, or the scale of a model with a network of another program.
	Scale float64
	// Width and Height are the size of the result in pixels, instead of Scale. If Width or Height is 0, that side
	// follows from the other and the proportions of the picture.
	Width, Height int
	// Fit keeps the proportions of the picture, so that the result is the largest one within Width×Height.
	Fit bool
	// Region is the part of the upright picture to enlarge, in pixels; its result has the same pixels as that part of
	// the whole result. If the file has several pictures, only the first is enlarged. Empty means the whole picture.
	Region image.Rectangle

	// Model is the name of a model for Open. Empty means auto: photo, or photo-real for noisy or compressed pictures.
	Model string
	// Open opens the model called Model. nil means models.Open.
	Open func(name string) (*superres.Model, error)
	// Effort is fast, best or max: see superres.Model.Effort. Empty means best.
	Effort string
	// Denoise is how strongly noise and compression are removed, 0 to 1. nil means as strongly as each picture needs.
	Denoise *float64
	// Strength multiplies the detail that the model adds to interpolation: 0 to 1.3. nil means 1.
	Strength *float64

	// Format is the format of the result: png, jpeg, webp, bmp, tiff or avif, or gif for animations. Empty means the
	// format of the file, but png for AVIF and for formats that cannot be written.
	Format string
	// Quality is the quality of a JPEG or AVIF file, 1 to 100. 0 means 95.
	Quality int
	// Depth is the number of bits of a sample of the result, 8 or 16. 0 means the depth of the file.
	Depth int
	// StripMetadata leaves out colour profile, EXIF, XMP, resolution and provenance. False keeps them.
	StripMetadata bool
	// NoProvenance leaves out the line on program, model and options. False writes it, unless StripMetadata is set.
	NoProvenance bool
	// FirstFrame enlarges only the first picture of animations and of files with pages. False enlarges all pictures.
	FirstFrame bool

	// Limits are the most that one file may take.
	Limits Limits

	more [][2]string // names and values of options without a field, from Set
}

// Limits are the most that one file may take.
type Limits struct {
	// Memory is the estimated memory of the work, in bytes. 0 means 2 GiB. superres.Model.Memory says how it counts.
	Memory int64
	// Pixels is the number of pixels of the picture. 0 means as many as fit into Memory, but more than 50 million only
	// in a file with at least a byte for each 200.
	Pixels int64
	// ResultPixels is the number of pixels of the result. 0 means 4,000 million.
	ResultPixels int64
	// Decoding is the time for decoding. 0 means 30 s.
	Decoding time.Duration
	// Time is the time for everything, except the wait in Watch.Admit. 0 means no limit.
	Time time.Duration
}

// Set sets the option called name from text, as the flags of the program and the parameters of its HTTP interface do:
// scale (2, 1.5, 300%), width, height, fit (800x600, 4K), region (X,Y,W,H), model, denoise (auto, 0.5), strength,
// effort, format, quality, metadata (keep, strip), provenance (true, false), depth (same, 8, 16), first-frame (true,
// false). It fails with ErrOptions.
func (o *Options) Set(name, text string) (err error) {
	var s enlarging.Settings
	all := s.Options()
	table := all.Requested()
	switch option := table.Find(name); {
	case name == region:
		if o.Region, err = enlarging.ParseRegion(text); err != nil {
			err = fmt.Errorf("%s %s: %w", region, text, err)
		}
	case option == nil || option.Name != name:
		return usage.Errorf("%s", usage.Unknown("option", name, append(table.Names(), region)))
	case text == "":
		return usage.Errorf("%s: no value", name)
	default:
		if err = option.Set(text); err == nil {
			err = s.Complete(all)
		}
	}
	if err != nil {
		return refused(table, err)
	}
	switch name {
	case "scale":
		o.Scale = s.Size.Scale
	case "width":
		o.Width = s.Size.Width
	case "height":
		o.Height = s.Size.Height
	case "fit":
		o.Width, o.Height, o.Fit = s.Size.Width, s.Size.Height, true
	case "model":
		o.Model = s.Model
	case "denoise":
		if o.Denoise = &s.Denoise; s.Denoise < 0 {
			o.Denoise = nil
		}
	case "strength":
		o.Strength = s.Size.Strength
	case "effort":
		o.Effort = s.Effort
	case "format":
		o.Format = s.OutputFormat
	case "quality":
		o.Quality = s.Quality
	case "metadata":
		o.StripMetadata = s.Keep.Strip
	case "provenance":
		o.NoProvenance = !s.Keep.Record
	case "depth":
		o.Depth = s.Keep.Depth
	case "first-frame":
		o.FirstFrame = s.Keep.FirstFrame
	case region:
	default:
		o.more = append(slices.Clip(o.more), [2]string{name, text})
	}
	return nil
}

// region is the name of the option for Region, which no flag of the program sets.
const region = "region"

// refused returns err, an error from setting an option of table, as an ErrOptions in one line, with the names that Set
// uses, and with words of over 200 characters shortened.
func refused(table settings.Table, err error) error {
	text := table.Undashed(safefile.OneLine(err.Error()))
	words := strings.Split(text, " ")
	for i, word := range words {
		words[i] = safefile.Shortened(word)
	}
	return usage.Errorf("%s", strings.Join(words, " "))
}

// settings returns the settings for o, or an error that wraps ErrOptions. It sets only options that differ from their
// zero values (pointers, if they are not nil), by the same table as the program does, which checks their ranges.
func (o Options) settings() (s enlarging.Settings, err error) {
	format := imagefile.Format(strings.ToLower(o.Format))
	switch {
	case o.Width < 0 || o.Height < 0:
		return s, usage.Errorf("size %d×%d: expected more than nothing", o.Width, o.Height)
	case o.Fit && (o.Width == 0 || o.Height == 0):
		return s, usage.Errorf("fit: expected a width and a height")
	case o.Format != "" && !format.CanWrite() && !format.CanAnimate():
		return s, usage.Errorf("format %.60q: expected png, jpeg, webp, bmp, tiff or avif, or gif for animations",
			o.Format)
	case o.Depth != 0 && o.Depth != 8 && o.Depth != 16:
		return s, usage.Errorf("depth %d: expected 8 or 16", o.Depth)
	case o.Denoise != nil && !(*o.Denoise >= 0 && *o.Denoise <= 1):
		return s, usage.Errorf("denoise %g: expected 0 to 1", *o.Denoise)
	}
	table := s.Options()
	set := func(name string, given bool, value any) {
		if given && err == nil {
			err = table.Find(name).Set(fmt.Sprint(value))
		}
	}
	set("scale", o.Scale != 0, o.Scale)
	set("width", o.Width != 0 && !o.Fit, o.Width)
	set("height", o.Height != 0 && !o.Fit, o.Height)
	set("fit", o.Fit, fmt.Sprintf("%dx%d", o.Width, o.Height))
	set("model", o.Model != "", o.Model)
	if o.Denoise != nil {
		set("denoise", true, *o.Denoise)
	}
	if o.Strength != nil {
		set("strength", true, *o.Strength)
	}
	set("effort", o.Effort != "", o.Effort)
	set("format", o.Format != "", format)
	set("quality", o.Quality != 0, o.Quality)
	set("metadata", o.StripMetadata, "strip")
	set("provenance", o.NoProvenance, false)
	set("depth", o.Depth != 0, o.Depth)
	set("first-frame", o.FirstFrame || !o.Region.Empty(), true)
	for _, option := range o.more {
		set(option[0], true, option[1])
	}
	if err == nil {
		err = s.Complete(table)
	}
	if err != nil {
		return s, refused(table, err)
	}
	s.Region, s.Open = o.Region, o.Open
	s.Limits = enlarging.Limits{Memory: cmp.Or(o.Limits.Memory, 2<<30), Pixels: o.Limits.Pixels,
		Result: o.Limits.ResultPixels}
	s.DecodeTime, s.WholeTime = o.Limits.Decoding, o.Limits.Time
	return s, nil
}
