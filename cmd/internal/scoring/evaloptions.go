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
		models.Option("model", settings.List(&opt.Models, nil), "reduce every picture and enlarge it again by "+
			"`NAME|FILE`; may be given more than once"),
		{Name: "effort", To: settings.OneOf(&opt.Effort, "best", superres.Efforts()...),
			Help: "`HOW` much the models do: fast, best or max; see upscale --help"},
		{Name: "scale", Aliases: []string{"s"}, To: settings.Num(&opt.Scale, 2).If("2 to 16",
			func(v int) bool { return v >= 1 && v <= superres.MaxScale }), Help: "the scale `N`, 2 to 16: how " +
			"much TEST was enlarged, or how much to reduce"},
		{Name: "protocol", To: settings.OneOf(&opt.Protocol, "", score.Names()...),
			Help: "score by `NAME`: matlab-y or nfe; by default nfe for IDX files, else matlab-y"},
		pictures.DegradationOption(&opt.Degradation, "", "reduce by `HOW`: bicubic or box; by default what the "+
			"first trained model was trained for"),
		{Name: "noise", To: settings.Num(&opt.Noise, 0).Between(0, 100).In("levels"),
			Help: "add normal noise of a deviation of `N` levels of 255 to every colour of the reduced pictures, " +
				"up to 100, before --jpeg"},
		{Name: "jpeg", To: settings.Num(&opt.JPEG, 0).If("a quality of 1 to 100, or 0",
			func(v int) bool { return v >= 0 && v <= 100 }), Help: "pass the reduced pictures through JPEG files " +
			"of quality `Q`, 1 to 100, as most pictures come; 0: do not"},
		console.RecursiveOption(&opt.Recursive),
		console.JSONOption(&opt.JSON, "print JSON"),
	}, opt.Choice.Options(), console.PictureOptions(&opt.Limits, nil))
}

// EvalOptions are what a call asks for. Most fields are set by the options of table, which has their defaults.
type EvalOptions struct {
	Inputs    []string // pictures to enlarge; without Models the reference and what is scored against it
	Recursive bool
	Choice    pictures.Choice // counts with Models alone

	Models      []string // names and files
	Effort      string
	Scale       int
	Degradation resample.Degradation // empty: as the first trained model was trained for, or bicubic
	Noise       float64              // deviation, in levels of 255
	JPEG        int                  // a quality; 0: none
	Protocol    score.Protocol

	JSON   bool
	Limits console.Limits
	Notes  io.Writer // is told what of the inputs is left out; nil: nobody
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
