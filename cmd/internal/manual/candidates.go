package manual

import (
	"strings"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/models"
	"superres/internal/settings"
)

// completions returns the words that can replace the last of words, a command line with the program first, and whether
// file names can, too. It reads the line as console.Program.Run does.
func completions(app *cli.App, words []string) (list []settings.Word, files bool) {
	if len(words) < 2 {
		return nil, false
	}
	before, last := words[1:len(words)-1], words[len(words)-1]
	if len(before) == 0 {
		return append(commandNames(app.Commands), settings.Word{Text: "help", About: "show the help of a command"}),
			false
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
		case len(before) == 0 && last != "": // for "", file names are offered, not subcommands
			list = commandNames(sub)
		}
	}
	at := standing(command, before)
	switch {
	case at.ended:
		return nil, true
	case at.flag != nil:
		return at.flag.Offers()
	case strings.HasPrefix(last, "-"):
		return flagWords(command, last)
	}
	switch name {
	case "models", "models info", "dict":
		if at.arguments == 0 {
			list = append(list, models.Words()...)
		}
	case "models remove":
		return settings.Plain(models.UserNames()), false
	case "completion":
		return settings.Plain(shells), false
	}
	return list, strings.TrimPrefix(command.ArgsUsage, "[FLAGS]") != ""
}

// helpTopics returns what can follow "superres help" and words.
func helpTopics(app *cli.App, words []string) []settings.Word {
	if len(words) == 0 {
		return commandNames(app.Commands)
	}
	if c := app.Command(words[0]); c != nil && len(words) == 1 {
		return commandNames(c.Subcommands)
	}
	return nil
}

// place describes where a word stands among the arguments of a command.
type place struct {
	flag      *settings.Option // the flag whose value the word is, or nil
	ended     bool             // true after "--", which ends the flags
	arguments int              // how many arguments before the word are no flags
}

// standing returns the place of the word after words, the arguments of the command of so far.
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
		if o := console.OptionsOf(of).Find(name); o != nil && !hasValue && o.TakesValue() {
			if i++; i == len(words) {
				at.flag = o
			}
		}
	}
	return at
}

// flagWords returns the completions of word, a "-" and more: the flags of the command of or, after "=", the values of
// the flag, among which files says that file names are, too.
func flagWords(of *cli.Command, word string) (list []settings.Word, files bool) {
	flag, _, hasValue := strings.Cut(word, "=")
	if !hasValue {
		return flagNames(of), false
	}
	o := console.OptionsOf(of).Find(strings.TrimLeft(flag, "-"))
	if o == nil {
		return nil, false
	}
	list, files = o.Offers()
	for i := range list {
		list[i].Text = flag + "=" + list[i].Text
	}
	return list, files
}

// commandNames returns the names of the commands with their Usage.
func commandNames(of []*cli.Command) (list []settings.Word) {
	for _, c := range of {
		list = append(list, settings.Word{Text: c.Name, About: c.Usage})
	}
	return list
}

// flagNames returns the visible flags of the command of with their help, those with long names first.
func flagNames(of *cli.Command) (list []settings.Word) {
	var short []settings.Word
	for _, o := range console.OptionsOf(of).Visible() {
		_, about := o.Usage()
		for _, name := range o.Dashed() {
			if len(name) == 2 {
				short = append(short, settings.Word{Text: name, About: about})
			} else {
				list = append(list, settings.Word{Text: name, About: about})
			}
		}
	}
	return append(append(list, settings.Word{Text: "--help", About: "show help"}), short...)
}
