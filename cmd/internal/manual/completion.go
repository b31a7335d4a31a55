package manual

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/models"
	"superres/internal/safefile"
	"superres/learners"
	"superres/learners/plugin"
	"superres/learners/sparse"
	"superres/superres"
	"superres/superres/anchored"
	embedded "superres/superres/models"
)

// The scripts are thin: they hand the words of the line to "superres completion words"
// and show what it says. The completion of the command-line library knows neither
// flags behind file names nor any values.
//
//go:embed completion.bash completion.zsh completion.fish
var completionScripts embed.FS

var shells = []string{"bash", "zsh", "fish"}

// Completion is superres completion.
func Completion(s *console.Streams) *cli.Command {
	return console.Command(&cli.Command{
		Name: "completion", Usage: "print a script by which a shell completes commands, flags and values", ArgsUsage: "bash|zsh|fish",
		Description: `   source <(superres completion bash)               in ~/.bashrc
   source <(superres completion zsh)                in ~/.zshrc, after compinit
   superres completion fish > ~/.config/fish/completions/superres.fish`,
		Action: func(c *cli.Context) error {
			if c.Args().First() == "words" { // what the scripts ask
				_, err := fmt.Fprint(s.Out, completionText(c.App, c.Args().Tail()))
				return err
			}
			shell, err := console.OneArgument(c, "shell")
			if err != nil {
				return err
			}
			if !slices.Contains(shells, shell) {
				return console.Usage("%s", plugin.Unknown("shell", shell, shells))
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

// candidate is a word that can stand where a line is completed.
type candidate struct{ word, about string }

// completionText is the answer to a script: a line for each word, after a tab what it is
// about, and the line ":files" where names of files can stand, too.
func completionText(app *cli.App, words []string) string {
	list, files := completions(app, words)
	var b strings.Builder
	for _, c := range list {
		if strings.HasPrefix(c.word, words[len(words)-1]) {
			fmt.Fprintf(&b, "%s\t%s\n", c.word, safefile.OneLine(c.about))
		}
	}
	if files {
		b.WriteString(":files\n")
	}
	return b.String()
}

// completions lists what can stand in the place of the last of the words, of which the
// first is the program. It takes lines apart as reorder does.
func completions(app *cli.App, words []string) (list []candidate, files bool) {
	if len(words) < 2 {
		return nil, false
	}
	before, last := words[1:len(words)-1], words[len(words)-1]
	if len(before) > 0 && before[0] == "help" {
		before = before[1:]
		if len(before) == 0 {
			return commandNames(app.Commands), false
		}
		if c := app.Command(before[0]); c != nil && len(before) == 1 {
			return commandNames(c.Subcommands), false
		}
		return nil, false
	}
	if len(before) == 0 {
		return append(commandNames(app.Commands), candidate{"help", "show the help of a command"}), false
	}
	command := app.Command(before[0])
	if command == nil {
		return nil, false
	}
	name := command.Name
	before = before[1:]
	if sub := command.Subcommands; len(sub) > 0 {
		switch {
		case len(before) > 0 && command.Command(before[0]) != nil:
			command, before = command.Command(before[0]), before[1:]
			name += " " + command.Name
		case command.Action == nil && len(before) > 0:
			return nil, false
		case command.Action == nil:
			return commandNames(sub), false
		case len(before) == 0 && last != "": // else it is taken before a file can be named
			list = commandNames(sub)
		}
	}
	arguments := 0 // that are not flags
	for i := 0; i < len(before); i++ {
		word := before[i]
		switch {
		case word == "--":
			return nil, true
		case word == "-" || !strings.HasPrefix(word, "-"):
			arguments++
			continue
		}
		flag, _, hasValue := strings.Cut(strings.TrimLeft(word, "-"), "=")
		if f := console.FlagOf(command, flag); f != nil && !hasValue && console.TakesValue(f) {
			if i++; i == len(before) {
				return flagValues(f)
			}
		}
	}
	if strings.HasPrefix(last, "-") {
		if flag, _, hasValue := strings.Cut(last, "="); hasValue {
			f := console.FlagOf(command, strings.TrimLeft(flag, "-"))
			if f == nil {
				return nil, false
			}
			list, files = flagValues(f)
			for i := range list {
				list[i].word = flag + "=" + list[i].word
			}
			return list, files
		}
		return flagNames(command), false
	}
	switch name {
	case "models", "dict show", "dict export":
		if arguments == 0 {
			list = append(list, plain(embedded.Names())...)
		}
	case "completion":
		return plain(shells), false
	}
	return list, strings.TrimPrefix(command.ArgsUsage, "[FLAGS]") != ""
}

// commandNames lists commands.
func commandNames(of []*cli.Command) (list []candidate) {
	for _, c := range of {
		list = append(list, candidate{c.Name, c.Usage})
	}
	return list
}

// flagNames lists the flags of a command, the long ones first.
func flagNames(of *cli.Command) (list []candidate) {
	var short []candidate
	for _, f := range of.VisibleFlags() {
		_, about := console.UsageOf(f)
		for _, name := range f.Names() {
			if len(name) == 1 {
				short = append(short, candidate{console.Dashed(name), about})
			} else {
				list = append(list, candidate{console.Dashed(name), about})
			}
		}
	}
	if console.FlagOf(of, "help") == nil {
		list = append(list, candidate{"--help", "show help"})
	}
	return append(list, short...)
}

// knownValues are the words that flags of some names take; those that the usage of a
// flag has are for it.
var knownValues = map[string][]string{
	"degradation": {"bicubic", "box"},
	"depth":       {"same", "8", "16"},
	"effort":      superres.Efforts(),
	"format":      {"png", "jpeg", "bmp", "tiff"},
	"metadata":    {"keep", "strip"},
	"on-exist":    {"fail", "skip", "overwrite"},
	"progress":    {"auto", "bar", "plain", "none"},
	"protocol":    {"matlab-y", "nfe", "single", "pooled", "open", "images"},
	"symmetries":  {"all", "none"},
	"task":        {"restore", "enlarge"},
}

// flagValues lists the values of a flag.
func flagValues(f cli.Flag) (list []candidate, files bool) {
	value, about := console.UsageOf(f)
	name := f.Names()[0]
	switch name {
	case "model", "models":
		list = plain(embedded.Names())
		if strings.Contains(about, models.Auto+" is ") {
			list = append(list, candidate{models.Auto, "the best for each picture"})
		}
	case "learner", "learners":
		for _, info := range learners.List() {
			list = append(list, candidate{info.Name, info.Summary})
		}
		if kmeans := anchored.SphericalMeans; strings.Contains(about, kmeans) {
			list = append(list, candidate{kmeans, "spherical k-means, of anchored stages"})
		}
	case "coder":
		for _, info := range sparse.List() {
			list = append(list, candidate{info.Name, info.Summary})
		}
	default:
		words := strings.FieldsFunc(about, func(r rune) bool { return strings.ContainsRune(" ,:;()", r) })
		for _, v := range knownValues[name] {
			if slices.Contains(words, v) {
				list = append(list, candidate{v, ""})
			}
		}
	}
	return list, strings.Contains(value, "FILE") || value == "PATH" || value == "DIR"
}

// plain lists words that need no word about them.
func plain(words []string) (list []candidate) {
	for _, w := range words {
		list = append(list, candidate{w, ""})
	}
	return list
}
