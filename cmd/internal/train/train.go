// Package train is the command superres train: it learns a model from pictures.
//
// Read it in this order: options.go, the flags, and help.go, their help; train.go, the run of a command; coupled.go,
// the kinds of model, and the trainer of coupled models; convolutional.go, the trainer of convolutional stages;
// partial.go, the file from which an interrupted training continues.
package train

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/models"
	"superres/internal/safefile"
	"superres/superres"
	"superres/superres/convolutional/learning"
	"superres/superres/fit"
	"superres/superres/training"
)

// Command returns the command superres train.
func Command(s *console.Streams) *cli.Command {
	var opt Options
	return console.Leveled(&cli.Command{
		Name: "train", Usage: "learn a model from pictures", ArgsUsage: "[FLAGS] IMAGES... -o MODEL",
		Description: `   superres train photos/ -o my.npz
   superres train --mean=false --detail=false --refit=false --back-projection 0 --sparsity 3 photos/ -o paper.npz
   superres train --degradation box -o digits.npz train-images-idx3-ubyte.gz
   superres train --convolutional --held-out 5 photos/ -o best.npz           the best, in an hour or two
   nice superres train --convolutional -j 1 photos/ -o best.npz              the same beside other work
   superres train --convolutional --channels 16 --depth 5 --steps 3000 photos/ -o quick.npz
   superres upscale -m my.npz photo.jpg

HOW LONG, AND HOW GOOD
The second example is the form of the paper. Convolutional stages of digits are learned
with --symmetries none. On two processors with AVX-512 48 channels and 10 layers have had
2,000 steps after two minutes, and all 80,000 after an hour. --channels 32
--steps 2000 already makes a useful model, of 37.1 dB on Set5 at scale 2, as do 30,000 of
16 channels and 7 layers, in four minutes, of 37.2. Where there are good models for a
scale, what they make of the pictures is easier to learn than the pictures: --teachers.
Colour is learned at last, in a minute or two: --steps 0 --init MODEL does that alone.
Other scales begin with what one scale has learned: --scale 3 --init photo.npz
--steps 3000. Where several trainings went on from one model, for some ten thousand steps,
the mean of their networks can be better than each: --steps 0 --init a.npz,b.npz. The same
pictures in the same order, flags and seed give the same bytes.

ON A GPU
The Python module has the same training, with the same flags, whose steps PyTorch makes on
a GPU: python -m superres.train photos/ -o my.npz. What one of the two has kept, the other
goes on from.

INTERRUPTIONS
A convolutional stage whose training was interrupted goes on when the same command is run
again, on any machine, from FILE.npz.partial. That file has the step where the training
was or, after a crash, one of the last five minutes, and goes when the model is there.
--progress plain says every 1,000 steps how many pixels of low resolution the network has
been shown, the products of its forward pass for them, how good it is, and how long this
run has taken and will still take.`,
		Flags:  console.Flags(opt.leveled()),
		Action: func(c *cli.Context) error { return run(c, s, &opt) },
	}, examples, groups...)
}

// run runs the command superres train. With --engine pipe, the program at standard input and output does the steps.
func run(c *cli.Context, s *console.Streams, opt *Options) error {
	if err := opt.complete(c); err != nil {
		return err
	}
	bar := console.NewProgress(c, s)
	defer bar.Clear()
	if opt.engine == pipeEngine {
		opt.pipe = struct {
			io.Reader
			io.Writer
		}{s.In, s.Out}
	}
	return train(c.Context, *opt, bar)
}

// trainingText says how much a network was trained: low-resolution pixels shown, and products in its forward passes.
func trainingText(pixels int64, products float64) string {
	return fmt.Sprintf("%s pixels, %s products", console.Quantity(float64(pixels)), console.Quantity(products))
}

// tell shows r beside the bar and, if the style is plain lines, as a line. A report with LearningRate 0, which says
// that an interrupted training continues, is always a line.
func tell(bar *console.Progress, r learning.Report) {
	text := trainingText(r.Pixels, r.Products)
	if r.LearningRate == 0 { // before the first step
		bar.Line("going on after step %d of %d: %s", r.Step, r.Steps, text)
		return
	}
	if r.PSNR > 0 {
		text += fmt.Sprintf(", %.2f dB", r.PSNR)
	}
	text += fmt.Sprintf(", error %.2f of 255", 255*r.RMSE)
	bar.Describe(text)
	if !bar.Plain() {
		return
	}
	text += fmt.Sprintf(", rate %.2g", r.LearningRate)
	if r.Dead > 0 {
		text += fmt.Sprintf(", %d channels silent", r.Dead)
	}
	text += "; " + console.Elapsed(r.Elapsed.Seconds())
	if r.Step < r.Steps {
		text += ", " + console.Remaining(r.Left)
	}
	bar.Line("step %d of %d: %s", r.Step, r.Steps, text)
}

// trainingOf returns "; " and trainingText for the first convolutional stage of m, or "" if none is recorded.
func trainingOf(m *superres.Model) string {
	pixels := m.Provenance.Pixels
	s, err := stageOf(m, "", "")
	if pixels == 0 || err != nil {
		return ""
	}
	return "; " + trainingText(pixels, float64(pixels)*float64(s.Network().Products()))
}

// open returns the models called names, which may be paths of files, and the provenance of each model.
func open(ctx context.Context, names []string) (list []*superres.Model, from []superres.Provenance, err error) {
	for _, name := range names {
		m, err := models.Open(ctx, name)
		if err != nil {
			return nil, nil, err
		}
		list, from = append(list, m), append(from, m.Provenance)
	}
	return list, from, nil
}

// train learns the model that opt describes, shows the progress in bar, and writes the model to opt.Output.
func train(ctx context.Context, opt Options, bar *console.Progress) error {
	list, err := opt.Sources.List(ctx, opt.Inputs)
	if err != nil {
		return err
	}
	for _, src := range list {
		if safefile.SameFile(src.Name, opt.Output) {
			return console.Failf(console.ExitOutput, "%s: the output is an input; use another -o", opt.Output)
		}
	}
	inputs := slices.Concat(opt.Init, opt.Teachers, opt.Inputs)
	for _, src := range list {
		inputs = append(inputs, src.Name)
	}
	opt.most = safefile.ModeOf(inputs...)
	began := time.Now()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var foreign error
	opt.report = func(r learning.Report) {
		if r.Step == 0 { // the kept state is of another training, and would be replaced
			foreign = opt.partial().refuse()
			stop()
			return
		}
		tell(bar, r)
	}
	var init, teachers []superres.Provenance
	if opt.first, init, err = open(ctx, opt.Init); err != nil {
		return err
	}
	if opt.teachers, teachers, err = open(ctx, opt.Teachers); err != nil {
		return err
	}
	trainer, err := opt.trainer()
	if err != nil {
		return err
	}
	if file := opt.partial(); file != "" {
		console.OnInterrupt(ctx, "the same command goes on from what %s has", file)
	}
	m, err := fit.Train(ctx, list, trainer, fit.Options{
		HeldOut: opt.HeldOut, Seed: opt.coupled.Seed, Init: init, Teachers: teachers, Command: opt.command,
		Data:     opt.data,
		Progress: func(phase string, done, total int) { bar.Set(phase, float64(done)/float64(total)) },
	})
	if foreign != nil {
		return foreign
	}
	if errors.Is(err, training.ErrMemory) {
		return console.Failf(console.ExitLimit, "%w: see --max-memory", err)
	}
	if err != nil {
		return err
	}
	if err := safefile.WriteAtomicMode(opt.most, opt.Output, opt.Overwrite, m.Save); err != nil {
		return err
	}
	opt.partial().remove()
	bar.Line("%s: %s%s; %s", opt.Output, models.Summary(m), trainingOf(m), console.Elapsed(time.Since(began).Seconds()))
	return nil
}
