package console

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// Recording is how a command line is recorded. The zero value leaves no flag out that
// decides the result, and takes all values from the command line.
type Recording struct {
	// Without are flags that are left out.
	Without []string
	// Values are those of flags whose defaults depend on other flags. They are taken in
	// place of what the command line has.
	Values map[string]any
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

// noSettings are the flags that decide no result, in any command.
var noSettings = []string{"output", "on-exist", "shard", "progress", "quiet", "jobs", "max-memory", "max-pixels", "help"}

// Settings returns the command with all flags that decide its result, defaults too, as
// words for a shell.
func (r Recording) Settings(c *cli.Context) []string {
	words := []string{"superres " + c.Command.Name}
	for _, f := range c.Command.Flags {
		name := f.Names()[0]
		if slices.Contains(noSettings, name) || slices.Contains(r.Without, name) {
			continue
		}
		value := fmt.Sprint(c.Value(name))
		if v, ok := r.Values[name]; ok {
			value = fmt.Sprint(v)
		}
		switch f.(type) {
		case *cli.BoolFlag:
			words = append(words, "--"+name+"="+value)
			continue
		case *cli.StringSliceFlag:
			for _, one := range c.StringSlice(name) {
				words = append(words, "--"+name, Quoted(one))
			}
			continue
		}
		if value != "" {
			words = append(words, "--"+name, Quoted(value))
		}
	}
	return words
}
