// Package app is the program superres.
//
// Another module makes a superres of its own, with learners, coders or stages of its own in it, from a main function
// that imports their packages, for their registration, and calls Main:
//
//	package main
//
//	import (
//		"superres/cmd/app"
//
//		_ "example.org/mine" // registers the learner "mine"
//	)
//
//	func main() { app.Main() }
package app

import (
	"context"
	"io"
	"os"
	"runtime/debug"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/atoms"
	"superres/cmd/internal/bench"
	"superres/cmd/internal/comparison"
	"superres/cmd/internal/console"
	"superres/cmd/internal/digits"
	"superres/cmd/internal/learn"
	"superres/cmd/internal/manual"
	"superres/cmd/internal/models"
	"superres/cmd/internal/parts"
	"superres/cmd/internal/plugins"
	"superres/cmd/internal/recovery"
	"superres/cmd/internal/scoring"
	"superres/cmd/internal/serve"
	"superres/cmd/internal/train"
	"superres/cmd/internal/upscale"
	"superres/internal/kernel"
)

// Main runs the program with the arguments of the process and ends the process with its exit code.
func Main() {
	LessGarbage()
	kernel.AdviseHeap(128 << 20)
	if serve.IsWorker() {
		os.Exit(serve.Work())
	}
	os.Exit(Run(console.OwnProcess(context.Background()), os.Stdin, os.Stdout, os.Stderr, os.Args))
}

// LessGarbage sets the process up for Run, which keeps a few large planes: to collect garbage early nearly halves the
// peak of the memory and costs little.
func LessGarbage() { debug.SetGCPercent(30) }

// Run runs the program within a process: args as os.Args, the result the exit code. Messages go to stderr, data to
// stdout. SIGINT, SIGTERM, SIGHUP and a standard stream that nobody reads any more end it, as the end of ctx does.
func Run(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer, args []string) int {
	return program.Run(ctx, stdin, stdout, stderr, args)
}

var program = console.Program{
	Usage:   "enlarge pictures with learned dictionaries",
	Help:    help,
	Implied: "upscale",
	Commands: []func(*console.Streams) *cli.Command{
		upscale.Command, serve.Command, scoring.Eval, scoring.Diff, train.Command, learn.Command, recovery.Command,
		comparison.Command, parts.Command, digits.Command, atoms.Command, models.Command, plugins.Learners,
		plugins.Coders,
		bench.Command, manual.Completion, manual.Man, manual.Version,
	},
}

// help is shown by superres alone.
const help = `superres enlarges pictures with learned dictionaries.

EXAMPLES
   superres photo.jpg                               writes photo_2x.jpg
   superres upscale -s 3 -o large/ photos/          a whole folder
   superres eval -m bicubic -m photo -s 2 set5/     reduce, enlarge and score

COMMANDS
{{range .VisibleCommands}}   {{printf "%-10s" .Name}} {{.Usage}}
{{end}}
superres COMMAND --help tells the rest.
`
