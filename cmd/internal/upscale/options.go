package upscale

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/enlarging"
	"superres/cmd/internal/models"
	"superres/cmd/internal/parts"
	"superres/cmd/internal/paths"
	"superres/cmd/internal/pictures"
	"superres/superres"
	"superres/superres/stage"
)

// flags are those of superres upscale. They are read by readOptions.
func flags() []cli.Flag {
	return slices.Concat([]cli.Flag{
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `PATH`: a file, a folder, or - for standard output"},
		&cli.StringFlag{Name: "name", Value: "{stem}_{size}{ext}", Usage: "`TEMPLATE` of output names, of {stem}, {size} (2x, 800w, 600h or 800x600), {scale} (2) and {model}; {ext} is the extension of the output at the end, which is added where it is missing, and elsewhere that of the input"},
	}, pictures.SizeFlags, []cli.Flag{
		&cli.StringFlag{Name: "model", Aliases: []string{"m"}, Value: models.Auto, Usage: "`NAME|FILE`: see superres models; auto is photo, and photo-real for pictures with noise or compression"},
		&cli.StringFlag{Name: "denoise", Value: "auto", Usage: "take noise and compression away: auto, as much as is found in a picture, or `HOW` much of 0, nothing, to 1"},
		&cli.Float64Flag{Name: "strength", Value: 1, Usage: "add the `SHARE` of what the model adds to interpolation, 0 to 1.3"},
		&cli.StringFlag{Name: "effort", Value: "best", Usage: "`HOW` much to do: fast, by a smaller model; best; or max, the mean over the eight flips and quarter turns of a picture, which takes eight times as long"},
		&cli.StringFlag{Name: "coder", Usage: "code patches with another `SPEC` than the model's: see superres coders"},
		&cli.IntFlag{Name: "sparsity", Usage: "code patches with `S` atoms at most"},
		&cli.IntFlag{Name: "back-projection", Value: -1, Usage: "back-project `N` times; 0: never; -1: as the model says"},
		&cli.StringFlag{Name: "format", Aliases: []string{"f"}, Usage: "write `FORMAT` (png, jpeg, bmp, tiff, and gif for animations); by default that of the input or of -o, and for standard output png, or that of the input where it holds several pictures"},
		&cli.IntFlag{Name: "quality", Value: 95, Usage: "`Q` of JPEG, 1 to 100"},
		&cli.IntFlag{Name: "tile", Usage: "work on `N` rows of a picture at a time: less takes less memory, the pixels are the same; 0: as suits"},
		&cli.BoolFlag{Name: "recursive", Aliases: []string{"r"}, Usage: "take folders with all below them, except the folder of -o"},
	}, pictures.FilterFlags, []cli.Flag{
		&cli.StringFlag{Name: "on-exist", Value: "fail", Usage: "`WHAT` to do when the output exists: fail, skip or overwrite"},
		&cli.StringFlag{Name: "on-unreadable", Value: "skip", Usage: "`WHAT` to do when a folder has pictures of kinds that cannot be read, such as HEIC: skip, and say so in the end, or fail, before any work"},
		&cli.BoolFlag{Name: "resume", Usage: "keep a journal in the folder of the outputs, and do not do again what it has as done"},
		&cli.StringFlag{Name: "shard", Usage: "do only part `I/N` of the pictures, 0/N to N-1/N: the parts may run at once"},
		&cli.BoolFlag{Name: "dry-run", Usage: "show what would be made, and make nothing"},
		&cli.BoolFlag{Name: "json", Usage: "write an event a line to standard output, as JSON"},
		&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "say of every picture what it is, by which model it is enlarged and how much memory that is taken to need"},
		&cli.DurationFlag{Name: "timeout", Usage: "give up a picture that takes longer than `T` to decode, enlarge and write, and a stream with a frame that takes longer to enlarge; by default, a picture that takes longer than that to decode", Value: 30 * time.Second},
	}, fidelityFlags, console.PictureFlags)
}

// Options are what the flags ask for.
type Options struct {
	// Settings are how the pictures are enlarged.
	enlarging.Settings
	// Inputs are files, folders, patterns, or "-" for standard input.
	Inputs []string
	// Video tells that the only input is a stream of video, by its content.
	Video bool
	// Recursive takes folders with all below them: --recursive, false.
	Recursive bool
	// Filter chooses among the pictures of folders: --include and --exclude, all.
	Filter pictures.Filter
	// Part is the part of the pictures to do: --shard, all.
	Part parts.Part

	// Naming says where the outputs go and what they are called: --output, --name and
	// --format.
	Naming pictures.Naming
	// OnExist is what to do when an output exists: --on-exist, fail, skip or overwrite;
	// fail.
	OnExist string
	// OnUnreadable is what to do when folders have pictures of kinds that cannot be read:
	// --on-unreadable, skip or fail; skip.
	OnUnreadable string
	// Resume keeps a journal and leaves out what it has as done: --resume, false.
	Resume bool
	// DryRun shows what would be made and makes nothing: --dry-run, false.
	DryRun bool
	// Verbose says more of every picture: --verbose, false.
	Verbose bool

	// said are the names of all flags that are given.
	said []string
	// settings are all flags that decide the bytes of a result, with their values.
	settings []setting
}

// setting is a flag and its value.
type setting struct{ name, value string }

// neutral are the flags whose values do not matter to the bytes of a result, or matter by
// what else is hashed. All others are settings of it, so that a new flag is one until it
// is known better.
var neutral = []string{
	"output", "name", "format", "recursive", "include", "exclude", "on-exist", "on-unreadable", "resume", "shard", "dry-run", "json",
	"scale", "width", "height", "fit", "model", "timeout", "provenance", "progress", "quiet", "verbose", "jobs", "tile", "max-memory", "max-pixels", "help", "help-all",
}

// readOptions reads the flags.
func readOptions(c *cli.Context) (opt Options, err error) {
	opt = Options{
		Inputs: c.Args().Slice(), Recursive: c.Bool("recursive"), OnExist: c.String("on-exist"), OnUnreadable: c.String("on-unreadable"), Resume: c.Bool("resume"),
		DryRun: c.Bool("dry-run"), Verbose: c.Bool("verbose") && !c.Bool("quiet"),
		Settings: enlarging.Settings{
			Quality: c.Int("quality"), Model: c.String("model"), Effort: c.String("effort"), DecodeTime: c.Duration("timeout"),
			Tuning: stage.Tuning{Coder: c.String("coder"), Sparsity: c.Int("sparsity")},
		},
	}
	opt.Diagnose = opt.Verbose || opt.DryRun || c.Bool("json")
	if opt.Limits, err = console.ReadLimits(c); err != nil {
		return opt, err
	}
	if opt.Size, err = pictures.ReadSize(c); err != nil {
		return opt, err
	}
	opt.Size.BandRows = c.Int("tile")
	out := c.String("output")
	if !c.IsSet("output") {
		opt.Inputs, out = pictures.SplitOutput(opt.Inputs)
	}
	opt.Naming = pictures.Naming{Out: out, Format: c.String("format"), Template: c.String("name"), Model: opt.Model, Size: opt.Size}
	strength, back := c.Float64("strength"), c.Int("back-projection")
	opt.Size.Strength = &strength
	switch {
	case opt.Size.BandRows < 0:
		return opt, console.Usage("--tile %d: expected 0 or more rows", opt.Size.BandRows)
	case opt.Quality < 1 || opt.Quality > 100:
		return opt, console.Usage("--quality %d: expected 1 to 100", opt.Quality)
	case !(strength >= 0 && strength <= superres.MaxStrength):
		return opt, console.Usage("--strength %g: expected 0 to %g", strength, superres.MaxStrength)
	case opt.DecodeTime <= 0:
		return opt, console.Usage("--timeout %v: expected more than no time", opt.DecodeTime)
	case back < -1:
		return opt, console.Usage("--back-projection %d: expected -1 or more", back)
	}
	if c.IsSet("timeout") {
		opt.WholeTime = opt.DecodeTime
	}
	if back >= 0 {
		opt.Tuning.BackProject = &back
	}
	if opt.Denoise, err = readDenoise(c.String("denoise")); err != nil {
		return opt, err
	}
	if opt.Keep, err = readFidelity(c); err != nil {
		return opt, err
	}
	if err := console.OneOf("on-exist", opt.OnExist, "fail", "skip", "overwrite"); err != nil {
		return opt, err
	}
	if err := console.OneOf("on-unreadable", opt.OnUnreadable, "skip", "fail"); err != nil {
		return opt, err
	}
	if opt.Part, err = parts.Parse(c.String("shard")); err != nil {
		return opt, err
	}
	if opt.Filter, err = pictures.ReadFilter(c); err != nil {
		return opt, err
	}
	for _, name := range []string{"denoise", "strength", "effort", "coder", "sparsity", "back-projection"} {
		if c.IsSet(name) {
			opt.Given = append(opt.Given, fmt.Sprintf("%s %v", name, c.Value(name)))
		}
	}
	for _, f := range c.Command.Flags {
		name := f.Names()[0]
		if c.IsSet(name) {
			opt.said = append(opt.said, name)
		}
		if !slices.Contains(neutral, name) {
			opt.settings = append(opt.settings, setting{name, fmt.Sprint(c.Value(name))})
		}
	}
	return opt, nil
}

// readDenoise reads how much is taken away; below 0, as much as is found.
func readDenoise(text string) (float64, error) {
	if text == "auto" {
		return -1, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= 0 && v <= 1) {
		return 0, console.Usage("--denoise %s: expected auto, or 0 to 1", text)
	}
	return v, nil
}

// check refuses a plan that contradicts itself: single says that there is one input, which
// was named itself.
func (opt Options) check(in pictures.Input, out pictures.Output, single, json bool) error {
	standard, pipe := paths.IsStandard(in.Path), paths.IsStandard(out.Path)
	switch {
	case pipe && !single:
		return console.Usage("standard output takes one picture: give one file, or - alone")
	case standard && opt.Part != parts.Part{}:
		return console.Usage("--shard divides files; standard input is one")
	case opt.Video && opt.Resume:
		return console.Usage("--resume goes on with pictures; a stream of frames begins anew")
	case opt.Video && opt.Keep.Depth != 0:
		return console.Usage("--depth %d: a stream of frames keeps the depth that it has; leave it out", opt.Keep.Depth)
	case (standard || pipe) && opt.Resume:
		return console.Usage("--resume goes on with files; standard input and output begin anew")
	case pipe && json:
		return console.Usage("--json and the result both go to standard output; use -o FILE")
	}
	return nil
}
