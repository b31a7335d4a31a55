package train

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/pictures"
	"superres/cmd/internal/plugins"
	"superres/superres"
	"superres/superres/convolutional/learning"
	"superres/superres/resample"
	"superres/superres/training"
)

// flags are those of superres train. They are read by readOptions. Defaults that differ
// between the kinds of model are those of coupled models here.
func flags() []cli.Flag {
	usual := coupledKind.defaults
	return slices.Concat([]cli.Flag{
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write the model to `FILE`.npz"},
		&cli.IntFlag{Name: "scale", Aliases: []string{"s"}, Value: 2, Usage: "learn to enlarge by `N`, 2 to 4"},
		&cli.StringFlag{Name: "degradation", Value: "bicubic", Usage: "`HOW` the pictures were reduced: bicubic or box (the paper's mean of each block)"},
		&cli.StringFlag{Name: "symmetries", Value: "all", Usage: "of convolutional stages: `WHICH` changes of a patch change nothing: all (flips, turns, the negative) or none"},
		&cli.StringFlag{Name: "jpeg", Usage: "of convolutional stages: pass the reduced pictures through JPEG files of qualities from `LO,HI`, to learn from what most files hold"},
		&cli.BoolFlag{Name: "convolutional", Usage: "learn a chain of convolutions by gradient descent: the best pictures, and the longest training"},
		&cli.IntFlag{Name: "channels", Value: 48, Usage: "of convolutional stages: `C` channels a layer, 16, 32, 48 or 64"},
		&cli.IntFlag{Name: "depth", Value: 10, Usage: "of convolutional stages: `M` layers in the chain"},
		&cli.IntFlag{Name: "steps", Value: 80_000, Usage: "of convolutional stages: `N` steps; 0: the layers of --init stay as they are"},
		&cli.IntFlag{Name: "colour-steps", Value: 1500, Usage: "of convolutional stages: learn colour at last, `N` steps for each of two networks; 0: colour is interpolated"},
		&cli.IntFlag{Name: "batch", Value: 10, Usage: "of convolutional stages: learn from `N` patches a step"},
		&cli.Float64Flag{Name: "rate", Usage: "of convolutional stages: the greatest `RATE` of a step; 0: 0.01"},
		&cli.BoolFlag{Name: "damage", Usage: "of convolutional stages: learn from pictures as people have them, noisy, compressed, sharpened, reduced by other programs, and a level of how much there is to be taken away"},
		&cli.Float64Flag{Name: "drawings", Value: 0.01, Usage: "of convolutional stages: learn from drawings too, text, lines, charts, which are drawn anew all the time; they are the share `SHARE`"},
		&cli.Float64Flag{Name: "grain", Value: learning.GrainOf(resample.Cubic, false), Usage: "of convolutional stages: leave what varies by no more than `L` levels of 255 as interpolation has it, as a camera's grain in a sky; of digits and with --damage, 0 if it is not given"},
		&cli.Float64Flag{Name: "weight-decay", Value: 0.03, Usage: "of convolutional stages: take away the share `SHARE`, times the rate, of the weights in a step"},
		&cli.StringFlag{Name: "init", Usage: "of convolutional stages: begin with the layers of `MODEL`, a name or file, of the same channels and no greater depth; at another scale the last layer is new"},
		&cli.StringFlag{Name: "teachers", Usage: "of convolutional stages: learn from what `MODELS`, names or files with commas between, make of the pictures too, as they are for this scale"},
		&cli.StringFlag{Name: "learner", Value: usual.learner, Usage: "`SPEC` of the dictionary learner: see superres learners"},
		&cli.StringFlag{Name: "coder", Value: "omp", Usage: "`SPEC` of the sparse coder: see superres coders"},
		&cli.IntFlag{Name: "sparsity", Value: 2, Usage: "code patches with `S` atoms at most; 0: as the coder's spec says"},
		&cli.IntFlag{Name: "atoms", Value: 1024, Usage: "learn `K` atoms"},
		&cli.IntFlag{Name: "iterations", Value: usual.iterations, Usage: "iterate `N` times at most"},
		&cli.IntFlag{Name: "patch", Value: usual.patch, Usage: "side `P` of a low-resolution patch"},
		&cli.IntFlag{Name: "patches", Value: 300_000, Usage: "draw `N` patch pairs"},
		&cli.Float64Flag{Name: "flat", Value: usual.flat, Usage: "leave out pairs that vary by less than `L` levels of 255 (root mean square)"},
		&cli.StringFlag{Name: "reduce", Usage: "learn from the pictures reduced by the factors `F,G,...` as well"},
		&cli.BoolFlag{Name: "mean", Value: true, Usage: "code patches without their mean"},
		&cli.BoolFlag{Name: "detail", Value: true, Usage: "learn what interpolation misses, not the patch itself"},
		&cli.BoolFlag{Name: "refit", Value: true, Usage: "fit the high-resolution atoms to the codes of the low-resolution patches alone, as found when enlarging"},
		&cli.IntFlag{Name: "back-projection", Value: usual.backProjection, Usage: "back-project `N` times after coding"},
		&cli.IntFlag{Name: "held-out", Usage: "keep `N` pictures from training and score them"},
		&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`SEED` of all random draws"},
		&cli.StringFlag{Name: "on-exist", Value: "fail", Usage: "`WHAT` to do when the output exists: fail or overwrite"},
		&cli.BoolFlag{Name: "recursive", Aliases: []string{"r"}, Usage: "take folders with all below them"},
	}, pictures.IDXFlags, console.PictureFlags)
}

// Options are what the flags ask for, with the defaults of coupled models where the kinds differ.
type Options struct {
	// Inputs are files, folders, patterns and IDX files to learn from.
	Inputs []string
	// Sources says which of their pictures are taken: --recursive and pictures.IDXFlags, all.
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
	// Iterations is how often the learner iterates at most: --iterations, 30.
	Iterations int
	// Atoms is how many are learned: --atoms, 1,024.
	Atoms int
	// Patch is the side of a low-resolution patch, in pixels: --patch, 3.
	Patch int
	// Flat is how much a patch must vary to be learned from, as a root mean square in 255ths
	// of full brightness: --flat, 3.
	Flat float64
	// Reductions are factors by which pictures are reduced to be learned from once more:
	// --reduce, none.
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

	// Symmetries are those of the patches of a convolutional stage: --symmetries, all.
	Symmetries training.Symmetries
	// Convolutional asks for a chain of convolutions: --convolutional, false.
	Convolutional bool
	// Channels is how many each layer of a convolutional stage has: --channels, 48.
	Channels int
	// Depth is the number of layers in the chain of a convolutional stage: --depth, 10.
	Depth int
	// Steps is how often the layers of a convolutional stage are moved: --steps, 80,000.
	Steps int
	// ColourSteps is how often those of its colour are moved: --colour-steps, 1,500.
	ColourSteps int
	// Batch is how many patches a step of a convolutional stage learns from: --batch, 10.
	Batch int
	// Rate is the greatest of the steps of a convolutional stage: --rate. The default, 0, is 0.01.
	Rate float64
	// Damage has convolutional stages learn from pictures as people have them: --damage.
	Damage bool
	// Grain is what convolutional stages leave as interpolation has it, in levels: --grain, 2.
	Grain float64
	// Drawings is the share of drawings in what convolutional stages learn from: --drawings,
	// 0.01.
	Drawings float64
	// Decay is how much of the weights of a convolutional stage is taken away in a step, times
	// the rate: --weight-decay, 0.03.
	Decay float64
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
	report func(learning.Report)
	// most is the mode that new files get at most, by the pictures and models that are read.
	most fs.FileMode

	// JPEG is the least and the highest quality of the JPEG files that reduced pictures pass
	// through: --jpeg, none.
	JPEG [2]int

	// command is the command line that the model records, and data are its inputs there.
	command string
	data    []string
}

// readOptions reads the flags.
func readOptions(c *cli.Context) (opt Options, err error) {
	limits, err := console.ReadLimits(c)
	if err != nil {
		return opt, err
	}
	opt = Options{
		Inputs: c.Args().Slice(), HeldOut: c.Int("held-out"), Output: c.String("output"), Limits: limits, Seed: c.Uint64("seed"),
		Scale: c.Int("scale"), Degradation: resample.Degradation(c.String("degradation")), Atoms: c.Int("atoms"),
		Patches: c.Int("patches"), Mean: c.Bool("mean"), Detail: c.Bool("detail"), Refit: c.Bool("refit"),
		Convolutional: c.Bool("convolutional"), Channels: c.Int("channels"), Depth: c.Int("depth"), Steps: c.Int("steps"), ColourSteps: c.Int("colour-steps"), Batch: c.Int("batch"), Rate: c.Float64("rate"), Decay: c.Float64("weight-decay"), Damage: c.Bool("damage"), Drawings: c.Float64("drawings"), Init: c.String("init"),
		Symmetries: training.Symmetries(c.String("symmetries")),
	}
	if list := c.String("teachers"); list != "" {
		opt.Teachers = strings.Split(list, ",")
	}
	opt.Grain = either(c, "grain", c.Float64, learning.GrainOf(opt.Degradation, opt.Damage))
	readShared(c, &opt)
	if err := opt.check(c.Int("sparsity")); err != nil {
		return opt, err
	}
	others, err := flagsOfOthers(c, opt)
	if err != nil {
		return opt, err
	}
	if !(opt.Flat >= 0 && opt.Flat < 255) {
		return opt, console.Usage("--flat %g: expected 0 to 255", opt.Flat)
	}
	if opt.Overwrite, err = console.SoleOutput(c); err != nil {
		return opt, err
	}
	if opt.Coder, err = plugins.WithSparsity(c.String("coder"), c.Int("sparsity")); err != nil {
		return opt, err
	}
	if opt.Reductions, err = factors(c.String("reduce")); err != nil {
		return opt, err
	}
	if opt.JPEG, err = qualities(c.String("jpeg")); err != nil {
		return opt, err
	}
	if opt.Sources, err = pictures.ReadSources(c, limits, 40); err != nil {
		return opt, err
	}
	opt.command, opt.data = console.Recording{Without: others, Values: map[string]any{
		"learner": opt.Learner, "iterations": opt.Iterations, "patch": opt.Patch, "flat": opt.Flat, "back-projection": opt.BackProjection,
		"grain": opt.Grain, "init": baseName(opt.Init), "teachers": strings.Join(baseNames(opt.Teachers), ","),
	}}.Command(c)
	return opt, nil
}

// baseNames are what is recorded of models.
func baseNames(models []string) (names []string) {
	for _, m := range models {
		names = append(names, baseName(m))
	}
	return names
}

// baseName is what is recorded of a model: the same wherever its file lies.
func baseName(model string) string {
	if model == "" {
		return ""
	}
	return filepath.Base(model)
}

// readShared reads the flags that all kinds of model have, with defaults of their own.
func readShared(c *cli.Context, opt *Options) {
	d := kindOf(*opt).defaults
	opt.Learner = either(c, "learner", c.String, d.learner)
	opt.Iterations = either(c, "iterations", c.Int, d.iterations)
	opt.Patch = either(c, "patch", c.Int, d.patch)
	opt.Flat = either(c, "flat", c.Float64, d.flat)
	opt.BackProjection = either(c, "back-projection", c.Int, d.backProjection)
}

// either reads a flag where it is given, and is the default otherwise.
func either[T any](c *cli.Context, flag string, read func(string) T, otherwise T) T {
	if c.IsSet(flag) {
		return read(flag)
	}
	return otherwise
}

// check refuses what the options alone show to be wrong.
func (opt Options) check(sparsity int) error {
	switch {
	case len(opt.Inputs) == 0:
		return console.Usage("no pictures to learn from: name files, folders or IDX files; superres train --help shows examples")
	case opt.Output == "":
		return console.Usage("no output: say where the model goes with -o FILE.npz")
	case !strings.HasSuffix(opt.Output, ".npz"):
		return console.Usage("-o %s: a model file ends in .npz", opt.Output)
	}
	for _, o := range []struct {
		flag  string
		value int
	}{{"scale", opt.Scale}, {"atoms", opt.Atoms}, {"iterations", opt.Iterations}, {"patch", opt.Patch}, {"patches", opt.Patches}, {"channels", opt.Channels}, {"depth", opt.Depth}, {"batch", opt.Batch}} {
		if o.value < 1 {
			return console.Usage("--%s %d: expected at least 1", o.flag, o.value)
		}
	}
	for _, o := range []struct {
		flag  string
		value int
	}{{"sparsity", sparsity}, {"back-projection", opt.BackProjection}, {"held-out", opt.HeldOut}, {"steps", opt.Steps}, {"colour-steps", opt.ColourSteps}} {
		if o.value < 0 {
			return console.Usage("--%s %d: expected 0 or more", o.flag, o.value)
		}
	}
	return nil
}

// flagsOfOthers lists the flags that have no meaning for the kind of model that is asked
// for, and refuses them where they are given.
func flagsOfOthers(c *cli.Context, opt Options) (list []string, err error) {
	k := kindOf(opt)
	for _, other := range kinds {
		for _, flag := range other.flags {
			switch {
			case slices.Contains(k.flags, flag) || slices.Contains(list, flag):
				continue
			case c.IsSet(flag) && other.ask != "":
				return nil, console.Usage("--%s concerns %s; ask for some with %s", flag, other.name, other.ask)
			case c.IsSet(flag):
				return nil, console.Usage("--%s concerns %s, not the %s of %s", flag, other.name, k.name, k.ask)
			}
			list = append(list, flag)
		}
	}
	return list, nil
}

// factors reads numbers with commas.
func factors(text string) ([]float64, error) {
	if text == "" {
		return nil, nil
	}
	var list []float64
	for part := range strings.SplitSeq(text, ",") {
		f, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil {
			return nil, console.Usage("--reduce: %q is no number", part)
		}
		list = append(list, f)
	}
	return list, nil
}

// qualities reads the least and the highest quality of JPEG files.
func qualities(text string) (r [2]int, err error) {
	if text == "" {
		return r, nil
	}
	list, err := console.Counts(text)
	if err != nil || len(list) != 2 || list[0] > list[1] || list[1] > 100 {
		return r, console.Usage("--jpeg %s: expected two qualities such as 70,95", text)
	}
	return [2]int{list[0], list[1]}, nil
}
