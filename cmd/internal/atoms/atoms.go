// Package atoms is the command superres dict: it looks at the atoms of a model, takes them
// elsewhere, and brings others in.
//
// Each of its commands begins in a file of its name, with its flags: show.go, export.go and
// import.go. What they have in common is in file.go, a file of matrices and what it says of
// itself, and stages.go, the coupled stages of a model. For show, read on in shown.go, what
// is shown; measure.go and usage.go, its figures; drawing.go and report.go, what is written.
// For import, read on in recipe.go, how atoms from elsewhere are applied.
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

// are is the verb of a number of things.
func are(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}
