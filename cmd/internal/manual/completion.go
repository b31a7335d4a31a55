package manual

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/internal/safefile"
	"superres/internal/usage"
)

// The scripts pass the words of the command line to "superres completion words" and show the words that it prints. The
// completion of the command-line library is not used: it completes neither flags after file names nor values of flags.
//
//go:embed completion.bash completion.zsh completion.fish completion.powershell
var completionScripts embed.FS

var shells = []string{"bash", "zsh", "fish", "powershell"}

// Completion returns the command superres completion.
func Completion(s *console.Streams) *cli.Command {
	return console.Command(&cli.Command{
		Name: "completion", Usage: "print a script for the completion of commands in a shell",
		ArgsUsage: "bash|zsh|fish|powershell",
		Description: `   source <(superres completion bash)               in ~/.bashrc
   source <(superres completion zsh)                in ~/.zshrc, after compinit
   superres completion fish > ~/.config/fish/completions/superres.fish
   superres completion powershell | Out-String | Invoke-Expression    in $PROFILE`,
		Action: func(c *cli.Context) error {
			if c.Args().First() == "words" { // called by the scripts
				_, err := fmt.Fprint(s.Out, answer(c.App, c.Args().Tail()))
				return err
			}
			shell, err := console.OneArgument(c, "shell")
			if err != nil {
				return err
			}
			if !slices.Contains(shells, shell) {
				return console.Usage("%s", usage.Unknown("shell", shell, shells))
			}
			script, err := completionScripts.ReadFile("completion." + shell)
			if err != nil {
				return err
			}
			_, err = s.Out.Write(script)
			return err
		},
	})
}

// answer returns the output of "superres completion words" for a script. It has one line for each word that can replace
// the last of words, with a tab and an explanation, and the line ":files" if file names can replace the last, too.
func answer(app *cli.App, words []string) string {
	list, files := completions(app, words)
	var b strings.Builder
	for _, c := range list {
		if strings.HasPrefix(c.Text, words[len(words)-1]) {
			fmt.Fprintf(&b, "%s\t%s\n", c.Text, safefile.OneLine(c.About))
		}
	}
	if files {
		b.WriteString(":files\n")
	}
	return b.String()
}
