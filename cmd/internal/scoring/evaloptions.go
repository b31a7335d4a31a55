package scoring

import (
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/pictures"
	"superres/superres"
	"superres/superres/resample"
	"superres/superres/score"
)

// evalFlags are those of superres eval. They are read by readEvalOptions.
func evalFlags() []cli.Flag {
	return slices.Concat([]cli.Flag{
		&cli.StringSliceFlag{Name: "model", Aliases: []string{"m"}, Usage: "reduce every picture and enlarge it again by `NAME|FILE`; may be given more than once"},
		&cli.StringFlag{Name: "effort", Value: "best", Usage: "`HOW` much the models do: fast, best or max; see upscale --help"},
		&cli.IntFlag{Name: "scale", Aliases: []string{"s"}, Value: 2, Usage: "the scale `N`, 2 to 16: how much TEST was enlarged, or how much to reduce"},
		&cli.StringFlag{Name: "protocol", Usage: "score by `NAME`: matlab-y or nfe; by default nfe for IDX files, else matlab-y"},
		&cli.StringFlag{Name: "degradation", Usage: "reduce by `HOW`: bicubic or box; by default what the first trained model was trained for"},
		&cli.Float64Flag{Name: "noise", Usage: "add normal noise of a deviation of `N` levels of 255 to every colour of the reduced pictures, up to 100, before --jpeg"},
		&cli.IntFlag{Name: "jpeg", Usage: "pass the reduced pictures through JPEG files of quality `Q`, 1 to 100, as most pictures come; 0: do not"},
		&cli.BoolFlag{Name: "recursive", Aliases: []string{"r"}, Usage: "take folders with all below them"},
		&cli.BoolFlag{Name: "json", Usage: "print JSON"},
	}, pictures.IDXFlags, console.PictureFlags)
}

// EvalOptions are what the flags of superres eval ask for.
type EvalOptions struct {
	// Inputs are the pictures to reduce, enlarge and score; without Models they are two
	// files or folders, the reference and what is scored against it.
	Inputs []string
	// Recursive takes folders with all below them: --recursive, false.
	Recursive bool
	// Choice is which images of IDX files are taken: --index, --skip-index and --limit,
	// all. It counts with Models alone.
	Choice pictures.Choice

	// Models are the names and files of the models to score: --model, none.
	Models []string
	// Effort is how much the models do: --effort, best.
	Effort string
	// Scale is how much was enlarged, or is reduced: --scale, 2.
	Scale int
	// Degradation is how pictures are reduced: --degradation. Empty is as the first
	// trained model was trained for, and bicubic where none was trained.
	Degradation resample.Degradation
	// Noise is the deviation of noise that reduced pictures get, in levels of 255: --noise, 0.
	Noise float64
	// JPEG is the quality of the files that reduced pictures pass through, 1 to 100:
	// --jpeg. 0, the default, is none.
	JPEG int
	// Protocol is how pictures are scored: --protocol, nfe where there is an IDX file and
	// matlab-y elsewhere.
	Protocol score.Protocol

	// JSON prints the table as JSON: --json, false.
	JSON bool
	// Limits are those of the machine.
	Limits console.Limits
	// Notes is told what of the inputs is left out. Nil is nobody.
	Notes io.Writer
}

// readEvalOptions reads the flags of superres eval.
func readEvalOptions(c *cli.Context) (opt EvalOptions, err error) {
	opt = EvalOptions{
		Inputs: c.Args().Slice(), Recursive: c.Bool("recursive"), Models: c.StringSlice("model"), Effort: c.String("effort"), Scale: c.Int("scale"),
		Degradation: resample.Degradation(c.String("degradation")), Noise: c.Float64("noise"), JPEG: c.Int("jpeg"), Protocol: score.Protocol(c.String("protocol")), JSON: c.Bool("json"), Notes: pictures.Notes(c),
	}
	if opt.Limits, err = console.ReadLimits(c); err != nil {
		return opt, err
	}
	byModels := len(opt.Models) > 0
	switch {
	case opt.Scale < 1 || opt.Scale > superres.MaxScale || byModels && opt.Scale < 2:
		return opt, console.Usage("--scale %d: expected 2 to %d", opt.Scale, superres.MaxScale)
	case !byModels && len(opt.Inputs) != 2:
		return opt, console.Usage("expected REF and TEST, or -m MODEL and pictures; superres eval --help shows examples")
	case len(opt.Inputs) == 0:
		return opt, console.Usage("no pictures to score")
	case opt.JPEG < 0 || opt.JPEG > 100:
		return opt, console.Usage("--jpeg %d: expected a quality of 1 to 100, or 0", opt.JPEG)
	case !(opt.Noise >= 0 && opt.Noise <= 100):
		return opt, console.Usage("--noise %g: expected 0 to 100 levels", opt.Noise)
	case opt.Noise > 0 && !byModels:
		return opt, console.Usage("--noise is for models, which pictures are reduced for: add -m MODEL")
	case opt.JPEG > 0 && !byModels:
		return opt, console.Usage("--jpeg is for models, which pictures are reduced for: add -m MODEL")
	case c.IsSet("effort") && !byModels:
		return opt, console.Usage("--effort is for models: add -m MODEL")
	}
	if opt.Protocol == "" {
		opt.Protocol = score.MatlabY
		if slices.ContainsFunc(opt.Inputs, pictures.IsIDX) {
			opt.Protocol = score.Normalised
		}
	}
	if err := console.OneOf("protocol", string(opt.Protocol), score.Names()...); err != nil {
		return opt, err
	}
	if opt.Choice, err = pictures.ReadChoice(c); err == nil && !byModels {
		opt.Choice.TellIdle(opt.Notes, nil)
	}
	return opt, err
}
