// Package app holds the commands that have no package of their own yet.
package app

import (
	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/models"
	"superres/cmd/internal/plugins"
)

// all is the program.
var all = console.Program{
	Usage: "enlarge pictures with learned dictionaries",
	Help:  appHelp,
	Commands: []func(*console.Streams) *cli.Command{
		upscaleCommand, evalCommand, diffCommand, trainCommand, learnCommand, recoverCommand, compareCommand, mergeCommand, mnistCommand,
		dictCommand, models.Command, plugins.Learners, plugins.Coders, benchCommand, completionCommand, manCommand, versionCommand,
	},
}

// appHelp is shown by superres alone.
const appHelp = `superres enlarges pictures with learned dictionaries.

EXAMPLES
   superres upscale photo.jpg                       writes photo_2x.jpg
   superres upscale -s 3 -o large/ photos/          a whole folder
   superres eval -m bicubic -m photo -s 2 set5/     reduce, enlarge and score

COMMANDS
{{range .VisibleCommands}}   {{printf "%-10s" .Name}} {{.Usage}}
{{end}}
superres COMMAND --help tells the rest.
`
