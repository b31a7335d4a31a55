package app

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"superres/internal/matfile"
	"superres/internal/safefile"
	"superres/learners"
)

// learnOutputs are the files that learn writes.
type learnOutputs struct {
	dictionary, codes, trace namedOutput
	overwrite                bool
}

// namedOutput is one file to be written; "" is none.
type namedOutput struct{ flag, name, format string }

// overwrites reads --on-exist of commands that skip nothing.
func overwrites(c *cli.Context) (bool, error) {
	exist := c.String("on-exist")
	return exist == "overwrite", oneOf("on-exist", exist, "fail", "overwrite")
}

// learnOutputsOf reads the flags of the outputs and refuses, before any work, what
// could not be written or would write over something else of this run.
func learnOutputsOf(c *cli.Context) (out learnOutputs, err error) {
	out = learnOutputs{
		dictionary: namedOutput{flag: "-o", name: c.String("output"), format: "npy"},
		codes:      namedOutput{flag: "--codes", name: c.String("codes")},
		trace:      namedOutput{flag: "--trace", name: c.String("trace")},
	}
	if out.overwrite, err = overwrites(c); err != nil {
		return out, err
	}
	switch {
	case out.dictionary.name == "":
		return out, usage("no output: say where the dictionary goes with -o FILE.npy, .npz or .csv")
	case out.dictionary.name == "-" && c.Bool("json"):
		return out, usage("-o - and --json both write to standard output; give -o a file")
	case out.trace.name != "" && strings.ToLower(filepath.Ext(out.trace.name)) != ".csv":
		return out, usage("--trace %s: expected a name that ends in .csv", out.trace.name)
	}
	for _, o := range []*namedOutput{&out.dictionary, &out.codes} {
		if o.name == "" || o.name == "-" && o == &out.dictionary {
			continue
		}
		if o.format, err = matfile.Format(o.name); err != nil {
			return out, usage("%s %w", o.flag, err)
		}
	}
	return out, out.check(c.Args().First(), c.String("init"))
}

// check looks at the files themselves.
func (out learnOutputs) check(inputs ...string) error {
	seen := map[string]string{} // where an output really lies: its flag
	for _, o := range []namedOutput{out.dictionary, out.codes, out.trace} {
		if o.name == "" || o.name == "-" {
			continue
		}
		for _, in := range inputs {
			if in != "" && in != "-" && safefile.SameFile(in, o.name) {
				return codedError{fmt.Errorf("%s: %s would write over the input; use another name", o.name, o.flag), exitOutput}
			}
		}
		place := filepath.Join(real(filepath.Dir(o.name)), filepath.Base(o.name))
		if other, clash := seen[place]; clash {
			return codedError{fmt.Errorf("%s: both %s and %s write to it; give each a file of its own", o.name, other, o.flag), exitOutput}
		}
		seen[place] = o.flag
		if _, err := os.Lstat(o.name); err == nil && !out.overwrite {
			return codedError{fmt.Errorf("%s exists; use --on-exist overwrite or another %s", o.name, o.flag), exitOutput}
		}
		// Rather now than after hours of learning.
		if err := safefile.CheckWritable(o.name, out.overwrite); err != nil {
			return err
		}
	}
	return nil
}

// save writes the files, the dictionary last: once it is there, all are. One that
// fails does not keep the others, which may have taken hours, from being written.
func (out learnOutputs) save(ctx context.Context, stdout io.Writer, r *learners.Result) error {
	var errs []error
	write := func(o namedOutput, write func(io.Writer) error) {
		if o.name == "" || ctx.Err() != nil {
			return
		}
		errs = append(errs, safefile.WriteAtomic(o.name, out.overwrite, func(w io.Writer) error { return write(interruptible{ctx, w}) }))
	}
	write(out.trace, func(w io.Writer) error { return writeTrace(w, r.Steps) })
	write(out.codes, func(w io.Writer) error { return matfile.WriteCodes(w, out.codes.format, r.Codes) })
	dictionary := func(w io.Writer) error {
		return matfile.Write(w, out.dictionary.format, "D", r.Dictionary.Matrix())
	}
	if out.dictionary.name == "-" {
		w := bufio.NewWriter(stdout)
		errs = append(errs, dictionary(w), w.Flush())
	} else {
		write(out.dictionary, dictionary)
	}
	for _, err := range append(errs, ctx.Err()) {
		if err != nil {
			return err
		}
	}
	return nil
}

// writeTrace writes the iterations as comma-separated values.
func writeTrace(w io.Writer, steps []learners.Step) error {
	if _, err := io.WriteString(w, "iteration,rmse,nonzeros,primal,dual,replaced,seconds\n"); err != nil {
		return err
	}
	for _, s := range steps {
		line := strconv.Itoa(s.Iteration)
		for _, v := range []float64{s.RMSE, s.NonZeros, s.Primal, s.Dual} {
			line += "," + strconv.FormatFloat(v, 'g', -1, 64)
		}
		if _, err := fmt.Fprintf(w, "%s,%d,%.6f\n", line, s.Replaced, s.Elapsed.Seconds()); err != nil {
			return err
		}
	}
	return nil
}

// learned is the summary of a run.
type learned struct {
	Dictionary string   `json:"dictionary"`
	Codes      string   `json:"codes,omitempty"`
	Trace      string   `json:"trace,omitempty"`
	Data       string   `json:"data"`
	Learner    string   `json:"learner"`
	Coder      string   `json:"coder,omitempty"` // none when the learner used none
	Seed       uint64   `json:"seed"`
	Entries    int      `json:"entries"`
	Signals    int      `json:"signals"`
	Atoms      int      `json:"atoms"`
	Iterations int      `json:"iterations"`
	Stop       string   `json:"stop"`
	RMSE       float64  `json:"rmse"`
	NonZeros   float64  `json:"nonzeros"` // mean of a signal
	Seconds    float64  `json:"seconds"`
	Warnings   []string `json:"warnings,omitempty"`
}

// report says what came out.
func (l *learning) report(r *learners.Result) error {
	c := l.c
	m, n := l.y.Dims()
	var last learners.Step
	if len(r.Steps) > 0 {
		last = r.Steps[len(r.Steps)-1]
	}
	sum := learned{
		Dictionary: c.String("output"), Codes: c.String("codes"), Trace: c.String("trace"), Data: c.Args().First(),
		Learner: c.String("learner"), Seed: c.Uint64("seed"), Entries: m, Signals: n, Atoms: l.opt.Atoms,
		Iterations: last.Iteration, Stop: string(r.Stop), RMSE: last.RMSE,
		NonZeros: float64(len(r.Codes.Index)) / float64(n), Seconds: last.Elapsed.Seconds(),
	}
	for _, w := range r.Warnings {
		sum.Warnings = append(sum.Warnings, message(w))
	}
	if l.coder.used.Load() {
		sum.Coder = l.coder.spec
	} else {
		for _, name := range []string{"coder", "sparsity"} {
			if c.IsSet(name) {
				sum.Warnings = append(sum.Warnings, fmt.Sprintf("%s uses no coder, --%s had no effect", sum.Learner, name))
			}
		}
	}
	if !c.Bool("quiet") {
		fmt.Fprintln(l.s.err, safefile.OneLine(sum.text()))
	}
	if !c.Bool("json") {
		return nil
	}
	enc := json.NewEncoder(l.s.out)
	enc.SetIndent("", "  ")
	return enc.Encode(sum)
}

func (s learned) text() string {
	by, to := s.Learner, s.Dictionary
	if s.Coder != "" {
		by += " with " + s.Coder
	}
	if to == "-" {
		to = "standard output"
	}
	text := fmt.Sprintf("%s: %s by %s from %d×%d data, %s (%s), %.1f s: RMSE %.4g, %.3g non-zeros a signal",
		to, count(s.Atoms, "atom"), by, s.Entries, s.Signals, count(s.Iterations, "iteration"), s.Stop, s.Seconds, s.RMSE, s.NonZeros)
	for _, w := range s.Warnings {
		text += "; warning: " + w
	}
	return text
}

// count words a number of things.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
