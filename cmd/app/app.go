// Package app is the program superres: its list of commands, and the functions Main and Run.
//
// Another module can build a superres that has more learners, coders or stages. Its main function calls Main, and it
// imports their packages, which register them:
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

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/atoms"
	"superres/cmd/internal/bench"
	"superres/cmd/internal/comparison"
	"superres/cmd/internal/console"
	"superres/cmd/internal/digits"
	"superres/cmd/internal/learn"
	"superres/cmd/internal/manual"
	"superres/cmd/internal/models"
	"superres/cmd/internal/plugins"
	"superres/cmd/internal/recovery"
	"superres/cmd/internal/scoring"
	"superres/cmd/internal/serve"
	"superres/cmd/internal/train"
	"superres/cmd/internal/trial"
	"superres/cmd/internal/upscale"
)

// Main runs the program with the command line of the process and ends the process with its exit code.
func Main() {
	if serve.IsWorker() {
		os.Exit(serve.Work())
	}
	console.PrepareHeap(console.Garbage, console.Ballast)
	os.Exit(Run(console.OwnProcess(context.Background()), os.Stdin, os.Stdout, os.Stderr, os.Args))
}

// Run runs the command line args, which begins with the program name, and returns the exit code. Messages go to stderr,
// data to stdout. It ends early if ctx ends, at SIGINT, SIGTERM or SIGHUP, and if nobody reads stdout or stderr.
func Run(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer, args []string) int {
	return program.Run(ctx, stdin, stdout, stderr, args)
}

var program = console.Program{
	Usage:   "enlarge pictures and videos sharply, and invent nothing",
	Help:    help,
	Implied: "upscale",
	Commands: []func(*console.Streams) *cli.Command{
		upscale.Command, upscale.Restore, serve.Command, serve.App, trial.Command, scoring.Eval, scoring.Diff,
		train.Command, learn.Command, recovery.Command, comparison.Command, digits.Command,
		atoms.Command, models.Command, plugins.Learners, plugins.Coders, bench.Command, manual.Completion, manual.Man,
		manual.Version,
	},
}

// help is the template for the help of superres without a command.
const help = `superres enlarges pictures and videos sharply, and invents nothing.

EXAMPLES
   superres photo.jpg                          writes photo_2x.jpg
   superres -s 3 -o large/ photos/             a whole folder, three times as large
   superres in.mp4                             a video, with its sound
   superres app                                a window into which pictures are dropped
   superres eval -m bicubic -m photo set5/     reduce, enlarge and score

COMMANDS
{{range .VisibleCommands}}   {{printf "%-10s" .Name}} {{.Usage}}
{{end}}
superres COMMAND --help says more.
`
