package train

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/pictures"
	"superres/cmd/internal/plugins"
	"superres/cmd/internal/settings"
	"superres/superres"
	convolutional "superres/superres/convolutional/learning"
	coupled "superres/superres/coupled/learning"
	"superres/superres/resample"
)

// table has the options of superres train, with the defaults of the trainers: where these differ
// between the kinds of model it is those of coupled models, and complete sets the others.
func (opt *Options) table() settings.Table {
	d, n := coupled.Defaults(), convolutional.Defaults()
	t := &opt.trainer
	*t = n
	coder, sparsity, _ := strings.Cut(d.Coder, ":sparsity=")
	atoms, _ := strconv.Atoi(sparsity)
	return slices.Concat(settings.Table{
		console.OutputOption(&opt.Output, "", "write the model to `FILE`.npz"),
		{Name: "scale", Aliases: []string{"s"}, To: settings.Num(&opt.Scale, d.Scale).AtLeast(1), Help: "learn to enlarge by `N`, 2 to 4"},
		pictures.DegradationOption(&opt.Degradation, d.Degradation, "`HOW` the pictures were reduced: bicubic or box (the paper's mean of each block)"),
	}, ofKind(convolutionalKind, settings.Table{
		{Name: "symmetries", To: settings.OneOf(&t.Symmetries, n.Symmetries, "all", "none"), Help: "`WHICH` changes of a patch change nothing: all (flips, turns, the negative) or none"},
		{Name: "jpeg", To: settings.Custom("", opt.readQualities), Help: "pass the reduced pictures through JPEG files of qualities from `LO,HI`, to learn from what most files hold"},
		{Name: "convolutional", To: settings.Bool(&opt.Convolutional, false), Help: "learn a chain of convolutions by gradient descent: the best pictures, and the longest training"},
		{Name: "channels", To: settings.Num(&t.Channels, n.Channels).AtLeast(1), Help: "`C` channels a layer, 16, 32, 48 or 64"},
		{Name: "depth", To: settings.Num(&t.Depth, n.Depth).AtLeast(1), Help: "`M` layers in the chain"},
		{Name: "steps", To: settings.Num(&t.Steps, n.Steps).AtLeast(0), Help: "`N` steps; 0: the layers of --init stay as they are"},
		{Name: "colour-steps", To: settings.Num(&t.ColourSteps, n.ColourSteps).AtLeast(0), Help: "learn colour at last, `N` steps for each of two networks; 0: colour is interpolated"},
		{Name: "batch", To: settings.Num(&t.Batch, n.Batch).AtLeast(1), Help: "learn from `N` patches a step"},
		{Name: "rate", To: settings.Num(&t.LearningRate, n.LearningRate), Help: "the greatest learning `RATE`; 0: the default"},
		{Name: "damage", To: settings.Bool(&t.Robust, n.Robust), Help: "learn from pictures as people have them, noisy, compressed, sharpened, reduced by other programs, and a level of how much there is to be taken away"},
		{Name: "drawings", To: settings.Num(&t.Synthetic, n.Synthetic), Help: "learn from drawings too, text, lines, charts, which are drawn anew all the time; they are the share `SHARE`"},
		{Name: "grain", To: settings.Num(&t.Grain, n.Grain), Help: "leave what varies by no more than `L` levels of 255 as interpolation has it, as a camera's grain in a sky; of digits and with --damage, 0 if it is not given"},
		{Name: "weight-decay", To: settings.Num(&t.Decay, n.Decay), Help: "take away the share `SHARE`, times the learning rate, of the weights in a step"},
		{Name: "init", To: settings.Text(&opt.Init, ""), Path: true, Help: "begin with the layers of `MODEL`, a name or file, of the same channels and no greater depth; at another scale the last layer is new"},
		{Name: "teachers", To: settings.Custom("", opt.readTeachers), Path: true, Help: "learn from what `MODELS`, names or files with commas between, make of the pictures too, as they are for this scale"},
	}), ofKind(coupledKind, settings.Table{
		plugins.LearnerOption("learner", settings.Text(&opt.Learner, d.Learner), "`SPEC` of the dictionary learner: see superres learners"),
		plugins.CoderOption(&opt.Coder, coder, "`SPEC` of the sparse coder: see superres coders"),
		{Name: "sparsity", To: settings.Num(&opt.sparsity, atoms).AtLeast(0), Help: "code patches with `S` atoms at most; 0: as the coder's spec says"},
		{Name: "atoms", To: settings.Num(&opt.Atoms, d.Atoms).AtLeast(1), Help: "learn `K` atoms"},
		{Name: "iterations", To: settings.Num(&opt.Iterations, d.Iterations).AtLeast(1), Help: "iterate `N` times at most"},
	}), settings.Table{
		{Name: "patch", To: settings.Num(&opt.Patch, d.Patch).AtLeast(1), Help: fmt.Sprintf("side `P` of a low-resolution patch; of convolutional stages %d if it is not given", n.Patch)},
	}, ofKind(coupledKind, settings.Table{
		{Name: "patches", To: settings.Num(&opt.Patches, d.Patches).AtLeast(1), Help: "draw `N` patch pairs"},
		{Name: "flat", To: settings.Num(&opt.Flat, 255*d.Flat).If("0 to 255", func(v float64) bool { return v >= 0 && v < 255 }), Help: "leave out pairs that vary by less than `L` levels of 255 (root mean square)"},
	}), settings.Table{
		{Name: "reduce", To: settings.Custom(factorsText(d.Reductions), opt.readReductions), Help: "learn from the pictures reduced by the factors `F,G,...` as well, or by none; of convolutional stages " + factorsText(n.Reductions) + " if it is not given"},
	}, ofKind(coupledKind, settings.Table{
		{Name: "mean", To: settings.Bool(&opt.Mean, !d.KeepMean), Help: "code patches without their mean"},
		{Name: "detail", To: settings.Bool(&opt.Detail, !d.WholePatches), Help: "learn what interpolation misses, not the patch itself"},
		{Name: "refit", To: settings.Bool(&opt.Refit, !d.NoRefit), Help: "fit the high-resolution atoms to the codes of the low-resolution patches alone, as found when enlarging"},
	}), settings.Table{
		{Name: "back-projection", To: settings.Num(&opt.BackProjection, d.BackProject).AtLeast(0), Help: fmt.Sprintf("back-project `N` times after coding; of convolutional stages %d times if it is not given", n.BackProject)},
		{Name: "held-out", To: settings.Num(&opt.HeldOut, 0).AtLeast(0), Help: "keep `N` pictures from training and score them"},
		console.SeedOption(&opt.Seed),
		console.OnExistOption("the output exists"),
	}, opt.Sources.Options(), console.PictureOptions(&opt.Limits, nil))
}

// ofKind returns options as those of one kind of model, which their help says where the kind must
// be asked for.
func ofKind(k kind, t settings.Table) settings.Table {
	for _, o := range t {
		o.Kinds = []string{k.name}
		if k.ask != "" && k.ask != "--"+o.Name {
			o.Help = "of " + k.name + ": " + o.Help
		}
	}
	return t
}

// Options are what the flags ask for, with the defaults of coupled models where the kinds differ.
type Options struct {
	// Inputs are files, folders, patterns and IDX files to learn from.
	Inputs []string
	// Sources says which of their pictures are taken: --recursive, --index, --skip-index and --limit, all.
	Sources pictures.Sources
	// HeldOut is how many pictures are kept from training and scored: --held-out, none.
	HeldOut int
	// Output is the file of the model: --output.
	Output string
	// Overwrite takes the place of a file that exists: --on-exist, false.
	Overwrite bool
	// Limits are those of the machine.
	Limits console.Limits
	// Seed is of all random draws: --seed, 1.
	Seed uint64

	// Scale is what the model enlarges by, 2 to 4: --scale, 2.
	Scale int
	// Degradation is how low-resolution pictures are made: --degradation, bicubic.
	Degradation resample.Degradation
	// Learner is the spec of the dictionary learner: --learner, ksvd.
	Learner string
	// Iterations is how often the learner iterates at most: --iterations, 15.
	Iterations int
	// Atoms is how many are learned: --atoms, 1,024.
	Atoms int
	// Patch is the side of a low-resolution patch, in pixels: --patch, 3.
	Patch int
	// Flat is how much a patch must vary to be learned from, as a root mean square in 255ths
	// of full brightness: --flat, 3.
	Flat float64
	// Reductions are factors by which pictures are reduced to be learned from once more:
	// --reduce, 0.5.
	Reductions []float64
	// BackProjection is how many back-projections there are: --back-projection, 3.
	BackProjection int

	// Coder is the spec of the sparse coder of a coupled model: --coder and --sparsity,
	// omp:sparsity=2.
	Coder string
	// Patches is how many pairs a coupled model is learned from: --patches, 300,000.
	Patches int
	// Mean codes the patches of a coupled model without their mean: --mean, true.
	Mean bool
	// Detail has a coupled model learn what interpolation misses: --detail, true.
	Detail bool
	// Refit fits the high-resolution atoms of a coupled model once more: --refit, true.
	Refit bool

	// Convolutional asks for a convolutional stage: --convolutional, false.
	Convolutional bool
	// trainer has the options of convolutional stages alone, and what other options have no say in.
	trainer convolutional.Trainer
	// Init is the model with whose layers a convolutional stage begins, a name or file: --init,
	// none.
	Init string

	// Teachers are models that a convolutional stage learns from, names or files: --teachers,
	// none.
	Teachers []string

	// teachers are the models of Teachers, once they have been opened.
	teachers []*superres.Model
	// first is the model of Init, once it has been opened.
	first *superres.Model
	// report tells how the training of a convolutional stage goes; it may be nil.
	report func(convolutional.Report)
	// most is the mode that new files get at most, by the pictures and models that are read.
	most fs.FileMode

	// sparsity is how many atoms a code has at most: --sparsity, 2. Coder has it, once complete.
	sparsity int
	// command is the command line that the model records, and data are its inputs there.
	command string
	data    []string
}

// complete reads the arguments, and sets the defaults that other options decide.
func (opt *Options) complete(c *cli.Context) (err error) {
	given := settings.Of(c.Command)
	opt.Inputs = c.Args().Slice()
	switch {
	case len(opt.Inputs) == 0:
		return console.Usage("no pictures to learn from: name files, folders or IDX files; superres train --help shows examples")
	case opt.Output == "":
		return console.Usage("no output: say where the model goes with -o FILE.npz")
	case !strings.HasSuffix(opt.Output, ".npz"):
		return console.Usage("-o %s: a model file ends in .npz", opt.Output)
	}
	others, err := optionsOfOthers(given, kindOf(*opt))
	if err != nil {
		return err
	}
	n := convolutional.Defaults()
	opt.trainer.LearningRate = cmp.Or(opt.trainer.LearningRate, n.LearningRate)
	if opt.Convolutional {
		for name, text := range map[string]string{"patch": strconv.Itoa(n.Patch), "back-projection": strconv.Itoa(n.BackProject), "reduce": factorsText(n.Reductions)} {
			if !given.Given(name) {
				if err := given.Find(name).To.Set(text); err != nil {
					return err
				}
			}
		}
	}
	if len(opt.Reductions) == 0 {
		_ = given.Find("reduce").To.Set(noFactors) // which is what the model records
	}
	if !given.Given("grain") {
		opt.trainer.Grain = convolutional.GrainOf(opt.Degradation, opt.trainer.Robust)
	}
	if opt.Overwrite, err = console.SoleOutput(c); err != nil {
		return err
	}
	opt.command, opt.data = console.Recording{Without: others}.Command(c)
	opt.Sources.Complete(c, opt.Limits, 40)
	opt.Coder, err = plugins.WithSparsity(opt.Coder, opt.sparsity)
	return err
}

// optionsOfOthers returns the names of the options that have no meaning for a kind of model, and
// refuses them where they are given.
func optionsOfOthers(given settings.Table, k kind) (names []string, err error) {
	for _, o := range given {
		if o.Kinds == nil || slices.Contains(o.Kinds, k.name) {
			continue
		}
		if names = append(names, o.Name); !o.Given() {
			continue
		}
		for _, other := range kinds {
			switch {
			case !slices.Contains(o.Kinds, other.name):
			case other.ask != "":
				return nil, console.Usage("--%s concerns %s; ask for some with %s", o.Name, other.name, other.ask)
			default:
				return nil, console.Usage("--%s concerns %s, not the %s of %s", o.Name, other.name, k.name, k.ask)
			}
		}
	}
	return names, nil
}

// readTeachers reads --teachers.
func (opt *Options) readTeachers(text string) error {
	opt.Teachers = nil
	if text != "" {
		opt.Teachers = strings.Split(text, ",")
	}
	return nil
}

// readReductions reads numbers with commas, or none of them.
func (opt *Options) readReductions(text string) error {
	opt.Reductions = []float64{}
	if text == "" || text == noFactors {
		return nil
	}
	for part := range strings.SplitSeq(text, ",") {
		f, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil {
			return console.Usage("--reduce: %q is no number", part)
		}
		opt.Reductions = append(opt.Reductions, f)
	}
	return nil
}

// noFactors is how a command line says that there are no reductions.
const noFactors = "none"

// factorsText returns factors as readReductions reads them.
func factorsText(factors []float64) string {
	if len(factors) == 0 {
		return noFactors
	}
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(factors), " ", ","), "[]")
}

// readQualities reads the least and the highest quality of JPEG files.
func (opt *Options) readQualities(text string) error {
	if text == "" {
		return nil
	}
	list, err := console.Counts(text)
	if err != nil || len(list) != 2 || list[0] > list[1] || list[1] > 100 {
		return console.Usage("--jpeg %s: expected two qualities such as 70,95", text)
	}
	opt.trainer.JPEG = [2]int(list)
	return nil
}
