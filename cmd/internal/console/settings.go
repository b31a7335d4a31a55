package console

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// Recorded returns the command line as a result records it, and the files by their base
// names, so that it is the same wherever the files lie. Flags that without names are
// left out.
func Recorded(c *cli.Context, without ...string) (command string, data []string) {
	words := Settings(c, without...)
	for _, arg := range c.Args().Slice() {
		data = append(data, filepath.Base(filepath.Clean(arg)))
		words = append(words, Quoted(data[len(data)-1]))
	}
	return strings.Join(words, " "), data
}

// noSettings are the flags that decide no result, in any command.
var noSettings = []string{"output", "on-exist", "shard", "progress", "quiet", "jobs", "max-memory", "max-pixels", "help"}

// Settings returns the command with all flags that decide its result, defaults too, but
// for those that without names, as words for a shell.
func Settings(c *cli.Context, without ...string) []string {
	words := []string{"superres " + c.Command.Name}
	for _, f := range c.Command.Flags {
		name := f.Names()[0]
		if slices.Contains(noSettings, name) || slices.Contains(without, name) {
			continue
		}
		value := fmt.Sprint(c.Value(name))
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
