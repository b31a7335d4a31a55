package enlarging

import (
	"image"
	"image/color"
	"time"

	"superres/superres"
	"superres/superres/stage"
)

// Limits are how much memory and how many pixels an enlargement may take.
type Limits struct {
	// Memory is the most memory that the work may take, in bytes.
	Memory int64
	// Pixels is how many pixels a picture may have; 0: as many as imagefile.Limits allows for the size of its file.
	Pixels int64
	// Result is how many pixels the enlargement of a picture may have; 0: 4,000 million.
	Result int64
}

// Settings say how pictures are enlarged. The table from Options fills them in. Each field names its option and, in
// brackets or after a comma, the default of the option.
type Settings struct {
	// Size is the size of the results and how the model computes them: --scale (2) and the other options of size,
	// --strength (1), --tile (0), --wrap, --alpha and --blend.
	Size superres.Options
	// OwnScale has a network of another program enlarge by its own scale, not Size.Scale: true if no size is given.
	OwnScale bool
	// Model is the name of a model or the path of its file: --model, auto.
	Model string
	// Denoise is how strongly noise and compression are removed, 0 to 1: --denoise. Negative: as measured in each.
	Denoise float64
	// Effort is how much work to do, fast, best or max: --effort, best.
	Effort string
	// Tuning changes how sparse coding stages work: --coder, --sparsity, --back-projection; zero changes nothing.
	Tuning stage.Tuning
	// OutputFormat is the format of the results: --format; empty: the format of each input.
	OutputFormat string
	// Keep says what an output takes over from its input in addition to the pixels.
	Keep Fidelity
	// Quality is the quality of JPEG and AVIF output, 1 to 100: --quality, 95.
	Quality int
	// Map receives a picture that shows how certain each pixel of an enlarged still picture is, before the result is
	// written: see superres.BoundsMap. If Map returns an error, enlarging the picture fails. A nil Map draws none.
	Map func(image.Image) error
	// Region is the part of the upright picture to enlarge, in pixels; empty: all of it.
	Region image.Rectangle

	// Limits are the most pixels and memory that a picture may take.
	Limits Limits
	// DecodeTime is the longest time to decode a picture: --timeout, 30 s.
	DecodeTime time.Duration
	// WholeTime is the longest time for all work on a picture: --timeout if it is given; 0: no limit.
	WholeTime time.Duration

	// Given lists the options that change pixels and differ from the default, for the record in the outputs.
	Given []string
	// Open opens the model called name; nil: models.Open.
	Open func(name string) (*superres.Model, error)

	metadata, depth string      // values of --metadata and --depth, until Complete is called
	wrap, alpha     string      // values of --wrap and --alpha
	background      color.NRGBA // value of --background; zero is white
}

// Fidelity says what an output takes over from its input in addition to the pixels.
type Fidelity struct {
	// Strip drops colour profile, EXIF, XMP and resolution: --metadata. False keeps them.
	Strip bool
	// FirstFrame takes only the first picture of a file with several: --first-frame. False takes all.
	FirstFrame bool
	// Depth is the number of bits in a sample of the output, 8 or 16: --depth. 0: as in the input.
	Depth int
	// Record writes program, model and settings into the output: --provenance, true unless metadata are dropped.
	Record bool
}

// deepened returns cfg, the header of a picture, with 16 bits a sample if f.Depth is 16, for estimates of memory.
func (f Fidelity) deepened(cfg image.Config) image.Config {
	if f.Depth == 16 {
		switch cfg.ColorModel {
		case color.GrayModel, color.Gray16Model:
			cfg.ColorModel = color.Gray16Model
		default:
			cfg.ColorModel = color.NRGBA64Model
		}
	}
	return cfg
}
