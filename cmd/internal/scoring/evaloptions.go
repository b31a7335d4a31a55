package scoring

import (
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/models"
	"superres/cmd/internal/pictures"
	"superres/cmd/internal/settings"
	"superres/superres"
	"superres/superres/resample"
	"superres/superres/score"
)

// table has the options of superres eval, with their defaults.
func (opt *EvalOptions) table() settings.Table {
	return slices.Concat(settings.Table{
		models.Option("model", settings.List(&opt.Models, nil), "reduce every picture and enlarge it again by `NAME|FILE`; may be given more than once"),
		{Name: "effort", To: settings.OneOf(&opt.Effort, "best", superres.Efforts()...), Help: "`HOW` much the models do: fast, best or max; see upscale --help"},
		{Name: "scale", Aliases: []string{"s"}, To: settings.Num(&opt.Scale, 2).If("2 to 16", func(v int) bool { return v >= 1 && v <= superres.MaxScale }), Help: "the scale `N`, 2 to 16: how much TEST was enlarged, or how much to reduce"},
		{Name: "protocol", To: settings.OneOf(&opt.Protocol, "", score.Names()...), Help: "score by `NAME`: matlab-y or nfe; by default nfe for IDX files, else matlab-y"},
		pictures.DegradationOption(&opt.Degradation, "", "reduce by `HOW`: bicubic or box; by default what the first trained model was trained for"),
		{Name: "noise", To: settings.Num(&opt.Noise, 0).Between(0, 100).In("levels"), Help: "add normal noise of a deviation of `N` levels of 255 to every colour of the reduced pictures, up to 100, before --jpeg"},
		{Name: "jpeg", To: settings.Num(&opt.JPEG, 0).If("a quality of 1 to 100, or 0", func(v int) bool { return v >= 0 && v <= 100 }), Help: "pass the reduced pictures through JPEG files of quality `Q`, 1 to 100, as most pictures come; 0: do not"},
		console.RecursiveOption(&opt.Recursive),
		console.JSONOption(&opt.JSON, "print JSON"),
	}, opt.Choice.Options(), console.PictureOptions(&opt.Limits, nil))
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

// complete reads the arguments, and refuses what the options contradict.
func (opt *EvalOptions) complete(c *cli.Context) error {
	opt.Inputs, opt.Notes = c.Args().Slice(), pictures.Notes(c)
	byModels := len(opt.Models) > 0
	switch {
	case byModels && opt.Scale < 2:
		return console.Usage("--scale %d: expected 2 to %d", opt.Scale, superres.MaxScale)
	case !byModels && len(opt.Inputs) != 2:
		return console.Usage("expected REF and TEST, or -m MODEL and pictures; superres eval --help shows examples")
	case len(opt.Inputs) == 0:
		return console.Usage("no pictures to score")
	case opt.Noise > 0 && !byModels:
		return console.Usage("--noise is for models, which pictures are reduced for: add -m MODEL")
	case opt.JPEG > 0 && !byModels:
		return console.Usage("--jpeg is for models, which pictures are reduced for: add -m MODEL")
	case c.IsSet("effort") && !byModels:
		return console.Usage("--effort is for models: add -m MODEL")
	}
	if opt.Protocol == "" {
		opt.Protocol = score.MatlabY
		if slices.ContainsFunc(opt.Inputs, pictures.IsIDX) {
			opt.Protocol = score.Normalised
		}
	}
	if !byModels {
		opt.Choice.TellIdle(opt.Notes, nil)
	}
	return nil
}
