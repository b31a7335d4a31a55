package upscale

import (
	"slices"
	"strings"
	"time"

	"superres/cmd/internal/console"
	"superres/cmd/internal/decoders"
	"superres/cmd/internal/models"
	"superres/cmd/internal/parts"
	"superres/cmd/internal/paths"
	"superres/cmd/internal/pictures"
	"superres/cmd/internal/plugins"
	"superres/cmd/internal/video"
	"superres/internal/enlarging"
	"superres/internal/imagefile"
	"superres/internal/settings"
)

// The titles of the groups of options, in the order in which the help shows them.
const (
	sizes    = "size"
	files    = "files"
	quality  = "quality"
	research = "research"
)

var groups = []string{sizes, files, quality, console.Reports, console.Machine, research}

// table returns the options of superres upscale, with their defaults. An option that is set sets a field of opt. To add
// an option, add a record here, and a case in complete if its value depends on other options.
func (opt *Options) table() settings.Table {
	ofPicture := opt.Settings.Options()
	ofPicture.Find("model").Words, ofPicture.Find("coder").Words = models.WithAuto, plugins.CoderWords
	metadata := slices.Index(ofPicture.Names(), "metadata")
	return slices.Concat(settings.Table{
		{Name: "output", Aliases: []string{"o"}, To: settings.Text(&opt.Naming.Out, ""), Group: files,
			Effect: settings.Neutral, Help: "write to `PATH`: a file, a folder, or - for standard output",
			Brief: "where the result goes: a file or a folder (default: beside the photo)"},
		{Name: "name", To: settings.Text(&opt.Naming.Template, "{stem}_{size}{ext}"), Group: files,
			Effect: settings.Neutral,
			Help: "`TEMPLATE` of output names, of {stem}, {size} (2x or, with --width, --height or --fit, the size " +
				"of the result, 800x600; at scale 1 it is restored), {scale} (2) and {model}; {ext} is the extension " +
				"of the output at the end, which is added where it is missing, and elsewhere that of the input"},
	}, ofPicture[:metadata], settings.Table{
		{Name: "recursive", Aliases: []string{"r"}, To: settings.Bool(&opt.Recursive, false), Group: files,
			Effect: settings.Neutral, Help: "take folders with all below them, except the folder of -o",
			Brief: "folders with all folders in them"},
	}, opt.Filter.Options(), settings.Table{
		{Name: "on-exist", To: settings.OneOf(&opt.OnExist, "fail", "fail", "skip", "overwrite"), Group: files,
			Effect: settings.Neutral, Help: "`WHAT` to do when the output exists: fail, skip or overwrite",
			Brief: "if the result is there already: fail, skip or overwrite"},
		{Name: "already-large", To: settings.OneOf(&opt.AlreadyLarge, "copy", "copy", "skip", "fail"), Group: sizes,
			Effect: settings.Neutral, Help: "`WHAT` to do with a picture that is as large already as --width, --fit " +
				"and the like ask: copy, skip or fail"},
		{Name: "replace", To: settings.Bool(&opt.Naming.Replace, false), Group: files, Effect: settings.Neutral,
			Help: "put each result in the place of its photo, which is kept as NAME.orig"},
		{Name: "keep-dates", To: settings.Bool(&opt.KeepDates, false), Group: files, Effect: settings.Neutral,
			Help: "give a result the date of the last change of its input"},
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
		decoders.Option(&opt.decoders),
		{Name: "codec", To: settings.OneOf(&opt.encoding.Codec, "", video.Codecs()...), Group: quality,
			Help: "encode videos by `CODEC`: " + strings.Join(video.Codecs(), ", ") + "; by default as suits the file"},
		{Name: "crf", To: settings.Maybe(&opt.encoding.CRF, -1).AtLeast(0), Group: quality,
			Help: "encode videos with the rate factor `N`, from 0, the finest, to 63; -1: the codec's own, at which " +
				"little is lost that can be seen"},
	}, ofPicture[metadata:], console.PictureOptions(&opt.Limits, &opt.quiet))
}

// Options are the settings of one call. The options of table set most of the fields and say what they mean.
type Options struct {
	enlarging.Settings
	Inputs    []string // files, folders, patterns, or "-" for standard input
	Video     bool     // the only input is a video stream, as its content shows
	Recursive bool
	Filter    pictures.Filter
	Part      parts.Part

	Naming       pictures.Naming
	OnExist      string
	AlreadyLarge string
	KeepDates    bool
	OnResult     string
	Resume       bool
	DryRun       bool
	Verbose      bool

	decoders    []string // values of --decoder
	encoding    video.Encoding
	mapFile     string // value of --map
	json, quiet bool
	restores    bool // the command is restore
	opener      models.Opener
	said        []string  // names of all options set by the user
	settings    []setting // the options that change the bytes of a result, with their values
}

// setting is an option, by its name, with its value.
type setting struct{ name, value string }

// complete sets the fields of opt that depend on several options, and lists in said the options that the user gave, in
// settings all that change results. given has all options, inputs the arguments. It fails if options contradict others.
func (opt *Options) complete(given settings.Table, inputs []string) error {
	if err := opt.Settings.Complete(given); err != nil {
		return err
	}
	opt.OwnScale = opt.OwnScale && !opt.restores // superres restore has scale 1 with every model
	opt.Inputs = inputs
	if !given.Given("output") {
		opt.Inputs, opt.Naming.Out = pictures.SplitOutput(inputs)
	}
	if opt.Naming.Replace && (opt.Naming.Out != "" || opt.OutputFormat != "" || opt.Resume ||
		given.Given("name", "on-exist")) {
		return console.Usage("--replace says where results go: leave out -o, --name, --format, --on-exist and --resume")
	}
	opt.Naming.Model, opt.Naming.Format, opt.Naming.Size = opt.Model, opt.OutputFormat, opt.Size
	opt.Verbose = opt.Verbose && !opt.quiet
	if given.Given("timeout") { // the default limits only decoding
		opt.WholeTime = opt.DecodeTime
	}
	for _, o := range given {
		if o.Given() {
			opt.said = append(opt.said, o.Name)
		}
		if o.Effect == settings.Changes {
			opt.settings = append(opt.settings, setting{o.Name, o.To.String()})
		}
	}
	return nil
}

// takeSize sets the size in opt to the size that e enlarges to: if the user gave none, the model's own scale.
func (opt *Options) takeSize(e *enlarging.Enlarger) { opt.Size, opt.Naming.Size = e.Size, e.Size }

// check returns an error if options cannot be used with the input in and its output out. single says that in is the
// only input and was not found in a folder; json says that --json is given.
func (opt Options) check(in pictures.Input, out pictures.Output, single, json bool) error {
	video := opt.Video || out.Format == pictures.Container
	standard, pipe := paths.IsStandard(in.Path), paths.IsStandard(out.Path)
	switch {
	case pipe && !single:
		return console.Usage("standard output takes one picture: give one file, or - alone")
	case standard && opt.Part != parts.Part{}:
		return console.Usage("--shard divides files; standard input is one")
	case opt.Video && opt.Resume:
		return console.Usage("--resume goes on with files of pictures and of videos; a stream of frames starts over")
	case opt.mapFile != "" && (video || !single):
		return console.Usage("--map takes one still picture")
	case video && opt.Keep.Depth != 0:
		return console.Usage("--depth %d: a video keeps the depth that it has; leave it out", opt.Keep.Depth)
	case (standard || pipe) && opt.Resume:
		return console.Usage("--resume goes on with files; standard input and output start over")
	case pipe && json:
		return console.Usage("--json and the result both go to standard output; use -o FILE")
	}
	return nil
}

// checkDepth returns an error if files of format cannot have the depth that --depth asks for.
func (opt Options) checkDepth(format imagefile.Format) error {
	if opt.Keep.Depth == 16 && !format.CanDeep() {
		return console.Usage("--depth 16: %s has 8 bits a sample; use --format png or tiff",
			strings.ToUpper(string(format)))
	}
	return nil
}
