package manual

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/models"
	"superres/learners"
	"superres/learners/sparse"
	"superres/superres"
	embedded "superres/superres/models"
)

// candidate is a word that can stand where a line is completed.
type candidate struct{ word, about string }

// completions lists what can stand in the place of the last of the words, of which the
// first is the program, and tells whether names of files can, too. It takes lines apart as
// console.Program does.
func completions(app *cli.App, words []string) (list []candidate, files bool) {
	if len(words) < 2 {
		return nil, false
	}
	before, last := words[1:len(words)-1], words[len(words)-1]
	if len(before) == 0 {
		return append(commandNames(app.Commands), candidate{"help", "show the help of a command"}), false
	}
	if before[0] == "help" {
		return helpTopics(app, before[1:]), false
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
	at := standing(command, before)
	switch {
	case at.ended:
		return nil, true
	case at.flag != nil:
		return flagValues(at.flag)
	case strings.HasPrefix(last, "-"):
		return flagWords(command, last)
	}
	switch name {
	case "models", "dict show", "dict export":
		if at.arguments == 0 {
			list = append(list, plain(embedded.Names())...)
		}
	case "completion":
		return plain(shells), false
	}
	return list, strings.TrimPrefix(command.ArgsUsage, "[FLAGS]") != ""
}

// helpTopics lists what can follow the words after superres help.
func helpTopics(app *cli.App, words []string) []candidate {
	if len(words) == 0 {
		return commandNames(app.Commands)
	}
	if c := app.Command(words[0]); c != nil && len(words) == 1 {
		return commandNames(c.Subcommands)
	}
	return nil
}

// place is where in the arguments of a command a word stands.
type place struct {
	flag      cli.Flag // whose value the word is; nil: of none
	ended     bool     // all flags, by "--"
	arguments int      // before it that are not flags
}

// standing is the place behind some words of a command.
func standing(of *cli.Command, words []string) (at place) {
	for i := 0; i < len(words); i++ {
		word := words[i]
		switch {
		case word == "--":
			return place{ended: true}
		case word == "-" || !strings.HasPrefix(word, "-"):
			at.arguments++
			continue
		}
		name, _, hasValue := strings.Cut(strings.TrimLeft(word, "-"), "=")
		if f := console.FlagOf(of, name); f != nil && !hasValue && console.TakesValue(f) {
			if i++; i == len(words) {
				at.flag = f
			}
		}
	}
	return at
}

// flagWords lists what a word that begins like a flag can become: a flag, or one with its
// value.
func flagWords(of *cli.Command, word string) (list []candidate, files bool) {
	flag, _, hasValue := strings.Cut(word, "=")
	if !hasValue {
		return flagNames(of), false
	}
	f := console.FlagOf(of, strings.TrimLeft(flag, "-"))
	if f == nil {
		return nil, false
	}
	list, files = flagValues(f)
	for i := range list {
		list[i].word = flag + "=" + list[i].word
	}
	return list, files
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
	"degradation":   {"bicubic", "box"},
	"denoise":       {"auto", "0", "1"},
	"depth":         {"same", "8", "16"},
	"effort":        superres.Efforts(),
	"format":        {"png", "jpeg", "bmp", "tiff"},
	"metadata":      {"keep", "strip"},
	"on-exist":      {"fail", "skip", "overwrite"},
	"on-unreadable": {"skip", "fail"},
	"progress":      {"auto", "bar", "plain", "none"},
	"protocol":      {"matlab-y", "nfe", "single", "pooled", "open", "images"},
	"symmetries":    {"all", "none"},
	"task":          {"restore", "enlarge"},
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
