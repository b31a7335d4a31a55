package learn

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/internal/matfile"
	"superres/internal/safefile"
	"superres/learners"
)

// learnOutputs are the files that learn writes.
type learnOutputs struct {
	dictionary, codes, trace learnOutput
	overwrite                bool
}

// learnOutput is one of them, and the format that its name says.
type learnOutput struct {
	console.Output
	format string
}

// learnOutputsOf reads the flags of the outputs and refuses, before any work, what
// could not be written or would write over something else of this run.
func learnOutputsOf(c *cli.Context) (out learnOutputs, err error) {
	out = learnOutputs{
		dictionary: learnOutput{console.Output{Flag: "-o", Name: c.String("output")}, "npy"},
		codes:      learnOutput{Output: console.Output{Flag: "--codes", Name: c.String("codes")}},
		trace:      learnOutput{Output: console.Output{Flag: "--trace", Name: c.String("trace")}},
	}
	if out.overwrite, err = console.Overwrites(c); err != nil {
		return out, err
	}
	switch {
	case out.dictionary.Name == "":
		return out, console.Usage("no output: say where the dictionary goes with -o FILE.npy, .npz or .csv")
	case out.dictionary.Name == "-" && c.Bool("json"):
		return out, console.Usage("-o - and --json both write to standard output; give -o a file")
	case out.trace.Name != "" && strings.ToLower(filepath.Ext(out.trace.Name)) != ".csv":
		return out, console.Usage("--trace %s: expected a name that ends in .csv", out.trace.Name)
	}
	for _, o := range []*learnOutput{&out.dictionary, &out.codes} {
		if o.Name == "" || o.Name == "-" && o == &out.dictionary {
			continue
		}
		if o.format, err = matfile.Format(o.Name); err != nil {
			return out, console.Usage("%s %w", o.Flag, err)
		}
	}
	inputs := []string{c.Args().First(), c.String("init")}
	return out, console.CheckOutputs(out.overwrite, inputs, out.dictionary.Output, out.codes.Output, out.trace.Output)
}

// save writes the files, the dictionary last: once it is there, all are. One that
// fails does not keep the others, which may have taken hours, from being written.
func (out learnOutputs) save(ctx context.Context, stdout io.Writer, r *learners.Result) error {
	var errs []error
	write := func(o console.Output, write func(io.Writer) error) {
		if o.Name == "" || ctx.Err() != nil {
			return
		}
		errs = append(errs, safefile.WriteAtomic(o.Name, out.overwrite, func(w io.Writer) error { return write(console.Interruptible(ctx, w)) }))
	}
	write(out.trace.Output, func(w io.Writer) error { return writeTrace(w, r.Steps) })
	write(out.codes.Output, func(w io.Writer) error { return matfile.WriteCodes(w, out.codes.format, r.Codes) })
	dictionary := func(w io.Writer) error {
		return matfile.Write(w, out.dictionary.format, "D", r.Dictionary.Matrix())
	}
	if out.dictionary.Name == "-" {
		w := bufio.NewWriter(stdout)
		errs = append(errs, dictionary(w), w.Flush())
	} else {
		write(out.dictionary.Output, dictionary)
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
		sum.Warnings = append(sum.Warnings, console.Message(w))
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
		fmt.Fprintln(l.s.Err, safefile.OneLine(sum.text()))
	}
	if !c.Bool("json") {
		return nil
	}
	enc := json.NewEncoder(l.s.Out)
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
		to, console.Count(s.Atoms, "atom"), by, s.Entries, s.Signals, console.Count(s.Iterations, "iteration"), s.Stop, s.Seconds, s.RMSE, s.NonZeros)
	for _, w := range s.Warnings {
		text += "; warning: " + w
	}
	return text
}
