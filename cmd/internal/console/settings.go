package console

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/settings"
)

// Recorded returns a command line as a result records it, without some options besides those that never decide a
// result, and the names of its files without folders, so that both are the same wherever the files lie.
func Recorded(c *cli.Context, without ...string) (command string, files []string) {
	words := Settings(c, without...)
	for _, arg := range c.Args().Slice() {
		files = append(files, filepath.Base(filepath.Clean(arg)))
		words = append(words, Quoted(files[len(files)-1]))
	}
	return strings.Join(words, " "), files
}

// typedKey is that of the words of a command line in a context.
type typedKey struct{}

// Typed returns the command line as it was typed, in words for a shell.
func Typed(c *cli.Context) string {
	args, _ := c.Context.Value(typedKey{}).([]string)
	var words []string
	for i, arg := range args {
		if i == 0 {
			arg = c.App.Name // wherever the program lies
		}
		words = append(words, Quoted(arg))
	}
	return strings.Join(words, " ")
}

// Settings returns the command with all options that decide its result, defaults too, as words for a shell.
func Settings(c *cli.Context, without ...string) []string {
	words := []string{"superres " + c.Command.Name}
	for _, o := range settings.Of(c.Command) {
		if o.Effect == settings.Neutral || slices.Contains(without, o.Name) {
			continue
		}
		for _, value := range o.Recorded() {
			if o.TakesValue() {
				words = append(words, "--"+o.Name, Quoted(value))
			} else {
				words = append(words, "--"+o.Name+"="+value)
			}
		}
	}
	return words
}
