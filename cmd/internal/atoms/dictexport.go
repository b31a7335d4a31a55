package atoms

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"
	"gonum.org/v1/gonum/mat"

	"superres/cmd/internal/console"
	"superres/cmd/internal/models"
	"superres/internal/matfile"
	"superres/internal/npz"
	"superres/internal/safefile"
	"superres/superres/coupled"
)

func dictExport(c *cli.Context, s *console.Streams) error {
	name, err := console.OneArgument(c, "model")
	if err != nil {
		return err
	}
	out, format := c.String("output"), "npy"
	if out == "" {
		return console.Usage("no output: say where the atoms go with -o FILE.npz, .npy or .csv")
	}
	if out != "-" {
		if format, err = matfile.Format(out); err != nil {
			return console.Usage("-o %w", err)
		}
	}
	overwrite, err := console.SoleOutput(c, name)
	if err != nil {
		return err
	}
	m, err := models.Open(name)
	if err != nil {
		return err
	}
	i, err := coupledStage(c, name, m)
	if err != nil {
		return err
	}
	coded, _ := coupled.Of(m.Stages[i])
	recipe, whole := coupled.RecipeOf(m.Scale, m.Degradation, m.Kernel, m.Stages, i)
	low, high := coded.Low.Matrix(), coded.High.Matrix()
	write := func(w io.Writer) error {
		if format == "npz" {
			text, err := json.Marshal(parameters{parametersFormat, recipe, &m.Provenance})
			if err != nil {
				return err
			}
			return npz.Write(w, []npz.Text{npz.StringArray(parametersArray, string(text))}, []npz.Matrix{{Name: "low", Data: low}, {Name: "high", Data: high}})
		}
		var stacked mat.Dense
		stacked.Stack(low, high)
		return matfile.Write(w, format, "", &stacked)
	}
	if out == "-" {
		w := bufio.NewWriter(s.Out)
		if err := write(w); err != nil {
			return err
		}
		if err := w.Flush(); err != nil {
			return err
		}
		out = "standard output"
	} else if err := safefile.WriteAtomic(out, overwrite, write); err != nil {
		return err
	}
	if c.Bool("quiet") {
		return nil
	}
	n, k := low.Dims()
	rows, _ := high.Dims()
	text := fmt.Sprintf("%s: %s of %d + %d entries", out, console.Count(k, "atom"), n, rows)
	if format != "npz" {
		text += "; a model again by: " + importCommand(recipe) + " -o MODEL.npz " + console.Quoted(out)
	}
	if !whole {
		text += fmt.Sprintf("; warning: stage %d alone, the model has others", i)
	}
	fmt.Fprintln(s.Err, safefile.OneLine(text))
	return nil
}

// importCommand is the command that makes a model by a recipe.
func importCommand(r coupled.Recipe) string {
	return fmt.Sprintf("superres dict import --scale %d --patch %d --mean=%t --detail=%t --degradation %s --coder %s --sparsity 0 --back-projection %d",
		r.Scale, r.Patch, r.Mean, r.Detail, r.Degradation, console.Quoted(r.Coder), r.BackProjection)
}
