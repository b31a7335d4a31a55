package upscale

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"superres/cmd/internal/console"
	"superres/cmd/internal/decoders"
	"superres/cmd/internal/models"
	"superres/cmd/internal/parts"
	"superres/cmd/internal/paths"
	"superres/cmd/internal/pictures"
	"superres/cmd/internal/plugins"
	"superres/cmd/internal/settings"
	"superres/internal/enlarging"
	"superres/internal/imagefile"
	"superres/superres"
)

// The titles of the groups of options, in the order of the help.
const (
	sizes    = "size"
	files    = "files"
	quality  = "quality"
	research = "research"
)

var groups = []string{sizes, files, quality, console.Reports, console.Machine, research}

// table returns the options of superres upscale, with their defaults, which set the fields of opt. To add an option,
// add a record here, and a case in complete if its value depends on other options.
func (opt *Options) table() settings.Table {
	strength := new(float64)
	opt.Size.Strength = strength
	return slices.Concat(settings.Table{
		{Name: "output", Aliases: []string{"o"}, To: settings.Text(&opt.Naming.Out, ""), Group: files,
			Effect: settings.Neutral,
			Help:   "write to `PATH`: a file, a folder, or - for standard output",
			Brief:  "where the result goes: a file or a folder (default: beside the photo)"},
		{Name: "name", To: settings.Text(&opt.Naming.Template, "{stem}_{size}{ext}"), Group: files,
			Effect: settings.Neutral,
			Help: "`TEMPLATE` of output names, of {stem}, {size} (2x or, with --width, --height or " +
				"--fit, the size of the result, 800x600; at scale 1 it is restored), {scale} (2) and {model}; " +
				"{ext} is the extension of the output at the end, which is added where it is missing, and elsewhere " +
				"that of the input"},
	}, pictures.SizeOptions(&opt.Size), settings.Table{
		{Name: "model", Aliases: []string{"m"}, To: settings.Text(&opt.Model, models.Auto), Words: models.WithAuto,
			Group: quality, Effect: settings.Elsewhere, Request: true,
			Help: "`NAME|FILE`: see superres models; the file may be the network of another program; auto is photo, " +
				"and photo-real for pictures with noise or compression"},
		models.ImpreciseOption(&opt.opener.Imprecise, quality),
		{Name: "denoise", To: settings.Parsed(&opt.Denoise, "auto", readDenoise), Words: offer("auto", "0", "1"),
			Group: quality, Noted: true, Request: true,
			Help: "take noise and compression away: auto, as much as is found in a picture, or `HOW` much of 0, " +
				"nothing, to 1", Brief: "how much noise to take away: auto, or from 0, nothing, to 1"},
		{Name: "strength", To: settings.Num(strength, 1).Between(0, superres.MaxStrength), Group: quality,
			Noted: true, Request: true,
			Help: "add the `SHARE` of what the model adds to interpolation, 0 to 1.3"},
		{Name: "effort", To: settings.Text(&opt.Effort, "best"), Words: efforts, Group: quality, Noted: true,
			Request: true,
			Help: "`HOW` much to do: fast, for a quick look, by a smaller model in a third of the time; best, for " +
				"almost everything; or max, for the finest detail, by a larger model and the mean over " +
				"the picture as it is and turned, four times as long",
			Brief: "fast: quick; best: for almost everything; max: the finest, four times as long"},
		{Name: "coder", To: settings.Text(&opt.Tuning.Coder, ""), Words: plugins.CoderWords, Group: research,
			Noted: true, Help: "code patches with another `SPEC` than the model's: see superres coders"},
		{Name: "sparsity", To: settings.Num(&opt.Tuning.Sparsity, 0), Group: research, Noted: true,
			Help: "code patches with `S` atoms at most; 0: as the model says"},
		{Name: "back-projection", To: settings.Maybe(&opt.Tuning.BackProject, -1).AtLeast(0), Group: research,
			Noted: true, Help: "back-project `N` times; 0: never; -1: as the model says"},
		{Name: "format", Aliases: []string{"f"}, To: settings.Text(&opt.Naming.Format, ""),
			Words: offer(pictures.Formats()...), Group: files, Effect: settings.Elsewhere, Request: true,
			Help: "write `FORMAT` (png, jpeg, webp, bmp, tiff, and gif for animations); by default that of the input " +
				"or of -o, and for standard output png, or that of the input where it holds several pictures",
			Brief: "png, jpeg, webp, tiff or bmp, or gif for animations (default: as the photo)"},
		{Name: "quality", To: settings.Num(&opt.Quality, 95).Between(1, 100), Group: quality, Request: true,
			Help: "`Q` of JPEG, 1 to 100", Brief: "of a JPEG, from 1 to 100"},
		{Name: "tile", To: settings.Num(&opt.Size.BandRows, 0).AtLeast(0).In("rows"), Group: console.Machine,
			Effect: settings.Neutral, Help: "work on `N` rows of a picture at a time: less takes less memory, the " +
				"pixels are the same; 0: as suits"},
		{Name: "recursive", Aliases: []string{"r"}, To: settings.Bool(&opt.Recursive, false), Group: files,
			Effect: settings.Neutral, Help: "take folders with all below them, except the folder of -o",
			Brief: "folders with all folders in them"},
	}, opt.Filter.Options(), settings.Table{
		{Name: "on-exist", To: settings.OneOf(&opt.OnExist, "fail", "fail", "skip", "overwrite"), Group: files,
			Effect: settings.Neutral, Help: "`WHAT` to do when the output exists: fail, skip or overwrite",
			Brief: "if the result is there already: fail, skip or overwrite"},
		{Name: "keep-dates", To: settings.Bool(&opt.KeepDates, false), Group: files, Effect: settings.Neutral,
			Help: "give a result the dates of its input: of the last change and the last access"},
		{Name: "on-unreadable", To: settings.OneOf(&opt.OnUnreadable, "skip", "skip", "fail"), Group: files,
			Effect: settings.Neutral, Help: "`WHAT` to do when a folder has pictures of kinds that cannot be " +
				"read, such as HEIC: skip, and say so in the end, or fail, before any work"},
		{Name: "on-result", To: settings.OneOf(&opt.OnResult, "skip", "skip", "take"), Group: files,
			Effect: settings.Neutral, Help: "`WHAT` to do with pictures that superres enlarged before, told by " +
				"their provenance, where there are others: skip, and say so in the end, or take"},
		{Name: "resume", To: settings.Bool(&opt.Resume, false), Group: files, Effect: settings.Neutral,
			Help: "keep a journal in the folder of the outputs, and do not do again what it has as done, nor the " +
				"parts of a video that are done"},
		{Name: "shard", To: settings.Parsed(&opt.Part, "", parts.Parse), Group: files, Effect: settings.Neutral,
			Help: "do only part `I/N` of the pictures, 0/N to N-1/N: the parts may run at once"},
		{Name: "dry-run", To: settings.Bool(&opt.DryRun, false), Group: console.Reports, Effect: settings.Neutral,
			Help: "show what would be made, and make nothing"},
		{Name: "json", To: settings.Bool(&opt.json, false), Group: console.Reports, Effect: settings.Neutral,
			Help: "write an event a line to standard output, as JSON"},
		{Name: "map", To: settings.Text(&opt.mapFile, ""), Group: console.Reports, Effect: settings.Neutral,
			Help: "draw to `FILE.png` what is sure in the result: the index of a colour, in eighths of a level, " +
				"is how far nine of ten of its pixels are off"},
		{Name: "verbose", Aliases: []string{"v"}, To: settings.Bool(&opt.Verbose, false), Group: console.Reports,
			Effect: settings.Neutral, Help: "say of every picture what it is, by which model it is enlarged and " +
				"how much memory that is taken to need"},
		{Name: "timeout", To: settings.Time(&opt.DecodeTime, 30*time.Second), Group: console.Machine,
			Effect: settings.Neutral, Help: "give up a picture that takes longer than `T` to decode, enlarge and " +
				"write, and a stream with a frame that takes longer to enlarge; by default, a picture that takes " +
				"longer than that to decode"},
		{Name: "decoder", To: settings.List(&opt.decoders, decoders.Check), Group: console.Machine,
			Effect: settings.Neutral, Help: "read files of a kind by a program of your own, as in heic='PROGRAM {in} " +
				"{out}'; `WHAT` names heic, jxl, raw, psd, jp2 or pdf; none: by no other program"},
		{Name: "metadata", To: settings.OneOf(&opt.metadata, "keep", "keep", "strip"), Group: quality, Request: true,
			Help: "keep or strip ICC profile, EXIF, XMP and resolution: `WHAT` is keep or strip; strip leaves out " +
				"places (GPS) and profiles too"},
		{Name: "provenance", To: settings.Bool(&opt.Keep.Record, true), Group: quality, Effect: settings.Elsewhere,
			Request: true, Help: "note program, model and settings in the output, unless it is =false; off by " +
				"default with --metadata strip"},
		{Name: "depth", To: settings.OneOf(&opt.depth, "same", "same", "8", "16"), Group: quality, Request: true,
			Help: "write `BITS` a sample: same, 8 or 16"},
		{Name: "first-frame", To: settings.Bool(&opt.Keep.FirstFrame, false), Group: files, Request: true,
			Help: "take the first picture alone of animations and of files with pages"},
	}, console.PictureOptions(&opt.Limits, &opt.quiet))
}

// restoringTable is table for superres restore, which has no size.
func (opt *Options) restoringTable() settings.Table {
	list := slices.DeleteFunc(opt.table(), func(o *settings.Option) bool { return o.Group == sizes })
	opt.Size.Scale = 1
	return list
}

// efforts returns the values of --effort with what they are for, for completion in a shell.
func efforts() (words []settings.Word) {
	about := map[string]string{"fast": "quick, by a smaller model", "best": "for almost everything",
		"max": "the finest, four times as long"}
	for _, name := range superres.Efforts() {
		words = append(words, settings.Word{Text: name, About: about[name]})
	}
	return words
}

// offer returns a function that returns words, for the completion of values in a shell.
func offer(words ...string) func() []settings.Word {
	return func() []settings.Word { return settings.Plain(words) }
}

// Options are the settings of one call. Most fields are set by the options of table, which has their defaults.
type Options struct {
	enlarging.Settings
	Inputs    []string // files, folders, patterns, or "-" for standard input
	Video     bool     // the only input is a video stream, by its content
	Recursive bool
	Filter    pictures.Filter
	Part      parts.Part

	Naming       pictures.Naming
	OnExist      string
	KeepDates    bool
	OnUnreadable string
	OnResult     string
	Resume       bool
	DryRun       bool
	Verbose      bool

	mapFile         string // value of --map
	metadata, depth string // values of --metadata and --depth
	json, quiet     bool
	decoders        []string // --decoder
	restores        bool     // the command is restore
	opener          models.Opener
	said            []string  // names of all options set by the user
	settings        []setting // the options that decide the bytes of a result, with their values
}

// setting is the name of an option and its value.
type setting struct{ name, value string }

// complete sets the fields that depend on several options, of which given has the values, and on the arguments inputs.
// It fails if sizes contradict each other.
func (opt *Options) complete(given settings.Table, inputs []string) error {
	if err := pictures.CheckSize(&opt.Size, given); err != nil {
		return err
	}
	opt.OwnScale = !opt.restores && !given.Given("scale", "width", "height", "fit")
	opt.Inputs = inputs
	if !given.Given("output") {
		opt.Inputs, opt.Naming.Out = pictures.SplitOutput(inputs)
	}
	opt.Naming.Model, opt.Naming.Size = opt.Model, opt.Size
	opt.Verbose = opt.Verbose && !opt.quiet
	if given.Given("timeout") {
		opt.WholeTime = opt.DecodeTime
	}
	opt.Keep.Strip = opt.metadata == "strip"
	opt.Keep.Depth, _ = strconv.Atoi(opt.depth) // 0 for "same"
	opt.Keep.Record = opt.Keep.Record && (!opt.Keep.Strip || given.Given("provenance"))
	for _, o := range given {
		if o.Given() {
			opt.said = append(opt.said, o.Name)
		}
		if o.Noted && o.To.String() != o.Default() {
			opt.Given = append(opt.Given, o.Name+" "+o.To.String())
		}
		if o.Effect == settings.Changes {
			opt.settings = append(opt.settings, setting{o.Name, o.To.String()})
		}
	}
	return nil
}

// takeSize sets the size to that of e, which is the model's own where none is given.
func (opt *Options) takeSize(e *enlarging.Enlarger) { opt.Size, opt.Naming.Size = e.Size, e.Size }

// readDenoise returns the value of --denoise, 0 to 1, or -1 for auto.
func readDenoise(text string) (float64, error) {
	v, err := enlarging.ParseDenoise(text)
	if err != nil {
		return 0, fmt.Errorf("--denoise %s: %w", text, err)
	}
	return v, nil
}

// check returns an error if options contradict each other for the input in and its output out. single says that in is
// the only input and was named itself; json that --json is given.
func (opt Options) check(in pictures.Input, out pictures.Output, single, json bool) error {
	video := opt.Video || out.Format == pictures.Container
	standard, pipe := paths.IsStandard(in.Path), paths.IsStandard(out.Path)
	switch {
	case pipe && !single:
		return console.Usage("standard output takes one picture: give one file, or - alone")
	case standard && opt.Part != parts.Part{}:
		return console.Usage("--shard divides files; standard input is one")
	case opt.Video && opt.Resume:
		return console.Usage("--resume goes on with files of pictures and of videos; a stream of frames begins anew")
	case opt.mapFile != "" && (video || !single):
		return console.Usage("--map takes one still picture")
	case video && opt.Keep.Depth != 0:
		return console.Usage("--depth %d: a video keeps the depth that it has; leave it out", opt.Keep.Depth)
	case (standard || pipe) && opt.Resume:
		return console.Usage("--resume goes on with files; standard input and output begin anew")
	case pipe && json:
		return console.Usage("--json and the result both go to standard output; use -o FILE")
	}
	return nil
}

// checkDepth returns an error if format cannot have the depth of --depth.
func (opt Options) checkDepth(format imagefile.Format) error {
	if opt.Keep.Depth == 16 && !format.CanDeep() {
		return console.Usage("--depth 16: %s has 8 bits a sample; use --format png or tiff",
			strings.ToUpper(string(format)))
	}
	return nil
}
