// Package train is the command superres train: it learns a model from pictures.
package train

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/models"
	"superres/cmd/internal/pictures"
	"superres/cmd/internal/plugins"
	"superres/internal/safefile"
	"superres/superres"
	"superres/superres/anchored"
	"superres/superres/coupled"
	"superres/superres/resample"
	"superres/superres/training"
)

// Command is superres train.
func Command(s *console.Streams) *cli.Command {
	return console.Command(&cli.Command{
		Name: "train", Usage: "learn a model from pictures", ArgsUsage: "[FLAGS] IMAGES... -o MODEL",
		Description: `   superres train photos/ -o my.npz
   superres train --mean=false --detail=false --refit=false --back-projection 0 --sparsity 3 photos/ -o paper.npz
   superres train --degradation box -o digits.npz train-images-idx3-ubyte.gz
   superres train --stages 4 --reduce 0.8,0.64,0.5 photos/ -o cascade.npz     anchored stages: better and slower
   superres upscale -m my.npz photo.jpg`,
		Flags: append(append([]cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write the model to `FILE`.npz"},
			&cli.IntFlag{Name: "scale", Aliases: []string{"s"}, Value: 2, Usage: "learn to enlarge by `N`, 2 to 4"},
			&cli.StringFlag{Name: "degradation", Value: "bicubic", Usage: "`HOW` the pictures were reduced: bicubic or box (the paper's mean of each block)"},
			&cli.IntFlag{Name: "stages", Usage: "learn a cascade of `T` anchored stages; 0: a coupled model"},
			&cli.StringFlag{Name: "symmetries", Value: "all", Usage: "of anchored stages: `WHICH` changes of a patch change nothing: all (flips, turns, the negative) or none"},
			&cli.IntFlag{Name: "input-dims", Usage: "of anchored stages: coordinates `N` of a patch; 0: all in the first stage, then 40"},
			&cli.IntFlag{Name: "output-dims", Usage: "of anchored stages: coordinates `N` of a block; 0: 24 to 48 in the first stage, by the scale, then 20"},
			&cli.StringFlag{Name: "jpeg", Usage: "of anchored stages: pass the reduced pictures through JPEG files of qualities from `LO,HI`, to learn from what most files hold"},
			&cli.StringFlag{Name: "learner", Value: "ksvd", Usage: "`SPEC` of the dictionary learner: see superres learners; kmeans, of anchored stages, is their default"},
			&cli.StringFlag{Name: "coder", Value: "omp", Usage: "`SPEC` of the sparse coder: see superres coders"},
			&cli.IntFlag{Name: "sparsity", Value: 2, Usage: "code patches with `S` atoms at most; 0: as the coder's spec says"},
			&cli.IntFlag{Name: "atoms", Value: 1024, Usage: "learn `K` atoms"},
			&cli.IntFlag{Name: "iterations", Value: 30, Usage: "iterate `N` times at most"},
			&cli.IntFlag{Name: "patch", Value: 3, Usage: "side `P` of a low-resolution patch"},
			&cli.IntFlag{Name: "patches", Value: 300_000, Usage: "draw `N` patch pairs"},
			&cli.Float64Flag{Name: "flat", Value: 3, Usage: "leave out pairs that vary by less than `L` levels of 255 (root mean square)"},
			&cli.StringFlag{Name: "reduce", Usage: "learn from the pictures reduced by the factors `F,G,...` as well"},
			&cli.BoolFlag{Name: "mean", Value: true, Usage: "code patches without their mean"},
			&cli.BoolFlag{Name: "detail", Value: true, Usage: "learn what interpolation misses, not the patch itself"},
			&cli.BoolFlag{Name: "refit", Value: true, Usage: "fit the high-resolution atoms to the codes of the low-resolution patches alone, as found when enlarging"},
			&cli.IntFlag{Name: "back-projection", Value: 3, Usage: "back-project `N` times after coding"},
			&cli.IntFlag{Name: "held-out", Usage: "keep `N` pictures from training and score them"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`SEED` of all random draws"},
			&cli.StringFlag{Name: "on-exist", Value: "fail", Usage: "`WHAT` to do when the output exists: fail or overwrite"},
			&cli.BoolFlag{Name: "recursive", Aliases: []string{"r"}, Usage: "take folders with all below them"},
		}, pictures.IDXFlags...), console.PictureFlags...),
		Action: func(c *cli.Context) error { return run(c, s) },
	})
}

func run(c *cli.Context, s *console.Streams) error {
	limits, err := console.ReadLimits(c)
	if err != nil {
		return err
	}
	out := c.String("output")
	switch {
	case c.NArg() == 0:
		return console.Usage("no pictures to learn from: name files, folders or IDX files; superres train --help shows examples")
	case out == "":
		return console.Usage("no output: say where the model goes with -o FILE.npz")
	case !strings.HasSuffix(out, ".npz"):
		return console.Usage("-o %s: a model file ends in .npz", out)
	}
	for _, name := range []string{"scale", "atoms", "iterations", "patch", "patches"} {
		if c.Int(name) < 1 {
			return console.Usage("--%s %d: expected at least 1", name, c.Int(name))
		}
	}
	for _, name := range []string{"sparsity", "back-projection", "held-out"} {
		if c.Int(name) < 0 {
			return console.Usage("--%s %d: expected 0 or more", name, c.Int(name))
		}
	}
	if err := stageFlags(c); err != nil {
		return err
	}
	if flat := c.Float64("flat"); !(flat >= 0 && flat < 255) {
		return console.Usage("--flat %g: expected 0 to 255", flat)
	}
	overwrite, err := console.SoleOutput(c)
	if err != nil {
		return err
	}
	coder, err := plugins.WithSparsity(c.String("coder"), c.Int("sparsity"))
	if err != nil {
		return err
	}
	reductions, err := factors(c.String("reduce"))
	if err != nil {
		return err
	}
	qualities, err := qualityRange(c.String("jpeg"))
	if err != nil {
		return err
	}
	bar, err := console.NewProgress(c, s)
	if err != nil {
		return err
	}
	defer bar.Clear()
	from, err := pictures.ReadSources(c, limits, 40)
	if err != nil {
		return err
	}
	list, err := from.List(c.Context, c.Args().Slice())
	if err != nil {
		return err
	}
	for _, src := range list {
		if safefile.SameFile(src.Name, out) {
			return console.Fail(console.ExitOutput, fmt.Errorf("%s: the output is an input; use another -o", out))
		}
	}
	command, data := console.Recorded(c, ofOtherKind(c)...)
	base := shared{
		flat: c.Float64("flat") / 255, reductions: reductions, backProject: c.Int("back-projection"),
	}.explicit()
	var trainer training.Trainer
	partial := ""
	if c.Int("stages") > 0 {
		cascade := anchored.Trainer{
			Scale: c.Int("scale"), Degradation: resample.Degradation(c.String("degradation")), Stages: c.Int("stages"),
			Symmetries: anchored.Symmetries(c.String("symmetries")), Patch: c.Int("patch"), Atoms: c.Int("atoms"), InputDims: c.Int("input-dims"), OutputDims: c.Int("output-dims"),
			Learner: c.String("learner"), Iterations: c.Int("iterations"), Flat: base.flat, Reductions: base.reductions, JPEG: qualities, BackProject: base.backProject,
			Seed: c.Uint64("seed"), MaxMemory: limits.Memory,
		}
		if need := cascade.Memory(); need > limits.Memory {
			return console.Fail(console.ExitLimit, fmt.Errorf("learning %d atoms needs %s, the limit is %s; use --max-memory or fewer --atoms", cascade.Atoms, console.Bytes(need), console.Bytes(limits.Memory)))
		}
		if cascade.Stages > 1 {
			partial = out + partialSuffix
			if cascade.Kept, err = readPartial(partial, limits.Memory); err != nil {
				return err
			}
			cascade.Keep = func(stages []byte) error { return safefile.WriteAtomic(partial, true, console.Writes(stages)) }
		}
		trainer = cascade
	} else {
		pairs := coupled.Trainer{
			Scale: c.Int("scale"), Degradation: resample.Degradation(c.String("degradation")), Patch: c.Int("patch"), Patches: c.Int("patches"),
			Flat: base.flat, Reductions: base.reductions, KeepMean: !c.Bool("mean"), WholePatches: !c.Bool("detail"), NoRefit: !c.Bool("refit"),
			Learner: c.String("learner"), Coder: coder, Atoms: c.Int("atoms"), Iterations: c.Int("iterations"), BackProject: base.backProject, Seed: c.Uint64("seed"),
		}
		if need := pairs.Memory(); need > limits.Memory {
			return console.Fail(console.ExitLimit, fmt.Errorf("learning %d atoms from %d patches needs %s, the limit is %s; use --max-memory, fewer --patches or fewer --atoms",
				pairs.Atoms, pairs.Patches, console.Bytes(need), console.Bytes(limits.Memory)))
		}
		trainer = pairs
	}
	m, err := superres.Train(c.Context, list, trainer, superres.TrainOptions{
		HeldOut: c.Int("held-out"), Seed: c.Uint64("seed"), Command: command, Data: data,
		Progress: func(phase string, done, total int) { bar.Set(phase, float64(done)/float64(total)) },
	})
	if err != nil {
		if errors.Is(err, training.ErrMemory) {
			return console.Fail(console.ExitLimit, fmt.Errorf("%w: see --max-memory", err))
		}
		return err
	}
	if err := safefile.WriteAtomic(out, overwrite, m.Save); err != nil {
		return err
	}
	if partial != "" {
		// What was kept is of no use any more; nothing is lost when it stays.
		_ = os.Remove(partial)
	}
	bar.Line("%s: %s", out, models.Summary(m))
	return nil
}

// shared are the options that both trainers have.
type shared struct {
	flat        float64
	reductions  []float64
	backProject int
}

// explicit writes "none" as trainers want it: 0 is their own default.
func (o shared) explicit() shared {
	if o.flat == 0 {
		o.flat = -1
	}
	if o.reductions == nil {
		o.reductions = []float64{}
	}
	if o.backProject == 0 {
		o.backProject = -1
	}
	return o
}

// partialSuffix ends the name of what is kept beside a model while it is trained.
const partialSuffix = ".partial"

// readPartial returns what an interrupted run kept beside its output: nil when there
// is nothing.
func readPartial(name string, memory int64) ([]byte, error) {
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, console.Fail(console.ExitOutput, err)
	case !info.Mode().IsRegular() || info.Size() > memory/2:
		return nil, console.Fail(console.ExitOutput, fmt.Errorf("%s is in the way of what is kept of the training; move it, or use another -o", name))
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, console.Fail(console.ExitOutput, err)
	}
	return data, nil
}

// The flags that concern one of the two kinds of model only.
var (
	coupledFlags  = []string{"coder", "sparsity", "patches", "mean", "detail", "refit"}
	anchoredFlags = []string{"symmetries", "input-dims", "output-dims", "jpeg"}
)

// stageFlags refuses flags of the other kind of model, and sets the defaults that
// differ for a cascade.
func stageFlags(c *cli.Context) error {
	if c.Int("stages") < 0 {
		return console.Usage("--stages %d: expected 0 or more", c.Int("stages"))
	}
	if c.Int("stages") == 0 {
		for _, name := range anchoredFlags {
			if c.IsSet(name) {
				return console.Usage("--%s concerns anchored stages; ask for some with --stages", name)
			}
		}
		return nil
	}
	for _, name := range coupledFlags {
		if c.IsSet(name) {
			return console.Usage("--%s concerns coupled models, not the anchored stages of --stages %d", name, c.Int("stages"))
		}
	}
	for name, value := range map[string]string{"learner": anchored.SphericalMeans, "iterations": "8", "patch": "7", "flat": "1.5", "back-projection": "1"} {
		if !c.IsSet(name) {
			if err := c.Set(name, value); err != nil {
				return err
			}
		}
	}
	return nil
}

// ofOtherKind returns the flags that have no meaning for the kind of model that is
// trained.
func ofOtherKind(c *cli.Context) []string {
	if c.Int("stages") > 0 {
		return coupledFlags
	}
	return append([]string{"stages"}, anchoredFlags...)
}

// qualityRange parses --jpeg.
func qualityRange(text string) (r [2]int, err error) {
	if text == "" {
		return r, nil
	}
	list, err := console.Counts(text)
	if err != nil || len(list) != 2 || list[0] > list[1] || list[1] > 100 {
		return r, console.Usage("--jpeg %s: expected two qualities such as 70,95", text)
	}
	return [2]int{list[0], list[1]}, nil
}

// factors parses numbers with commas.
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
