package train

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/pictures"
	"superres/cmd/internal/plugins"
	"superres/internal/settings"
	"superres/superres"
	convolutional "superres/superres/convolutional/learning"
	coupled "superres/superres/coupled/learning"
)

// table returns the options of superres train, with the defaults of the trainers. Where the kinds of model have
// different defaults, table uses the defaults of coupled models, and complete sets the others.
func (opt *Options) table() settings.Table {
	d, n := coupled.Defaults(), convolutional.Defaults()
	o, t := &opt.coupled, &opt.convolutional
	*o, *t = d, n
	coder, sparsity, _ := strings.Cut(d.Coder, ":sparsity=") // the default is NAME:sparsity=S
	atoms, _ := strconv.Atoi(sparsity)
	return slices.Concat(settings.Table{
		console.OutputOption(&opt.Output, "", "write the model to `FILE`.npz"),
		{Name: "scale", Aliases: []string{"s"}, To: settings.Num(&o.Scale, d.Scale).AtLeast(1),
			Help: "learn to enlarge by `N`, 2 to 4"},
		pictures.DegradationOption(&o.Degradation, d.Degradation, "`HOW` the pictures were reduced: bicubic or "+
			"box (the paper's mean of each block)"),
	}, ofKind(convolutionalStages, settings.Table{
		{Name: "symmetries", To: settings.OneOf(&t.Symmetries, n.Symmetries, "all", "none"),
			Help: "`WHICH` changes of a patch change nothing: all (flips, turns, the negative) or none"},
		{Name: "convolutional", To: settings.Bool(&opt.Convolutional, false),
			Help: "learn a chain of convolutions by gradient descent: the best pictures, and the longest training"},
		{Name: "channels", To: settings.Num(&t.Channels, n.Channels).AtLeast(1),
			Help: "`C` channels a layer, 16, 32, 48 or 64"},
		{Name: "depth", To: settings.Num(&t.Depth, n.Depth).AtLeast(1), Help: "`M` layers in the chain"},
		{Name: "skip", To: settings.Num(&t.Skip, n.Skip), Help: "add what the chain was given to what it makes every " +
			"`N` layers; N divides the depth, 0: once, at its end"},
		{Name: "margin", To: settings.Num(&t.Margin, n.Margin), Help: "compute `N` samples around a patch in all " +
			"layers too; beyond them are zeros"},
		{Name: "steps", To: settings.Num(&t.Steps, n.Steps).AtLeast(0),
			Help: "`N` steps; 0: the layers of --init stay as they are"},
		{Name: "colour-steps", To: settings.Num(&t.ColourSteps, n.ColourSteps).AtLeast(0),
			Help: "learn colour at last, `N` steps for each of two networks; 0: colour is interpolated"},
		{Name: "batch", To: settings.Num(&t.Batch, n.Batch).AtLeast(1), Help: "learn from `N` patches a step"},
		{Name: "rate", To: settings.Num(&t.LearningRate, n.LearningRate),
			Help: "the greatest learning `RATE`; 0: the default"},
		{Name: "engine", To: settings.OneOf(&opt.engine, "own", "own", pipeEngine), Effect: settings.Neutral,
			Help: "`WHO` makes the steps: own, this program, or pipe, the program at standard input and output, as " +
				"the module superres.train for Python has PyTorch do"},
		{Name: "damage", To: settings.Bool(&t.Robust, n.Robust), Help: "learn from pictures as people have them, " +
			"noisy, compressed, sharpened, reduced by other programs, and a level of how much there is to be " +
			"taken away"},
		{Name: "see-colour", To: settings.Bool(&t.SeesColour, n.SeesColour), Help: "let the network for brightness " +
			"look at colour, too, which tells where edges lie"},
		{Name: "drawings", To: settings.Num(&t.Synthetic, n.Synthetic),
			Help: "learn from drawings too, text, lines, charts, new ones all the time; they are the " +
				"share `SHARE`"},
		{Name: "grain", To: settings.Num(&t.Grain, n.Grain), Help: "leave what varies by no more than `L` levels " +
			"of 255 as interpolation has it, as a camera's grain in a sky; of digits and with --damage, 0 if it " +
			"is not given"},
		{Name: "weight-decay", To: settings.Num(&t.Decay, n.Decay), Help: "take away the share `SHARE`, times the " +
			"learning rate, of the weights in a step"},
		{Name: "init", To: settings.Parsed(&opt.Init, "", readModels), Path: true, Help: "begin with the layers of " +
			"`MODELS`, a name or file, of the same channels and, without --skip, no greater depth; at another " +
			"scale the last layer is new, and with --see-colour it may be one that does not look at colour; of " +
			"several with commas between, with the mean of their layers: where all went on from one model, that " +
			"can be better than each"},
		{Name: "teachers", To: settings.Parsed(&opt.Teachers, "", readModels), Path: true,
			Help: "learn from what `MODELS`, names or files with commas between, make of the pictures too, as " +
				"they are for this scale; networks of other programs teach as well"},
	}), ofKind(coupledModels, settings.Table{
		plugins.LearnerOption("learner", settings.Text(&o.Learner, d.Learner),
			"`SPEC` of the dictionary learner: see superres learners"),
		plugins.CoderOption(&o.Coder, coder, "`SPEC` of the sparse coder: see superres coders"),
		{Name: "sparsity", To: settings.Num(&opt.sparsity, atoms).AtLeast(0),
			Help: "code patches with `S` atoms at most; 0: no limit but what the coder's spec says"},
		{Name: "atoms", To: settings.Num(&o.Atoms, d.Atoms).AtLeast(1), Help: "learn `K` atoms"},
		{Name: "iterations", To: settings.Num(&o.Iterations, d.Iterations).AtLeast(1),
			Help: "iterate `N` times at most"},
	}), settings.Table{
		{Name: "patch", To: settings.Num(&o.Patch, d.Patch).AtLeast(1),
			Help: fmt.Sprintf("side `P` of a low-resolution patch; of convolutional stages %d if it is not given",
				n.Patch)},
	}, ofKind(coupledModels, settings.Table{
		{Name: "patches", To: settings.Num(&o.Patches, d.Patches).AtLeast(1), Help: "draw `N` patch pairs"},
		{Name: "flat", To: settings.Num(&opt.flat, 255*d.Flat).If("0 to less than 255", isLevel),
			Help: "leave out pairs that vary by less than `L` levels of 255 (root mean square)"},
	}), settings.Table{
		{Name: "reduce", To: settings.Parsed(&o.Reductions, factorsText(d.Reductions), readReductions),
			Help: "learn from the pictures reduced by the factors `F,G,...` as well, or by none; of convolutional " +
				"stages " + factorsText(n.Reductions) + " if it is not given"},
	}, ofKind(coupledModels, settings.Table{
		{Name: "mean", To: settings.Bool(&o.Mean, d.Mean), Help: "code patches without their mean"},
		{Name: "detail", To: settings.Bool(&o.Detail, d.Detail),
			Help: "learn what interpolation misses, not the patch itself"},
		{Name: "refit", To: settings.Bool(&o.Refit, d.Refit), Help: "fit the high-resolution atoms to the " +
			"codes of the low-resolution patches alone, as found when enlarging"},
	}), settings.Table{
		{Name: "back-projection", To: settings.Num(&o.BackProject, d.BackProject).AtLeast(0),
			Help: fmt.Sprintf("back-project `N` times after coding; of convolutional stages %d times if it is not "+
				"given", n.BackProject)},
		{Name: "held-out", To: settings.Num(&opt.HeldOut, 0).AtLeast(0),
			Help: "keep `N` pictures from training and score them"},
		console.SeedOption(&o.Seed),
		console.OnExistOption("the output exists"),
	}, opt.Sources.Options(), console.PictureOptions(&opt.Limits, nil))
}

// pipeEngine is the value of --engine that leaves the steps to the program at standard input and output.
const pipeEngine = "pipe"

func isLevel(v float64) bool { return v >= 0 && v < 255 }

// ofKind restricts the options in t to models of this kind and returns t. Help names the kind unless it is the default,
// or the option is --convolutional, which asks for the kind.
func ofKind(kind string, t settings.Table) settings.Table {
	for _, o := range t {
		o.Kinds = []string{kind}
		if kind == convolutionalStages && o.Name != "convolutional" {
			o.Help = "of " + kind + ": " + o.Help
		}
	}
	return t
}

// Options are the settings of one run of the command. The options of table set most of the fields.
type Options struct {
	Inputs    []string // files, folders, patterns and IDX files to learn from
	Sources   pictures.Sources
	HeldOut   int
	Output    string
	Overwrite bool
	Limits    console.Limits

	coupled       coupled.Trainer // Scale, Degradation, Patch, Reductions, BackProject and Seed are for all kinds
	flat          float64         // 255·coupled.Flat: on the scale 0..255
	sparsity      int             // sparsity of coupled.Coder; 0: as the spec of the coder says
	Convolutional bool
	convolutional convolutional.Trainer // settings that only convolutional stages have
	Init          []string              // names or files of the models of --init
	Teachers      []string              // names or files of the models of --teachers

	engine   string                     // "own" or pipeEngine
	pipe     io.ReadWriter              // to and from the program that does the steps; nil: superres does the steps
	teachers []*superres.Model          // the models of Teachers, once opened
	first    []*superres.Model          // the models of Init, once opened
	report   func(convolutional.Report) // called with the progress of training; may be nil
	most     fs.FileMode                // permissions that all inputs have in common; new files get no others

	command string   // the command line that the model records
	data    []string // the base names of the inputs, which the model records
}

// complete sets opt.Inputs from c, and the fields that depend on several options. It refuses contradicting options.
func (opt *Options) complete(c *cli.Context) (err error) {
	given := console.OptionsOf(c.Command)
	opt.Inputs = c.Args().Slice()
	switch {
	case len(opt.Inputs) == 0:
		return console.Usage("no pictures to learn from: name files, folders or IDX files; superres train --help " +
			"shows examples")
	case opt.Output == "":
		return console.Usage("no output: say where the model goes with -o FILE.npz")
	case !strings.HasSuffix(opt.Output, ".npz"):
		return console.Usage("-o %s: a model file ends in .npz", opt.Output)
	}
	others, err := optionsOfOthers(given, opt.kind())
	if err != nil {
		return err
	}
	n := convolutional.Defaults()
	opt.convolutional.LearningRate = cmp.Or(opt.convolutional.LearningRate, n.LearningRate)
	if opt.Convolutional {
		for name, preset := range map[string]string{
			"patch": strconv.Itoa(n.Patch), "back-projection": strconv.Itoa(n.BackProject),
			"reduce": factorsText(n.Reductions),
		} {
			if !given.Given(name) {
				_ = given.Find(name).To.Set(preset) // a valid default
			}
		}
	}
	if len(opt.coupled.Reductions) == 0 {
		_ = given.Find("reduce").To.Set(noFactors) // the model records "none", not an empty text
	}
	if !given.Given("grain") {
		opt.convolutional.Grain = convolutional.GrainOf(opt.coupled.Degradation, opt.convolutional.Robust)
	}
	if opt.Overwrite, err = console.SoleOutput(c); err != nil {
		return err
	}
	opt.command, opt.data = console.Recorded(c, others...)
	if opt.engine == pipeEngine { // the user has run the Python module, which started this program
		opt.command = strings.Replace(opt.command, "superres train", "python -m superres.train", 1)
	}
	opt.Sources.Complete(c, opt.Limits, 40) // bytes of memory for each pixel while pictures are read
	opt.coupled.Flat = opt.flat / 255
	opt.coupled.Coder, err = plugins.WithSparsity(opt.coupled.Coder, opt.sparsity)
	return err
}

// optionsOfOthers returns the names of options that do not apply to models of this kind, and a usage error if the user
// set such an option. given holds all options.
func optionsOfOthers(given settings.Table, kind string) (names []string, err error) {
	for _, o := range given {
		switch {
		case o.Kinds == nil || o.Kinds[0] == kind:
			continue
		case o.Given() && kind == coupledModels:
			return nil, console.Usage("--%s concerns %s; ask for some with --convolutional", o.Name, o.Kinds[0])
		case o.Given():
			return nil, console.Usage("--%s concerns %s, not the %s of --convolutional", o.Name, o.Kinds[0], kind)
		}
		names = append(names, o.Name)
	}
	return names, nil
}

// readModels returns the names or files of models in text, which are separated by commas.
func readModels(text string) ([]string, error) {
	if text == "" {
		return nil, nil
	}
	return strings.Split(text, ","), nil
}

// readReductions returns the numbers in text, separated by commas. It returns an empty list for "" and noFactors.
func readReductions(text string) ([]float64, error) {
	list := []float64{}
	if text == "" || text == noFactors {
		return list, nil
	}
	for part := range strings.SplitSeq(text, ",") {
		f, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil {
			return nil, console.Usage("--reduce: %q is no number", part)
		}
		list = append(list, f)
	}
	return list, nil
}

// noFactors is the value of --reduce that asks for no reductions.
const noFactors = "none"

// factorsText returns factors as text that readReductions reads.
func factorsText(factors []float64) string {
	if len(factors) == 0 {
		return noFactors
	}
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(factors), " ", ","), "[]")
}
