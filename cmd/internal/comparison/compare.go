// Package comparison is the command superres compare: it compares learners on pictures or signals, in a report.
//
// Read it in this order: options.go, the options and protocols; compare.go, one call and the list of its runs; data.go,
// the pictures to learn from and to restore; learning.go, one run and the pictures it restores. findings.go computes
// the figures of the report, and document.go arranges them for package report.
//
// The protocols patches and signals have separate files: signals.go, a call; signaldata.go and wfdb.go, the signals;
// signalmeasure.go, the figures of one dictionary; signalreport.go, the report.
package comparison

import (
	stdcmp "cmp"
	"context"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/parts"
	"superres/cmd/internal/paths"
	"superres/cmd/internal/plugins"
	"superres/internal/report"
	"superres/internal/safefile"
)

// Command returns the command superres compare, which uses the streams s.
func Command(s *console.Streams) *cli.Command {
	var opt Options
	return console.Command(&cli.Command{
		Name: "compare", Usage: "compare learners: the error report, with the paper's Table 1",
		ArgsUsage: "[FLAGS] DATA",
		Description: `   superres compare mnist/                               the paper's Table 1
   superres compare --protocol pooled --learners rop,ksvd mnist/
   superres compare --protocol open --images mnist/t10k-images-idx3-ubyte.gz --limit 100 mnist/
   superres compare --protocol patches --learners rop,ksvd photos/
   superres compare --protocol signals ecg.csv                 or .npy, .npz, or a WFDB .hea

Every learner gets the same patches, the same first dictionary and the same number of
atoms; those that need a coder the same coder. DATA is the folder of MNIST's training
file, or that file; for patches the pictures, and for signals the file.

Protocols: single, the 144 patches of one training digit, each of the first ten in turn;
pooled, 144 patches that are not flat of the first 2,000 training digits, ten seeds;
open, 4,000 of all but the digits of Table 1. patches and signals ask how well dictionaries represent and denoise what was not learned from, beside
an overcomplete DCT: 8×8 patches of your pictures, or the columns of any matrix.

The report has the pictures side by side, tables, curves and dictionaries, of coupled
stages, which is the paper's kind, with and without back-projection.

exec:COMMAND is a learner of your own: see superres recover --help.`,
		Flags:  console.Flags(opt.table()),
		Action: func(c *cli.Context) error { return run(c, s, &opt) },
	})
}

// comparison holds the options and the pictures of a call. All runs share it and only read from it.
type comparison struct {
	opt   Options
	data  data
	specs map[string]string // the spec of each learner, by its name in the report
}

// run carries out superres compare: it reads the arguments, runs the tasks, and writes and prints the report.
func run(c *cli.Context, s *console.Streams, opt *Options) error {
	if err := opt.complete(c); err != nil {
		return err
	}
	if opt.Protocol.isSignals() {
		if opt.Images != "" || opt.asked.models != "" {
			return console.Usage("--protocol %s restores no pictures: leave out --images and --models",
				opt.Protocol.name)
		}
		return runSignals(c, s, opt)
	}
	bar := console.NewProgress(c, s)
	defer bar.Clear()
	bar.Set("reading", 0)
	read := data{mode: safefile.AnyMode}
	if err := read.readDigits(c.Context, *opt, bar); err != nil {
		return err
	}
	if opt.Protocol.name == "single" {
		opt.Protocol.runs = len(read.train) // each run learns from a different digit
	}
	cmp := &comparison{opt: *opt, data: read}
	tasks, err := cmp.tasks()
	if err != nil {
		return err
	}
	baselines, err := cmp.openBaselines(c.Context)
	if err != nil {
		return err
	}
	return parts.Sweep[task, result]{
		Dir: opt.Folder, Task: func(r result) task { return r.task }, Weight: task.weight,
		Run: func(ctx context.Context, t task) (result, error) {
			r := result{task: t}
			if err := cmp.learn(ctx, &r); err != nil {
				r.Failure = console.Message(err)
			}
			return r, ctx.Err()
		},
		Failed: func(r result) string { return failure(r.Learner, r.Run, r.Failure) },
	}.Report(c, s, bar, tasks, read.mode, func(results []result) (d report.Document, _ parts.Files, err error) {
		for i, b := range baselines {
			if baselines[i].scores, err = cmp.restoreAll(c.Context, b.model, 0); err != nil {
				return d, nil, console.Fail(console.ExitInput, err)
			}
		}
		for i := range results {
			results[i].Learner = opt.label(results[i].Learner)
		}
		f := findings{comparison: cmp.labelled(), baselines: baselines, results: results, forms: opt.forms()}
		f.shownRun = f.medianRun()
		d = f.document()
		return d, files(d), nil
	})
}

// files returns the files to write for the report d.
func files(d report.Document) parts.Files {
	return parts.Files{"table.csv": d.CSV, "table.tex": d.LaTeX, "runs.json": d.JSON, "report.html": d.HTML}
}

// failure returns a text that says which run of a learner failed, and why, or "" if why is empty.
func failure(learner string, run int, why string) string {
	if why == "" {
		return ""
	}
	return fmt.Sprintf("%s in run %d: %s", learner, run, why)
}

func (opt Options) label(spec string) string { return stdcmp.Or(opt.Labels[spec], spec) }

// labelled returns a copy of the comparison in which labels replace the specs of learners; out.specs has the specs.
func (cmp *comparison) labelled() *comparison {
	out := *cmp
	out.opt.Learners, out.specs = nil, map[string]string{}
	for _, spec := range cmp.opt.Learners {
		name := cmp.opt.label(spec)
		out.opt.Learners = append(out.opt.Learners, name)
		out.specs[name] = spec
	}
	return &out
}

// task is one run of a learner, with everything that affects its result. The journal of finished runs finds a result by
// its task, and --shard divides tasks by their JSON, so the names and the order of the fields must not change.
type task struct {
	Protocol string `json:"protocol"` // the name of the protocol
	Learner  string `json:"learner"`  // the learner's spec, such as "ksvd", or one of protocol.fixed
	Coder    string `json:"coder"`    // the coder's spec, such as "omp:sparsity=3"
	// Run is the number of the run, from 0: in the protocol single the training digit; in others it is added to Seed.
	Run  int    `json:"run"`
	Seed uint64 `json:"seed"` // the seed of the command
	// Atoms is the number of atoms to learn; Patches is how many pairs of patches, or signals, to learn from.
	Atoms          int `json:"atoms"`
	Patches        int `json:"patches"`
	MostIterations int `json:"limit"` // the largest number of iterations
	// Back is the number of back-projections in the second restoration of each picture.
	Back int        `json:"back_projection"`
	Data paths.Name `json:"data"` // data.identity: names and hashes of the input files
	// Index holds the values of --index and --skip-index, which choose images of IDX files, Limit the value of --limit.
	Index string `json:"index"`
	Limit int    `json:"images_limit"`
	// Program is the fingerprint of the external programs that learn or code; empty if there are none.
	Program string `json:"program,omitempty"`
	// Revision holds the revisions of the learner and of the coder: see planted.Revision.
	Revision string `json:"revision"`
}

// weight returns an estimate of the work of a task, in an arbitrary unit.
func (t task) weight() float64 {
	return float64(t.Atoms) * float64(t.Patches) * float64(t.MostIterations)
}

// result is the result of a run. If the run failed, only the task and Failure are set.
type result struct {
	task
	Plain []restored `json:"plain"` // the tests restored without back-projection
	// Projected are the tests restored with back-projection.
	Projected []restored `json:"back_projected,omitempty"`
	RMSE      float64    `json:"rmse"`      // root mean square error of the training patches, last iteration
	Least     float64    `json:"least"`     // the smallest RMSE of any iteration
	Falling   bool       `json:"falling"`   // the RMSE was still falling at the last iteration
	NonZeros  float64    `json:"non_zeros"` // mean number of atoms in the learner's code of a patch
	Coded     float64    `json:"coded"`     // RMSE of the training patches coded by the coder
	// Iterations is the number of iterations, or 0 if the learner does not report them. Stop is why learning ended.
	Iterations int          `json:"iterations,omitempty"`
	Stop       string       `json:"stop"`
	Used       int          `json:"used"`      // the number of atoms used to code training patches
	Coherence  float64      `json:"coherence"` // the largest |cos| of the angle between two atoms
	Seconds    float64      `json:"seconds"`   // wall-clock time of learning, perhaps beside other runs
	Curve      []curvePoint `json:"curve"`     // the error over the iterations
	// Mosaic is a picture of the atoms, as PNG; set only in run 0.
	Mosaic  []byte `json:"mosaic,omitempty"`
	Failure string `json:"failure,omitempty"` // why the run failed; empty if it succeeded
}

// curvePoint is the error of the training patches after an iteration, Seconds after learning began.
type curvePoint struct {
	Iteration int     `json:"iteration"`
	Seconds   float64 `json:"seconds"`
	RMSE      float64 `json:"rmse"`
}

// dictionaries returns the names of all dictionaries: first those that need no learning, then the learners.
func (opt Options) dictionaries() []string { return append(opt.Protocol.fixed(), opt.Learners...) }

// tasks returns, for each run in turn, a task for each dictionary: first those that the protocol has without learning,
// then one for each learner. It fails if there are more than parts.MaxTrials runs of learners.
func (cmp *comparison) tasks() ([]task, error) {
	p := cmp.opt.Protocol
	if runs := float64(p.runs) * float64(len(cmp.opt.Learners)); runs > parts.MaxTrials {
		return nil, console.Usage("%.0f runs are asked for, expected %d at most; use fewer --seeds", runs,
			parts.MaxTrials)
	}
	versions := slices.Repeat([]plugins.Version{{Revision: "1"}}, len(p.fixed())) // in the order of dictionaries
	learned, err := plugins.Versions(cmp.opt.Learners, cmp.opt.Coder)
	if err != nil {
		return nil, err
	}
	versions = append(versions, learned...)
	var list []task
	for run := range p.runs {
		for i, learner := range cmp.opt.dictionaries() {
			list = append(list, task{
				Protocol: p.name, Learner: learner, Coder: cmp.opt.Coder, Run: run, Seed: cmp.opt.Seed, Atoms: p.atoms,
				Patches: p.patches, MostIterations: p.iterations, Back: p.back, Data: paths.Name(cmp.data.identity),
				Index: cmp.opt.chosen, Limit: cmp.opt.limit, Program: versions[i].Program,
				Revision: versions[i].Revision})
		}
	}
	return list, nil
}
