package learn

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"superres/cmd/internal/console"
	"superres/cmd/internal/paths"
	"superres/internal/matfile"
	"superres/internal/npz"
	"superres/internal/safefile"
	"superres/learners"
)

// outputs are the files that superres learn writes.
type outputs struct {
	// dictionary receives the dictionary D, codes the codes X, and trace a line for every iteration.
	dictionary, codes, trace output
	overwrite                bool        // existing files are replaced; false: an existing file is an error
	most                     fs.FileMode // greatest permissions of new files: only what all input files permit
}

// output is an output file, with the format that its name implies.
type output struct {
	console.Output
	format string // npy, npz or csv; empty if only one format is possible
}

// check sets out.most, the greatest permissions of new files, and the formats of the outputs. It is called before any
// work, and fails if an output could not be written, or would replace an input or another output.
func (out *outputs) check(opt Options) (err error) {
	switch {
	case out.dictionary.Name == "" && !opt.codes():
		return console.Usage("no output: say where the dictionary goes with -o FILE.npy, .npz or .csv")
	case paths.IsStandard(out.dictionary.Name) && opt.JSON:
		return console.Usage("-o - and --json both write to standard output; give -o a file")
	case out.trace.Name != "" && strings.ToLower(filepath.Ext(out.trace.Name)) != ".csv":
		return console.Usage("--trace %s: expected a name that ends in .csv", out.trace.Name)
	}
	for _, o := range []*output{&out.dictionary, &out.codes} {
		if o.Name == "" || paths.IsStandard(o.Name) && o == &out.dictionary {
			continue
		}
		if o.format, err = matfile.Format(o.Name); err != nil {
			return console.Usage("%s %w", o.Flag, err)
		}
	}
	inputs := []string{opt.Data, opt.Init}
	out.most = safefile.ModeOf(inputs...)
	return console.CheckOutputs(out.overwrite, inputs, out.dictionary.Output, out.codes.Output, out.trace.Output)
}

// save writes trace, codes and dictionary, in this order, and returns the first error. After an error in one file, but
// not after the end of ctx, it still writes the next, since learning may have taken hours.
func (out outputs) save(ctx context.Context, stdout io.Writer, r *learners.Result) error {
	var errs []error
	write := func(o console.Output, write func(io.Writer) error) {
		if o.Name == "" || ctx.Err() != nil {
			return
		}
		errs = append(errs, safefile.WriteAtomicMode(out.most, o.Name, out.overwrite, func(w io.Writer) error {
			return write(safefile.Interruptible(ctx, w))
		}))
	}
	write(out.trace.Output, func(w io.Writer) error { return writeTrace(w, r.Steps) })
	write(out.codes.Output, func(w io.Writer) error {
		if x := r.Codes; out.codes.format == "npz" { // sparse, for scipy.sparse.load_npz
			return npz.WriteCSC(w, x.Atoms, x.Start, x.Index, x.Value)
		}
		return matfile.Write(w, out.codes.format, "", r.Codes.Dense()) // takes 8 bytes of memory per entry
	})
	dictionary := func(w io.Writer) error {
		return matfile.Write(w, out.dictionary.format, "D", r.Dictionary.Matrix())
	}
	if paths.IsStandard(out.dictionary.Name) {
		w := bufio.NewWriter(stdout)
		errs = append(errs, dictionary(w), w.Flush())
	} else {
		write(out.dictionary.Output, dictionary)
	}
	return cmp.Or(append(errs, ctx.Err())...)
}

// writeTrace writes a head and a line of comma-separated values for each step. An Iteration of 0, unknown, stays empty.
func writeTrace(w io.Writer, steps []learners.Step) error {
	if _, err := io.WriteString(w, "iteration,rmse,nonzeros,primal,dual,replaced,seconds\n"); err != nil {
		return err
	}
	for _, s := range steps {
		line := ""
		if s.Iteration > 0 {
			line = strconv.Itoa(s.Iteration)
		}
		for _, v := range []float64{s.RMSE, s.NonZeros, s.Primal, s.Dual} {
			line += "," + strconv.FormatFloat(v, 'g', -1, 64)
		}
		if _, err := fmt.Fprintf(w, "%s,%d,%.6f\n", line, s.Replaced, s.Elapsed.Seconds()); err != nil {
			return err
		}
	}
	return nil
}
