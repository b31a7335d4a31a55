package learn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"time"

	"gonum.org/v1/gonum/mat"

	"superres/cmd/internal/console"
	"superres/cmd/internal/paths"
	"superres/internal/npz"
	"superres/internal/safefile"
	"superres/internal/settings"
	"superres/learners"
	"superres/learners/sparse"
)

// completeParts sets the default of Iterations for --parts (1 for Online, 10 for other learners), and refuses options
// that contradict --parts, or --resume without --parts.
func (opt *Options) completeParts(given settings.Table) error {
	if opt.Parts == 0 {
		if opt.Resume {
			return console.Usage("--resume is for --parts, whose runs alone keep what is done")
		}
		return nil
	}
	switch {
	case paths.IsStandard(opt.Data), paths.IsStandard(opt.outputs.dictionary.Name):
		return console.Usage("--parts reads at many places of a file and keeps what is done in another; name both " +
			"files")
	case opt.codes():
		return console.Usage("--parts learns; leave it out where --iterations 0 only codes")
	}
	for _, name := range []string{"codes", "array"} {
		if given.Given(name) {
			return console.Usage("--parts is for one array of .npy, of which a dictionary alone is learned: leave "+
				"out --%s", name)
		}
	}
	if !given.Given("iterations") {
		opt.Iterations = 10
		if _, ok := opt.learner.(*learners.Online); ok {
			opt.Iterations = 1
		}
	}
	return nil
}

// runLength is the number of signals in a run: consecutive signals in the file, which always belong to the same part.
const runLength = 256

// fileParts is a file of signals that is read in parts.
type fileParts struct {
	columns *npz.Columns
	name    string
	order   []int // the numbers of the runs, in the order of learning
	size    int   // runs in a part
}

// openParts opens the file opt.Data and divides its signals into parts. A part has at least about opt.Parts signals,
// and less than twice as many, so that no signal is left over. It consists of runs of runLength neighbouring signals
// from all over the file, in an order drawn from opt.Seed. The caller closes file.
func openParts(opt Options) (p *fileParts, file io.Closer, err error) {
	f, size, err := safefile.OpenRegular(opt.Data)
	if err != nil {
		return nil, nil, err
	}
	c, err := npz.OpenColumns(f, size, opt.Transpose)
	if err != nil {
		f.Close()
		return nil, nil, safefile.Refuse(safefile.ErrInput, opt.Data, "%v; --parts reads what numpy.save wrote", err)
	}
	_, n := c.Dims()
	runs := (n + runLength - 1) / runLength
	return &fileParts{columns: c, name: opt.Data, size: min(runs, (opt.Parts+runLength-1)/runLength),
		order: rand.New(rand.NewPCG(opt.Seed, 2)).Perm(runs)}, f, nil // 2: other numbers than learners draw
}

// count returns the number of parts. Each part has at least p.size runs, and fewer than twice as many.
func (p *fileParts) count() int { return max(1, len(p.order)/p.size) }

// read returns the signals in part i, from 0, as columns. The last run in the file may be shorter than runLength.
func (p *fileParts) read(i int) (*mat.Dense, error) {
	m, n := p.columns.Dims()
	runs := p.order[i*len(p.order)/p.count() : (i+1)*len(p.order)/p.count()]
	signals := 0
	for _, r := range runs {
		signals += min(runLength, n-r*runLength)
	}
	y, at := mat.NewDense(m, signals, nil), 0
	for _, r := range runs {
		length := min(runLength, n-r*runLength)
		if err := p.columns.Read(y, at, r*runLength, length); err != nil {
			return nil, safefile.Unreadable(p.name, err)
		}
		at += length
	}
	return y, nil
}

// learnParts learns from the parts of a file, one after another, writes the outputs and prints the summary.
func learnParts(ctx context.Context, opt Options, s *console.Streams, bar *console.Progress) error {
	began := time.Now()
	parts, file, err := openParts(opt)
	if err != nil {
		return err
	}
	defer file.Close()
	m, n := parts.columns.Dims()
	var p problem
	if p.settings, err = opt.settings(); err != nil {
		return err
	}
	part := min(n, 2*parts.size*runLength) // greatest number of signals in a part
	if p.settings.Atoms == 0 {
		p.settings.Atoms = min(2*m, part) // the default of --atoms, for the signals of a part
	}
	if err := cmp.Or(accept(opt, p.settings, m, part, 0), p.codeAs(opt)); err != nil {
		return err
	}
	done := &kept{name: opt.outputs.dictionary.Name + ".resume", mode: opt.outputs.most, about: fmt.Sprintf("%s\n%d×%d",
		opt.command, m, n)}
	if opt.Resume {
		if err := done.read(m, p.settings.Atoms); err != nil {
			return err
		}
	}
	for done.past.Parts < parts.count() {
		y, err := parts.read(done.past.Parts)
		if err != nil {
			return err
		}
		step, err := learners.LearnPart(ctx, opt.learner, y, p.settings, &done.past)
		if err != nil {
			err = opt.failed(ctx, err)
			return errors.Join(err, done.write(0)) // keeps the parts before this one
		}
		step.Elapsed += done.seconds()
		done.steps = append(done.steps, step)
		showStep(bar, step, parts.count())
		if err := done.write(5 * time.Second); err != nil {
			return err
		}
	}
	bar.Clear()
	result := &learners.Result{Dictionary: done.past.Dictionary, Steps: done.steps}
	if err := opt.outputs.save(ctx, s.Out, result); err != nil {
		return err
	}
	if err := os.Remove(done.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return safefile.Unwritable(done.name, err)
	}
	last := done.steps[len(done.steps)-1]
	sum := summary{Dictionary: paths.Name(opt.outputs.dictionary.Name), Trace: paths.Name(opt.outputs.trace.Name),
		Data: paths.Name(opt.Data), Learner: opt.Learner, Coder: p.coder.spec, Seed: opt.Seed, Entries: m, Signals: n,
		Atoms: p.settings.Atoms, Stop: console.Count(parts.count(), "part"), RMSE: last.RMSE, Least: result.Least(),
		NonZeros: last.NonZeros, Seconds: time.Since(began).Seconds()}
	return sum.tell(opt, s)
}

// kept is the file for --resume, which stores what a run with --parts has learned so far.
type kept struct {
	name    string
	mode    fs.FileMode
	about   string // the command line and the size of the data
	past    learners.Past
	steps   []learners.Step // one for each part; Elapsed is the time for this part and all before it
	written time.Time       // when the file was last written; zero: not yet written
}

// seconds returns the time spent learning from the parts done so far.
func (k *kept) seconds() (sum time.Duration) {
	if len(k.steps) > 0 {
		sum = k.steps[len(k.steps)-1].Elapsed
	}
	return sum
}

// write writes the file for --resume, unless no part is done or it was written less than interval ago.
func (k *kept) write(interval time.Duration) error {
	if k.past.Parts == 0 || time.Since(k.written) < interval {
		return nil
	}
	steps := mat.NewDense(len(k.steps), 4, nil)
	for i, s := range k.steps {
		steps.SetRow(i, []float64{s.RMSE, s.NonZeros, float64(s.Replaced), s.Elapsed.Seconds()})
	}
	all := []npz.Matrix{{Name: "steps", Data: steps}, {Name: "D", Data: k.past.Dictionary.Matrix()}}
	if k.past.A != nil { // the learner is Online, which goes on from its sums A and B
		all = append(all, npz.Matrix{Name: "batches", Data: mat.NewDense(1, 1, []float64{float64(k.past.Batches)})},
			npz.Matrix{Name: "A", Data: k.past.A}, npz.Matrix{Name: "B", Data: k.past.B})
	}
	k.written = time.Now()
	return safefile.WriteAtomicMode(k.mode, k.name, true, func(w io.Writer) error {
		return npz.Write(w, []npz.Text{{Name: "about.txt", Data: []byte(k.about)}}, all)
	})
}

// read sets k.past and k.steps from the file, if it exists. The file must be of the same settings and data, and have a
// dictionary of the given number of atoms of m entries.
func (k *kept) read(m, atoms int) error {
	f, size, err := safefile.OpenRegular(k.name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := npz.Open(f, size)
	if err != nil {
		return k.refuse(err)
	}
	about, err := z.Text("about.txt", 1<<16)
	if err != nil {
		return k.refuse(err)
	}
	if string(about) != k.about {
		return console.Usage("--resume: %s is of other settings or data: %s; now %s; repeat that command, or leave "+
			"out --resume", k.name, safefile.OneLine(string(about)), safefile.OneLine(k.about))
	}
	matrix := func(name string, rows, cols int) *mat.Dense {
		var v *mat.Dense
		if err == nil {
			v, err = z.Matrix(name, rows, cols)
		}
		return v
	}
	steps, d := matrix("steps", -math.MaxInt32, 4), matrix("D", m, atoms) // any number of steps, of 4 figures each
	var batches *mat.Dense
	if z.Has("batches.npy") {
		batches = matrix("batches", 1, 1)
		k.past.A, k.past.B = matrix("A", atoms, atoms), matrix("B", m, atoms)
	}
	if err == nil {
		k.past.Dictionary, err = sparse.NewDictionary(d)
	}
	if err != nil {
		return k.refuse(err)
	}
	if batches != nil {
		k.past.Batches = int(batches.At(0, 0))
	}
	k.past.Parts, _ = steps.Dims()
	for i := range k.past.Parts {
		v := steps.RawRowView(i)
		k.steps = append(k.steps, learners.Step{Iteration: i + 1, RMSE: v[0], NonZeros: v[1], Replaced: int(v[2]),
			Elapsed: time.Duration(v[3] * float64(time.Second))})
	}
	return nil
}

// refuse returns the error for a file that --resume cannot use because of err.
func (k *kept) refuse(err error) error {
	return safefile.Refuse(safefile.ErrInput, k.name, "%v; remove it, or leave out --resume", err)
}
