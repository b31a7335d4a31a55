package console

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/settings"
)

// Recording is how a command line is recorded. The zero value leaves no option out that
// decides the result.
type Recording struct {
	// Without are the names of options that are left out besides.
	Without []string
}

// Recorded records a command line as it is: see Recording.Command.
func Recorded(c *cli.Context) (command string, data []string) { return Recording{}.Command(c) }

// Settings are those of a command line as it is: see Recording.Settings.
func Settings(c *cli.Context) []string { return Recording{}.Settings(c) }

// Command returns the command line as a result records it, and the files by their base
// names, so that it is the same wherever the files lie.
func (r Recording) Command(c *cli.Context) (command string, data []string) {
	words := r.Settings(c)
	for _, arg := range c.Args().Slice() {
		data = append(data, filepath.Base(filepath.Clean(arg)))
		words = append(words, Quoted(data[len(data)-1]))
	}
	return strings.Join(words, " "), data
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

// Settings returns the command with all options that decide its result, defaults too, as
// words for a shell.
func (r Recording) Settings(c *cli.Context) []string {
	words := []string{"superres " + c.Command.Name}
	for _, o := range settings.Of(c.Command) {
		if o.Effect == settings.Neutral || slices.Contains(r.Without, o.Name) {
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
