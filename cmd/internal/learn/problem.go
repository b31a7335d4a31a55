package learn

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"sync/atomic"

	"gonum.org/v1/gonum/mat"

	"superres/cmd/internal/console"
	"superres/cmd/internal/paths"
	"superres/cmd/internal/plugins"
	"superres/internal/matfile"
	"superres/learners"
	"superres/learners/sparse"
)

// problem holds the inputs of a learner.
type problem struct {
	signals  *mat.Dense       // the matrix Y, with one signal per column
	settings learners.Options // the parameters of the learner
	coder    *watchedCoder    // the same coder as settings.Coder
}

// readProblem returns the problem described by opt: the data, from the file or stdin, and the settings, with the
// initial dictionary. If the data would exceed the memory limit, it fails before reading their entries.
func readProblem(opt Options, stdin io.Reader) (p problem, err error) {
	if p.settings, err = opt.settings(); err != nil {
		return p, err
	}
	p.signals, err = readSignals(opt, stdin, func(m, n int, piped float64) error {
		if p.settings.Atoms == 0 {
			p.settings.Atoms = min(2*m, n) // the default of --atoms
		}
		return accept(opt, p.settings, m, n, piped)
	})
	if err != nil {
		return p, err
	}
	return p, p.codeAs(opt)
}

// settings returns the parameters of the learner, except the coder. Atoms is 0 if its value depends on the data.
func (opt Options) settings() (s learners.Options, err error) {
	s = learners.Options{Iterations: opt.Iterations, Seed: opt.Seed}
	if opt.Atoms != nil {
		s.Atoms = *opt.Atoms
	}
	if opt.Init != "" {
		if s.Init, err = firstDictionary(opt); err != nil {
			return s, err
		}
		_, s.Atoms = s.Init.Dims()
	}
	return s, nil
}

// codeAs sets p.coder, which notes whether it is used, to the coder named in opt, for a dictionary of p.settings.Atoms.
func (p *problem) codeAs(opt Options) error {
	spec, err := opt.Coder.Over(p.settings.Atoms)
	if err != nil {
		return err
	}
	coder, err := sparse.New(spec)
	p.coder = &watchedCoder{Coder: coder, spec: spec}
	p.settings.Coder = p.coder
	return err
}

// firstDictionary returns the dictionary in the file opt.Init. It fails if an atom is zero or opt.Atoms differs.
func firstDictionary(opt Options) (*sparse.Dictionary, error) {
	m, err := matfile.Open(opt.Init, matfile.Options{Column: "atom", Accept: func(rows, cols int) error {
		return console.EnoughMemory(opt.Limits.Memory, fmt.Sprintf("%s: a dictionary of %d×%d", opt.Init, rows,
			cols), console.Process(2*8*float64(rows)*float64(cols)), "") // the matrix in the file, and the dictionary
	}})
	if err != nil {
		return nil, err
	}
	d, err := sparse.NewDictionary(m)
	if err != nil {
		return nil, console.Failf(console.ExitInput, "%s: %w", opt.Init, err)
	}
	rows, atoms := d.Dims()
	for k := range atoms {
		if d.Norm(k) == 0 {
			return nil, console.Failf(console.ExitInput, "%s: atom %d (counted from 0) is zero or "+
				"nearly so; expected a direction", opt.Init, k)
		}
	}
	if opt.Atoms != nil && *opt.Atoms != atoms {
		return nil, console.Usage("--atoms %d, but %s has %d (it is %d×%d, with one atom a column); leave --atoms "+
			"out", *opt.Atoms, opt.Init, atoms, rows, atoms)
	}
	return d, nil
}

// readSignals returns the data from the file or from stdin, which is read whole, up to half of the memory limit. Before
// it reads the entries, it calls accept for n signals of m entries, where piped is the number of bytes of stdin in
// memory. An error from accept ends the reading.
func readSignals(opt Options, stdin io.Reader, accept func(m, n int, piped float64) error) (*mat.Dense, error) {
	var piped []byte
	want := matfile.Options{Array: opt.Array, ArrayFlag: "--array", Transpose: opt.Transpose, Column: "signal",
		Accept: func(m, n int) error {
			return accept(m, n, float64(len(piped)))
		}}
	if !paths.IsStandard(opt.Data) {
		return matfile.Open(opt.Data, want)
	}
	var err error
	if piped, err = console.ReadWhole(stdin, opt.dataName(), opt.Limits.Memory/2, "use a file or "+
		"--max-memory"); err != nil {
		return nil, err
	}
	return matfile.Read(bytes.NewReader(piped), int64(len(piped)), opt.dataName(), want)
}

// fewSignals returns a text about n signals of m entries, where n is less than m.
func fewSignals(m, n int) string {
	return fmt.Sprintf("%d signals of %d entries each, so fewer signals than entries", n, m)
}

// accept returns an error if n signals of m entries look transposed, and no option shows that they are not, or if they
// do not fit the initial dictionary or exceed the memory limit. Reading needs memory for the signals, a copy with
// --transpose, and piped bytes from standard input. Learning needs memory for the learner, the signals, the initial
// dictionary, with --parts the sums and a copy to write, and, for .npy or .csv, the dense codes.
func accept(opt Options, settings learners.Options, m, n int, piped float64) error {
	name := opt.dataName()
	if m > n && n > 1 && opt.Atoms == nil && settings.Init == nil && !opt.oriented {
		return console.Usage("%s: %s; if it has one signal a row, as scikit-learn has its samples, use --transpose, "+
			"else --transpose=false", name, fewSignals(m, n))
	}
	if settings.Init != nil {
		if rows, k := settings.Init.Dims(); rows != m {
			return console.Usage("%s has atoms of %d entries (it is %d×%d), but the signals of %s have %d; use "+
				"another --init, or --transpose when %s has one signal a row",
				opt.Init, rows, rows, k, name, m, name)
		}
	}
	nonZeros := opt.Coder.Sparsity // the most in a code; all m if no number limits them
	if nonZeros == 0 || nonZeros > m || plugins.SaysSparsity(opt.Coder.Spec) {
		nonZeros = m
	}
	nonZeros = min(nonZeros, settings.Atoms)
	signals, atoms := 8*float64(m)*float64(n), float64(settings.Atoms)
	reading, learning := piped+signals, signals
	if opt.codes() {
		result, working := sparse.Memory(m, settings.Atoms, n, nonZeros)
		learning += result + working + signals // the last: Y − D·X
	} else {
		learning += opt.learner.Memory(m, n, settings.Atoms, nonZeros)
	}
	if opt.Transpose {
		reading += signals
	}
	if settings.Init != nil {
		learning += 8 * float64(m) * atoms
	}
	if opt.Parts > 0 {
		learning += 8 * (3*atoms*atoms + 6*float64(m)*atoms) // the sums, the dictionary, and a copy to write
	}
	if f := opt.outputs.codes.format; f == "npy" || f == "csv" {
		learning += 8 * atoms * float64(n)
	}
	need := console.Process(max(reading, learning))
	what, advice := "learning %d atoms from %d signals of %d entries", ", fewer --atoms or fewer signals"
	if opt.codes() {
		what, advice = "coding over %d atoms %d signals of %d entries", ", or fewer signals"
	}
	return console.EnoughMemory(opt.Limits.Memory, fmt.Sprintf("%s: "+what, name, settings.Atoms, n, m), need,
		advice+", or --transpose when there is one signal a row")
}

// watchedCoder is a coder that records whether it was used, since some learners use none.
type watchedCoder struct {
	sparse.Coder
	spec string
	used atomic.Bool
}

func (w *watchedCoder) Code(ctx context.Context, d *sparse.Dictionary, y *mat.Dense) (*sparse.Codes, error) {
	w.used.Store(true)
	return w.Coder.Code(ctx, d, y)
}

// MostNonZeros implements sparse.Limited. A learner that calls it depends on the coder, so the coder counts as used.
func (w *watchedCoder) MostNonZeros() int {
	w.used.Store(true)
	return sparse.MostNonZeros(w.Coder)
}
