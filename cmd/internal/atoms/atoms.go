// Package atoms is the command superres dict: it looks at the atoms of a model, takes them elsewhere, and brings
// others in.
//
// Each of its commands begins in a file of its name, with its flags: show.go, export.go and import.go. All of them
// use file.go, the file of a dictionary, and stages.go, the coupled stages of a model. For show, read on in
// describe.go, what is described; measure.go and usage.go, the figures; drawing.go and report.go, the output. For
// import, read on in recipe.go, how imported atoms are applied.
package atoms

import (
	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
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
