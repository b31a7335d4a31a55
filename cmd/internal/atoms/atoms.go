// Package atoms is the command superres dict: it looks at the atoms of a model, takes them elsewhere, and brings
// others in.
//
// Each of its commands begins in a file of its name, with its flags: show.go, export.go and import.go. All of them use
// file.go, the file of a dictionary, and this file, the coupled stages of a model. For show, read on in describe.go,
// what is described, and report.go, the figures and the output. For import, read on in recipe.go, how imported atoms
// are applied.
package atoms

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/settings"
	"superres/superres"
	"superres/superres/coupled"
)

// Command is superres dict.
func Command(s *console.Streams) *cli.Command {
	return console.Group(&cli.Command{
		Name: "dict", Usage: "look at the atoms of a model, take them elsewhere, bring others in",
		Description: `   superres dict show coupled -o atoms.png
   superres dict export coupled -o coupled-atoms.npz
   superres dict import coupled-atoms.npz -o my.npz`,
		Subcommands: []*cli.Command{showCommand(s), exportCommand(s), importCommand(s)},
	})
}

// isOrAre returns the verb for n things.
func isOrAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// stageOption is --stage.
func stageOption(to **int, help string) *settings.Option {
	return &settings.Option{Name: "stage", To: settings.Maybe(to, -1), Help: help}
}

// coupledStage returns the number of the coupled stage to work on: want or, where that is nil, the only one there is.
func coupledStage(want *int, name string, m *superres.Model) (int, error) {
	all, err := coupledStages(name, m)
	if err != nil {
		return 0, err
	}
	switch {
	case want == nil && len(all) == 1:
		return all[0], nil
	case want == nil:
		return 0, console.Usage("%s has several coupled stages, %v (from 0); choose one with --stage", name, all)
	case !slices.Contains(all, *want):
		return 0, console.Usage("--stage %d: the coupled stages of %s are %v (from 0)", *want, name, all)
	}
	return *want, nil
}

// coupledStages returns the numbers of the stages of a model that have a coupled dictionary. A model without any is
// refused.
func coupledStages(name string, m *superres.Model) ([]int, error) {
	if len(m.Stages) == 0 {
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
