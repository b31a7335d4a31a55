// Package comparison is the command superres compare: it compares learners on pictures and
// writes the error report.
package comparison

import (
	"fmt"
	"image"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/models"
	"superres/cmd/internal/parts"
	"superres/cmd/internal/pictures"
	"superres/cmd/internal/plugins"
	"superres/learners/sparse"
	"superres/superres/anchored"
	"superres/superres/training"
)

// protocol is a way to compare learners: what they learn from, and with what
// settings unless flags say otherwise.
type protocol struct {
	name                 string
	runs                 int // training pictures or seeds
	patches, atoms       int
	sparsity, iterations int
	back                 int
	flat                 float64 // levels of 255
	refit                bool    // Mean is on with it for photographs; Detail and Refit always
	photo                bool
}

var protocols = []protocol{
	{name: "single", runs: 10, patches: 144, atoms: 128, sparsity: 3, iterations: 500, back: 20},
	{name: "pooled", runs: 10, patches: 144, atoms: 128, sparsity: 3, iterations: 500, back: 20, flat: 10},
	{name: "open", runs: 1, patches: 4000, atoms: 256, sparsity: 1, iterations: 100, back: 20, flat: 10, refit: true},
	{name: "images", runs: 1, patches: 4000, atoms: 256, sparsity: 2, iterations: 100, back: 3, flat: 3, refit: true, photo: true},
}

// Command is superres compare.
func Command(s *console.Streams) *cli.Command {
	return console.Command(&cli.Command{
		Name: "compare", Usage: "compare learners: the error report, with the paper's Table 1", ArgsUsage: "[FLAGS] DATA",
		Description: `   superres compare mnist/                               the paper's Table 1
   superres compare --protocol pooled --learners rop,ksvd mnist/
   superres compare --protocol open --images mnist/t10k-images-idx3-ubyte.gz --limit 100 mnist/
   superres compare --protocol images photos/                  one picture in five is restored
   superres compare --protocol images --images set5/ photos/

Every learner gets the same patches, the same first dictionary and the same number of
atoms; those that need a coder the same coder. DATA is the folder of MNIST's training
file, or that file; for images, the pictures to learn from.

Protocols: single, the 144 patches of one training digit, for the first ten in turn;
pooled, 144 patches that are not flat of the first 2,000 training digits, ten seeds;
open, 4,000 of all but the digits of Table 1; images, 4,000 of photographs, for coupled
stages, which is the paper's way, and for anchored ones (superres train --stages 1).`,
		Flags: append(append([]cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Value: "comparison", Usage: "write report.html, table.csv, table.md, table.tex and runs.json to the folder `DIR`; what it holds already is not run again"},
			&cli.StringFlag{Name: "protocol", Value: "single", Usage: "learn as `NAME` says: single, pooled, open or images"},
			&cli.StringFlag{Name: "images", Usage: "restore the pictures in `PATH`, a file, a folder or an IDX file (default: the four digits of Table 1; of photographs every fifth, which is not learned from)"},
			&cli.StringFlag{Name: "learners", Usage: "`SPECS` of the learners (default: all)"},
			&cli.StringFlag{Name: "models", Usage: "compare with the models `NAMES|FILES` too (default with photographs: coupled and photo at every effort)"},
			&cli.StringFlag{Name: "coder", Value: "omp", Usage: "`SPEC` of the coder, of learning and restoring"},
			&cli.IntFlag{Name: "sparsity", Usage: "code with `S` atoms at most; 0: as the protocol says"},
			&cli.IntFlag{Name: "atoms", Usage: "learn `K` atoms; 0: as the protocol says"},
			&cli.IntFlag{Name: "patches", Usage: "learn from `N` patches; 0: as the protocol says"},
			&cli.IntFlag{Name: "iterations", Usage: "iterate `N` times at most; 0: as the protocol says"},
			&cli.IntFlag{Name: "seeds", Usage: "run with `N` training pictures or seeds; 0: as the protocol says"},
			&cli.IntFlag{Name: "back-projection", Usage: "back-project `N` times where that is done; 0: as the protocol says"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`SEED` of all random draws"},
			&cli.BoolFlag{Name: "recursive", Aliases: []string{"r"}, Usage: "take folders with all below them"},
			parts.SweepFlag,
		}, pictures.IDXFlags...), console.PictureFlags...),
		Action: func(c *cli.Context) error { return compare(c, s) },
	})
}

// comparison is one run of compare.
type comparison struct {
	c        *cli.Context
	protocol protocol
	limits   console.Limits
	coder    string
	learners []string
	models   []comparedModel
	train    []training.Source // all that may be learned from
	tests    []testPicture
	data     string // what decides train and tests, beside the flags
}

// testPicture is a picture to be restored.
type testPicture struct {
	name  string
	img   image.Image
	paper map[string]float64 // the paper's figures by learner, if it has them
}

func compare(c *cli.Context, s *console.Streams) error {
	limits, err := console.ReadLimits(c)
	if err != nil {
		return err
	}
	cmp := &comparison{c: c, limits: limits}
	if err := cmp.settings(); err != nil {
		return err
	}
	bar, err := console.NewProgress(c, s)
	if err != nil {
		return err
	}
	defer bar.Clear()
	bar.Set("reading", 0)
	if cmp.protocol.photo {
		err = cmp.readPhotos()
	} else {
		err = cmp.readDigits(bar)
	}
	if err != nil {
		return err
	}
	if runs := float64(cmp.protocol.runs) * float64(len(cmp.learners)); runs > parts.MaxTrials {
		return console.Usage("%.0f runs are asked for, expected %d at most; use fewer --seeds", runs, parts.MaxTrials)
	}
	dir := c.String("output")
	part, err := parts.SweepPart(c, dir)
	if err != nil {
		return err
	}
	var baselines []baseline
	if part.Of == 0 {
		if baselines, err = cmp.baselines(); err != nil {
			return err
		}
	}
	results, err := parts.Sweep[comparisonTask, comparisonResult]{
		Command: c.Command.Name, Dir: dir, Part: part, Task: func(r comparisonResult) comparisonTask { return r.comparisonTask }, Failed: func(r comparisonResult) bool { return r.Failure != "" },
		Weight: comparisonTask.weight, Run: cmp.run,
	}.Do(c.Context, cmp.tasks(), bar)
	if err != nil || part.Of > 0 {
		return err
	}
	bar.Clear()
	command := console.Settings(c)
	for _, arg := range c.Args().Slice() {
		command = append(command, console.Quoted(arg))
	}
	r := comparisonReport{comparison: cmp, command: strings.Join(command, " "), baselines: baselines, results: results}
	r.forms = r.makeForms()
	r.tables = r.makeTables()
	if err := console.WriteReports(
		dir, console.ReportAs("table.csv", r.csv), console.ReportAs("table.md", r.markdown), console.ReportAs("table.tex", r.latex), console.ReportAs("runs.json", r.json), console.ReportAs("report.html", r.html),
	); err != nil {
		return err
	}
	if err := r.text(s.Out); err != nil {
		return err
	}
	bar.Line("%s: the report", filepath.Join(dir, "report.html"))
	for _, one := range results {
		if one.Failure != "" {
			return console.Fail(console.ExitSome, fmt.Errorf("%s failed: %s; the same command tries it again", one.Learner, one.Failure))
		}
	}
	return nil
}

// settings reads the flags.
func (cmp *comparison) settings() (err error) {
	c := cmp.c
	var names []string
	for _, p := range protocols {
		if names = append(names, p.name); p.name == c.String("protocol") {
			cmp.protocol = p
		}
	}
	if err := console.OneOf("protocol", c.String("protocol"), names...); err != nil {
		return err
	}
	p := &cmp.protocol
	switch {
	case c.NArg() == 0 && p.photo:
		return console.Usage("no pictures to learn from; superres compare --help shows examples")
	case c.NArg() != 1 && !p.photo:
		return console.Usage("expected the folder of MNIST's training file, or that file; superres compare --help shows examples")
	}
	for _, f := range []struct {
		name string
		to   *int
	}{
		{"sparsity", &p.sparsity}, {"atoms", &p.atoms}, {"patches", &p.patches}, {"iterations", &p.iterations}, {"seeds", &p.runs}, {"back-projection", &p.back},
	} {
		if n := c.Int(f.name); n < 0 {
			return console.Usage("--%s %d: expected 0 or more", f.name, n)
		} else if n > 0 {
			*f.to = n
		}
	}
	if cmp.coder, err = plugins.WithSparsity(c.String("coder"), p.sparsity); err != nil {
		return err
	}
	if _, err := sparse.New(cmp.coder); err != nil {
		return err
	}
	if cmp.learners = plugins.Specs(c.String("learners")); len(cmp.learners) == 0 {
		cmp.learners = plugins.All()
	}
	for _, name := range plugins.Specs(c.String("models")) {
		cmp.models = append(cmp.models, comparedModel{name: name})
	}
	if p.photo && !c.IsSet("models") {
		cmp.models = []comparedModel{{name: "coupled"}, {models.Photo, "fast"}, {models.Photo, "balanced"}, {name: models.Photo}}
	}
	return plugins.CheckLearners(cmp.learners)
}

// tasks are all learners in all runs: of photographs those of coupled stages, then
// those of anchored ones, with spherical k-means.
func (cmp *comparison) tasks() []comparisonTask {
	p := cmp.protocol
	var list []comparisonTask
	for run := range p.runs {
		for _, learner := range cmp.learners {
			list = append(list, comparisonTask{
				Protocol: p.name, Learner: learner, Coder: cmp.coder, Run: run, Seed: cmp.c.Uint64("seed"), Atoms: p.atoms, Patches: p.patches,
				Iterations: p.iterations, Back: p.back, Data: cmp.data, Index: cmp.c.String("index") + "|" + cmp.c.String("skip-index"), Limit: cmp.c.Int("limit"),
			})
		}
	}
	if p.photo {
		for _, t := range list {
			t.Anchors, t.Coder, t.Back = true, "", anchoredBack
			if t.Learner == cmp.learners[0] {
				means := t
				means.Learner = anchored.SphericalMeans
				list = append(list, means)
			}
			list = append(list, t)
		}
	}
	return list
}
