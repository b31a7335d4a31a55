package console

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"superres/internal/settings"
)

// Recorded returns the command line of c as it is recorded in a result: Settings(c, without...), then the base names of
// the arguments, so that the text does not depend on folders. files holds these base names, not quoted.
func Recorded(c *cli.Context, without ...string) (command string, files []string) {
	words := Settings(c, without...)
	for _, arg := range c.Args().Slice() {
		files = append(files, filepath.Base(filepath.Clean(arg)))
		words = append(words, Quoted(files[len(files)-1]))
	}
	return strings.Join(words, " "), files
}

// CommandLine returns Settings(c) and the arguments of c unchanged, quoted for a shell.
func CommandLine(c *cli.Context) string {
	words := Settings(c)
	for _, arg := range c.Args().Slice() {
		words = append(words, Quoted(arg))
	}
	return strings.Join(words, " ")
}

// typedKey is the key of the context value with the words of the command line, a []string.
type typedKey struct{}

// Typed returns the command line as it was typed, quoted for a shell.
func Typed(c *cli.Context) string {
	args, _ := c.Context.Value(typedKey{}).([]string)
	var words []string
	for i, arg := range args {
		if i == 0 {
			arg = c.App.Name // not the path by which the program was started
		}
		words = append(words, Quoted(arg))
	}
	return strings.Join(words, " ")
}

// Settings returns the command of c and its options that affect the result, except options in without, shell-quoted.
func Settings(c *cli.Context, without ...string) []string {
	words := []string{"superres " + c.Command.Name}
	for _, o := range OptionsOf(c.Command) {
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
