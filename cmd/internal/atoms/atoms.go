// Package atoms is the command superres dict, which shows, exports and imports the atoms of models.
//
// Each subcommand begins in a file of its name, with its flags: show.go, export.go and import.go. All of them use
// file.go, which reads dictionaries from files, and this file, which finds the coupled stages of a model. For show,
// read on in describe.go, which finds what to show, and report.go, the figures and the output. For import, read on in
// recipe.go, how imported atoms are applied.
package atoms

import (
	"strings"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/superres"
	"superres/superres/coupled"
)

// Command returns the command superres dict.
func Command(s *console.Streams) *cli.Command {
	return console.Group(&cli.Command{
		Name: "dict", Usage: "look at the atoms of a model, export them, import others",
		Description: `   superres dict show coupled -o atoms.png
   superres dict export coupled -o coupled-atoms.npz
   superres dict import coupled-atoms.npz -o my.npz`,
		Subcommands: []*cli.Command{showCommand(s), exportCommand(s), importCommand(s)},
	})
}

// isOrAre returns "is" for 1 and "are" for any other n.
func isOrAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// coupledStages returns the indices of the stages of m that have a coupled dictionary. It is an error if there are
// none.
func coupledStages(name string, m *superres.Model) ([]int, error) {
	if m.IsPlain() {
		return nil, console.Usage("%s is a plain interpolation and has no atoms; name a trained model (superres "+
			"models lists them)", name)
	}
	var numbers []int
	var kinds []string
	for i, s := range m.Stages {
		kinds = append(kinds, s.Kind())
		if _, ok := coupled.Of(s); ok {
			numbers = append(numbers, i)
		}
	}
	if len(numbers) == 0 {
		return nil, console.Usage("%s has no coupled dictionary to show or export, its stages are %s; superres "+
			"models %s tells the rest", name, strings.Join(kinds, " + "), name)
	}
	return numbers, nil
}
