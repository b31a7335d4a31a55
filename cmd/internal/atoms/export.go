package atoms

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"
	"gonum.org/v1/gonum/mat"

	"superres/cmd/internal/console"
	"superres/cmd/internal/models"
	"superres/cmd/internal/paths"
	"superres/internal/matfile"
	"superres/internal/npz"
	"superres/internal/safefile"
	"superres/internal/settings"
	"superres/superres/coupled"
)

// exportCommand returns the command superres dict export.
func exportCommand(s *console.Streams) *cli.Command {
	var opt ExportOptions
	return console.Command(&cli.Command{
		Name: "export", Usage: "write the atoms of a model as matrices", ArgsUsage: "[FLAGS] MODEL -o FILE",
		Description: `   superres dict export coupled -o atoms.npz    import makes the same model of it
   superres dict export my.npz -o D.npy
   superres dict export my.npz -o D.csv

An .npz file gets the arrays "low" (D_L, one atom a column) and "high" (D_H), and
"parameters", a text in JSON that says how they are applied: in Python,
json.loads(str(numpy.load("atoms.npz")["parameters"])). A .npy or .csv file gets the
stacked dictionary D = [D_L; D_H], and the command is shown that makes a model of it.`,
		Flags: console.Flags(opt.table()),
		Action: func(c *cli.Context) error {
			if err := opt.complete(c); err != nil {
				return err
			}
			return export(c.Context, opt, s)
		},
	})
}

// table returns the options of superres dict export, with their defaults.
func (opt *ExportOptions) table() settings.Table {
	return settings.Table{
		console.OutputOption(&opt.Output, "", "write to `FILE`.npz, .npy or .csv; - is standard output, as .npy"),
		console.OnExistOption("the output exists"),
		console.QuietOption(&opt.Quiet),
	}
}

// ExportOptions are the settings of one run of the command. Most fields are set by the options of table.
type ExportOptions struct {
	Model     string // the name of a model, or a file
	Output    string // the file, or "-" for standard output
	Overwrite bool
	Quiet     bool

	format string // npz, npy or csv
}

// complete sets Model by the argument of c, and the format by the name of the output.
func (opt *ExportOptions) complete(c *cli.Context) (err error) {
	opt.format = "npy"
	if opt.Model, err = console.OneArgument(c, "model"); err != nil {
		return err
	}
	if opt.Output == "" {
		return console.Usage("no output: say where the atoms go with -o FILE.npz, .npy or .csv")
	}
	if !paths.IsStandard(opt.Output) {
		if opt.format, err = matfile.Format(opt.Output); err != nil {
			return console.Usage("-o %w", err)
		}
	}
	opt.Overwrite, err = console.SoleOutput(c, opt.Model)
	return err
}

// export writes the atoms of the first coupled stage and prints a line about them.
func export(ctx context.Context, opt ExportOptions, s *console.Streams) error {
	if err := s.TakesBinary(opt.Output); err != nil {
		return err
	}
	m, err := models.Open(ctx, opt.Model)
	if err != nil {
		return err
	}
	stages, err := coupledStages(opt.Model, m)
	if err != nil {
		return err
	}
	i := stages[0]
	coded, _ := coupled.Of(m.Stages[i])
	recipe, whole := coupled.RecipeOf(m.Scale, m.Degradation, m.Kernel, m.Stages, i)
	low, high := coded.Low.Matrix(), coded.High.Matrix()
	write := func(w io.Writer) error {
		if opt.format == "npz" {
			text, err := json.Marshal(parameters{parametersFormat, recipe, &m.Provenance})
			if err != nil {
				return err
			}
			return npz.Write(w, []npz.Text{npz.StringArray(parametersArray, string(text))},
				[]npz.Matrix{{Name: "low", Data: low}, {Name: "high", Data: high}})
		}
		var stacked mat.Dense
		stacked.Stack(low, high)
		return matfile.Write(w, opt.format, "", &stacked)
	}
	if _, err := s.WriteOutput(opt.Output, safefile.ModeOf(opt.Model), opt.Overwrite, write); err != nil || opt.Quiet {
		return err
	}
	out := opt.Output
	if paths.IsStandard(out) {
		out = "standard output"
	}
	n, k := low.Dims()
	rows, _ := high.Dims()
	text := fmt.Sprintf("%s: %s of %d + %d entries", out, console.Count(k, "atom"), n, rows)
	if opt.format != "npz" {
		text += "; a model again by: " + importLine(recipe) + " -o MODEL.npz " + console.Quoted(out)
	}
	if !whole {
		text += fmt.Sprintf("; warning: stage %d alone, the model has others", i)
	}
	fmt.Fprintln(s.Err, safefile.OneLine(text))
	return nil
}

// importLine returns the command line by which superres dict import makes a model with the recipe r.
func importLine(r coupled.Recipe) string {
	return fmt.Sprintf("superres dict import --mean=%t --detail=%t --degradation %s --coder "+
		"%s --sparsity 0 --back-projection %d",
		r.Mean, r.Detail, r.Degradation, console.Quoted(r.Coder), r.BackProjection)
}
