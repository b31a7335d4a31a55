package app

import (
	"context"
	"crypto/sha256"
	"fmt"
	"image"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"superres/internal/imagefile"
	"superres/internal/plugin"
	"superres/learners"
	"superres/learners/sparse"
	"superres/mnist"
	"superres/superres"
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
	{name: "open", runs: 1, patches: 5000, atoms: 256, sparsity: 1, iterations: 100, back: 20, flat: 10, refit: true},
	{name: "images", runs: 1, patches: 5000, atoms: 256, sparsity: 2, iterations: 100, back: 3, flat: 3, refit: true, photo: true},
}

func compareCommand(s *streams) *cli.Command {
	return command(&cli.Command{
		Name: "compare", Usage: "compare learners: the error report, with the paper's Table 1", ArgsUsage: "[FLAGS] DATA",
		Description: `   superres compare mnist/                               the paper's Table 1
   superres compare --protocol pooled --learners rop,ksvd mnist/
   superres compare --protocol open --images mnist/t10k-images-idx3-ubyte.gz --limit 100 mnist/
   superres compare --protocol images --images set5/ photos/

Every learner gets the same patches, the same first dictionary and the same number of
atoms; those that need a coder the same coder. DATA is the folder of MNIST's training
file, or that file; for images, the pictures to learn from.

Protocols: single, the 144 patches of one training digit, for the first ten in turn;
pooled, 144 patches that are not flat of the first 2,000 training digits, ten seeds;
open, 5,000 of all but the digits of Table 1; images, 5,000 of photographs.`,
		Flags: append(append([]cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Value: "comparison", Usage: "write report.html, table.csv, table.md, table.tex and runs.json to the folder `DIR`; what it holds already is not run again"},
			&cli.StringFlag{Name: "protocol", Value: "single", Usage: "learn as `NAME` says: single, pooled, open or images"},
			&cli.StringFlag{Name: "images", Usage: "restore the pictures in `PATH`, a file, a folder or an IDX file (default: the four digits of Table 1)"},
			&cli.StringFlag{Name: "learners", Usage: "`SPECS` of the learners (default: all)"},
			&cli.StringFlag{Name: "models", Usage: "compare with the models `NAMES|FILES` too"},
			&cli.StringFlag{Name: "coder", Value: "omp", Usage: "`SPEC` of the coder, of learning and restoring"},
			&cli.IntFlag{Name: "sparsity", Usage: "code with `S` atoms at most; 0: as the protocol says"},
			&cli.IntFlag{Name: "atoms", Usage: "learn `K` atoms; 0: as the protocol says"},
			&cli.IntFlag{Name: "patches", Usage: "learn from `N` patches; 0: as the protocol says"},
			&cli.IntFlag{Name: "iterations", Usage: "iterate `N` times at most; 0: as the protocol says"},
			&cli.IntFlag{Name: "seeds", Usage: "run with `N` training pictures or seeds; 0: as the protocol says"},
			&cli.IntFlag{Name: "back-projection", Usage: "back-project `N` times where that is done; 0: as the protocol says"},
			&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`SEED` of all random draws"},
			&cli.BoolFlag{Name: "recursive", Aliases: []string{"r"}, Usage: "take folders with all below them"},
			sweepShardFlag,
		}, idxFlags...), commonFlags...),
		Action: func(c *cli.Context) error { return compare(c, s) },
	})
}

// comparison is one run of compare.
type comparison struct {
	c        *cli.Context
	protocol protocol
	memory   int64
	coder    string
	learners []string
	train    []superres.Source // all that may be learned from
	tests    []testPicture
	data     string // what decides train and tests, beside the flags
}

// testPicture is a picture to be restored.
type testPicture struct {
	name  string
	img   image.Image
	paper map[string]float64 // the paper's figures by learner, if it has them
}

func compare(c *cli.Context, s *streams) error {
	memory, err := resources(c)
	if err != nil {
		return err
	}
	cmp := &comparison{c: c, memory: memory}
	if err := cmp.settings(); err != nil {
		return err
	}
	bar, err := newProgress(c, s)
	if err != nil {
		return err
	}
	defer bar.clear()
	bar.set("reading", 0)
	if cmp.protocol.photo {
		err = cmp.readPhotos()
	} else {
		err = cmp.readDigits(bar)
	}
	if err != nil {
		return err
	}
	if runs := float64(cmp.protocol.runs) * float64(len(cmp.learners)); runs > maxTrials {
		return usage("%.0f runs are asked for, expected %d at most; use fewer --seeds", runs, maxTrials)
	}
	dir := c.String("output")
	part, err := sweepPart(c, dir)
	if err != nil {
		return err
	}
	var baselines []baseline
	if part.of == 0 {
		if baselines, err = cmp.baselines(); err != nil {
			return err
		}
	}
	results, err := sweep[comparisonTask, comparisonResult]{
		dir: dir, part: part, merge: s.merging, task: func(r comparisonResult) comparisonTask { return r.comparisonTask }, failed: func(r comparisonResult) bool { return r.Failure != "" },
		weight: comparisonTask.weight, run: cmp.run,
	}.do(c.Context, cmp.tasks(), bar)
	if err != nil || part.of > 0 {
		return err
	}
	bar.clear()
	command := settings(c)
	for _, arg := range c.Args().Slice() {
		command = append(command, quoted(arg))
	}
	r := comparisonReport{comparison: cmp, command: strings.Join(command, " "), baselines: baselines, results: results}
	r.tables = r.makeTables()
	if err := writeReports(dir, []reportFile{
		{"table.csv", r.csv}, {"table.md", r.markdown}, {"table.tex", r.latex}, {"runs.json", r.json}, {"report.html", r.html},
	}); err != nil {
		return err
	}
	if err := r.text(s.out); err != nil {
		return err
	}
	bar.line("%s: the report", filepath.Join(dir, "report.html"))
	for _, one := range results {
		if one.Failure != "" {
			return codedError{fmt.Errorf("%s failed: %s; the same command tries it again", one.Learner, one.Failure), exitSome}
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
	p := &cmp.protocol
	switch {
	case p.name == "":
		return usage("%s", plugin.Unknown("protocol", c.String("protocol"), names))
	case c.NArg() == 0 && p.photo:
		return usage("no pictures to learn from; superres compare --help shows examples")
	case c.NArg() != 1 && !p.photo:
		return usage("expected the folder of MNIST's training file, or that file; superres compare --help shows examples")
	case p.photo && c.String("images") == "":
		return usage("--protocol images needs pictures to restore: --images PATH")
	}
	for _, f := range []struct {
		name string
		to   *int
	}{
		{"sparsity", &p.sparsity}, {"atoms", &p.atoms}, {"patches", &p.patches}, {"iterations", &p.iterations}, {"seeds", &p.runs}, {"back-projection", &p.back},
	} {
		if n := c.Int(f.name); n < 0 {
			return usage("--%s %d: expected 0 or more", f.name, n)
		} else if n > 0 {
			*f.to = n
		}
	}
	if cmp.coder, err = withSparsity(c.String("coder"), p.sparsity); err != nil {
		return err
	}
	if _, err := sparse.New(cmp.coder); err != nil {
		return err
	}
	if cmp.learners = specs(c.String("learners")); len(cmp.learners) == 0 {
		cmp.learners = allLearners()
	}
	return checkLearners(cmp.learners)
}

// allLearners returns the names of all learners, ROP first: the paper's order.
func allLearners() []string {
	paper := []string{"rop", "blotless", "simco", "ksvd", "mod"}
	names := learners.Names()
	slices.SortStableFunc(names, func(a, b string) int {
		rank := func(name string) int {
			if i := slices.Index(paper, name); i >= 0 {
				return i
			}
			return len(paper)
		}
		return rank(a) - rank(b)
	})
	return names
}

// checkLearners refuses what is no learner or is named twice.
func checkLearners(names []string) error {
	for i, name := range names {
		if _, err := learners.New(name); err != nil {
			return err
		}
		if slices.Contains(names[:i], name) {
			return usage("--learners names %s twice", name)
		}
	}
	return nil
}

// paperTable1 are the figures of the paper's Table 1, by digit and learner.
var paperTable1 = map[uint8]map[string]float64{
	5: {"rop": 0.0464, "blotless": 0.3519, "ksvd": 0.3264, "mod": 0.4757},
	0: {"rop": 0.0117, "blotless": 0.2919, "ksvd": 0.4493, "mod": 0.4626},
	9: {"rop": 0.0471, "blotless": 0.3693, "ksvd": 0.4229, "mod": 0.4710},
	2: {"rop": 0.0281, "blotless": 0.3528, "ksvd": 0.3738, "mod": 0.4302},
}

// readDigits reads MNIST's training file, and the digits to restore.
func (cmp *comparison) readDigits(bar *progress) error {
	file, err := trainingFile(cmp.c.Args().First())
	if err != nil {
		return err
	}
	sum, err := mnist.FileSum(file)
	if err != nil {
		return codedError{err, exitInput}
	}
	cmp.data = fmt.Sprintf("%x", sum[:8])
	if which, ok := mnist.Official(sum); !ok || !strings.HasPrefix(which, "train-images") {
		bar.line("%s is not MNIST's training file as distributed: the digits of Table 1 may be others", file)
	}
	all, err := idxSources(cmp.c, file, choice{}, frugal(cmp.c, cmp.memory, 100))
	if err != nil {
		return err
	}
	var kept []int // of Table 1, which nothing learns from
	for _, d := range mnist.Table1() {
		if d.Index >= len(all) {
			if cmp.c.String("images") == "" {
				return codedError{fmt.Errorf("%s has %d images, Table 1 needs image %d; give MNIST's training file, or --images", file, len(all), d.Index), exitInput}
			}
			break
		}
		kept = append(kept, d.Candidates...)
		img, err := all[d.Index].Open(cmp.c.Context)
		if err != nil {
			return err
		}
		cmp.tests = append(cmp.tests, testPicture{fmt.Sprintf("digit %d", d.Digit), img, paperTable1[d.Digit]})
	}
	switch cmp.protocol.name {
	case "single":
		cmp.protocol.runs = min(cmp.protocol.runs, len(all))
		cmp.train = all[:cmp.protocol.runs]
	case "pooled":
		cmp.train = all[:min(2000, len(all))]
	default:
		for i, src := range all {
			if !slices.Contains(kept, i) {
				cmp.train = append(cmp.train, src)
			}
		}
	}
	return cmp.readTests()
}

// trainingFile finds MNIST's training file in a folder.
func trainingFile(path string) (string, error) {
	if isIDX(path) {
		return path, nil
	}
	for _, name := range []string{"train-images-idx3-ubyte.gz", "train-images-idx3-ubyte", "train-images.idx3-ubyte"} {
		found, err := filepath.Glob(filepath.Join(globQuote(path), name))
		if err == nil && len(found) == 1 {
			return found[0], nil
		}
	}
	return "", codedError{fmt.Errorf("%s: no train-images-idx3-ubyte.gz there; name the folder of MNIST's files", path), exitInput}
}

// globQuote keeps a path from being read as a pattern.
func globQuote(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

// readPhotos lists the pictures to learn from, and reads those to restore.
func (cmp *comparison) readPhotos() error {
	list, err := sources(cmp.c, cmp.c.Args().Slice(), frugal(cmp.c, cmp.memory, 100))
	if err != nil {
		return err
	}
	cmp.train = list
	if cmp.data, err = cmp.describe(cmp.c.Args().Slice()); err != nil {
		return err
	}
	return cmp.readTests()
}

// readTests reads the pictures of --images.
func (cmp *comparison) readTests() error {
	path := cmp.c.String("images")
	if path == "" {
		return nil
	}
	cmp.tests = nil
	tests, err := cmp.describe([]string{path})
	if err != nil {
		return err
	}
	cmp.data += " | " + tests
	list, err := sources(cmp.c, []string{path}, frugal(cmp.c, cmp.memory, 100))
	if err != nil {
		return err
	}
	for _, src := range list {
		img, err := src.Open(cmp.c.Context)
		if err != nil {
			return err
		}
		name := filepath.Base(src.Name)
		cmp.tests = append(cmp.tests, testPicture{name: strings.TrimSuffix(name, filepath.Ext(name)), img: img})
	}
	return nil
}

// describe names the arguments and sums the files they stand for up: results are those
// of the same names and bytes.
func (cmp *comparison) describe(args []string) (string, error) {
	sum := sha256.New()
	for _, arg := range args {
		files := []input{{path: arg}}
		if !isIDX(arg) {
			var err error
			if files, err = expand(arg, cmp.c.Bool("recursive")); err != nil {
				return "", err
			}
		}
		for _, file := range files {
			f, size, err := imagefile.OpenRegular(file.path)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(sum, "%s\x00%d\x00", file.path, size)
			_, err = io.Copy(sum, f)
			f.Close() // of a file that was read
			if err == nil {
				err = cmp.c.Context.Err()
			}
			if err != nil {
				return "", codedError{fmt.Errorf("%s: %w", file.path, err), exitInput}
			}
		}
	}
	return fmt.Sprintf("%s (%x)", strings.Join(args, " "), sum.Sum(nil)[:8]), nil
}

// tasks are all learners in all runs.
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
	return list
}

// baselines restores the tests by plain interpolation and by --models.
func (cmp *comparison) baselines() ([]baseline, error) {
	names := []string{"nearest", "bicubic"}
	if cmp.protocol.photo {
		names = []string{"bicubic", "lanczos"}
	}
	var list []baseline
	for _, name := range append(names, specs(cmp.c.String("models"))...) {
		m, err := openModel(name)
		if err != nil {
			return nil, err
		}
		if len(m.Stages) == 0 {
			plain := *m
			m, plain.Degradation = &plain, cmp.degradation()
		}
		b := baseline{name: name}
		for i, t := range cmp.tests {
			one, err := cmp.restore(cmp.c.Context, m, t, i < shownTests)
			if err != nil {
				return nil, codedError{fmt.Errorf("%s: %w", t.name, err), exitInput}
			}
			b.scores = append(b.scores, one)
		}
		list = append(list, b)
	}
	return list, nil
}

func (cmp *comparison) degradation() superres.Degradation {
	if cmp.protocol.photo {
		return superres.Cubic
	}
	return superres.Box
}

// comparedScale is the scale of all comparisons: the paper's.
const comparedScale = 2

// restore reduces a picture, enlarges it again and scores the result, and keeps it, or
// a part of it, to be shown.
func (cmp *comparison) restore(ctx context.Context, m *superres.Model, t testPicture, show bool) (s restored, err error) {
	var shown image.Image
	if cmp.protocol.photo {
		low, err := superres.Reduce(t.img, comparedScale, m.Degradation)
		if err != nil {
			return s, err
		}
		if shown, err = m.Upscale(ctx, low, superres.Options{Scale: comparedScale}); err != nil {
			return s, err
		}
		got, err := superres.Compare(t.img, shown, comparedScale, comparedScale)
		if err != nil {
			return s, err
		}
		s.PSNR, s.SSIM = finite(got.PSNR), finite(got.SSIM)
	} else {
		nfe, gray, err := m.RestoreExact(ctx, t.img, comparedScale)
		if err != nil {
			return s, err
		}
		s.NFE, shown = finite(nfe), gray
	}
	if show {
		s.Picture, err = crop(shown, t.img)
	}
	return s, err
}
