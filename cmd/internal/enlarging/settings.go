// Package enlarging is the life of a picture file: where its bytes come from, what it becomes, and where that goes.
package enlarging

import (
	"image"
	"image/color"
	"time"

	"superres/cmd/internal/console"
	"superres/superres"
	"superres/superres/stage"
)

// Settings say how pictures are enlarged. Flags of a command or parameters of a request fill them in.
type Settings struct {
	// Size is the size of the results, and how the model computes them: --scale, --width, --height, --fit, --strength
	// and --tile; twice the size.
	Size superres.Options
	// Model is the name of a model, or its file: --model, auto.
	Model string
	// Denoise is the share of noise and compression that is removed, 0 to 1: --denoise. Below 0, each picture is
	// measured, and as much is removed as was found.
	Denoise float64
	// Effort is fast, best or max: --effort, best.
	Effort string
	// Tuning changes how coupled stages code patches: --coder, --sparsity and --back-projection, nothing.
	Tuning stage.Tuning
	// Keep is what an output takes over from its input, beside the pixels.
	Keep Fidelity
	// Quality is that of JPEG files, 1 to 100: --quality, 95.
	Quality int
	// Region is the part of a picture that is made, in pixels of the upright picture. An empty one is all of it.
	Region image.Rectangle

	// Limits are those of the machine.
	Limits console.Limits
	// DecodeTime is how long a picture may take to be decoded: --timeout, 30 s.
	DecodeTime time.Duration
	// WholeTime is how long a picture may take in all: --timeout where it is given; 0 is any time.
	WholeTime time.Duration

	// Diagnose also looks for sharpening in pictures without other flaws, which costs about as much as to enlarge a
	// small picture: with --verbose, --json and --dry-run.
	Diagnose bool
	// Given are the options that were set and that change pixels, with their values, as the provenance lists them.
	Given []string
	// Open opens the model of a name. Nil is models.Open.
	Open func(name string) (*superres.Model, error)
}

// Fidelity says what an output takes over from its input, beside the pixels.
type Fidelity struct {
	// Strip leaves out colour profile, EXIF, XMP and resolution: --metadata, keep.
	Strip bool
	// FirstFrame takes only the first picture of a file with several: --first-frame, false.
	FirstFrame bool
	// Depth is the number of bits a sample of the output has, 8 or 16: --depth. 0 is that of the input.
	Depth int
	// Record writes the provenance into the output: --provenance; by default, where nothing is stripped.
	Record bool
}

// deepened is the header of a picture as if it had the depth of its output, for estimates.
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
