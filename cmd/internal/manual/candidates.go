package manual

import (
	"strings"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/models"
	"superres/internal/settings"
)

// completions returns the words that can replace the last of words, a command line from the program on, and whether
// file names can replace it, too. There are no completions after a first word that is no command.
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
	return list, strings.TrimPrefix(command.ArgsUsage, "[FLAGS]") != "" // commands with arguments take file names
}

// helpTopics returns the words that can follow "superres help" and words in a command line.
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
	flag      *settings.Option // the flag that takes the word as its value, or nil
	ended     bool             // true after "--", which ends the flags
	arguments int              // how many arguments before the word are neither flags nor values of flags
}

// standing returns the place of the word that follows words, the arguments of command so far: the flag that it is the
// value of, else how many arguments precede it, and whether -- has ended the flags.
func standing(command *cli.Command, words []string) (at place) {
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
		if o := console.OptionsOf(command).Find(name); o != nil && !hasValue && o.TakesValue() {
			if i++; i == len(words) { // the value is the word after words
				at.flag = o
			}
		}
	}
	return at
}

// flagWords returns the completions of word, which begins with "-": flags of command or, if word contains "=", values
// of the flag. files says whether file names are values of the flag, too.
func flagWords(command *cli.Command, word string) (list []settings.Word, files bool) {
	flag, _, hasValue := strings.Cut(word, "=")
	if !hasValue {
		return flagNames(command), false
	}
	o := console.OptionsOf(command).Find(strings.TrimLeft(flag, "-"))
	if o == nil {
		return nil, false
	}
	list, files = o.Offers()
	for i := range list {
		list[i].Text = flag + "=" + list[i].Text
	}
	return list, files
}

// commandNames returns the names of the commands, each with its Usage.
func commandNames(commands []*cli.Command) (list []settings.Word) {
	for _, c := range commands {
		list = append(list, settings.Word{Text: c.Name, About: c.Usage})
	}
	return list
}

// flagNames returns the visible flags of command with their help, long names first. --help is none of the options of a
// command: the command-line library gives it to every command.
func flagNames(command *cli.Command) (list []settings.Word) {
	var short []settings.Word
	for _, o := range console.OptionsOf(command).Visible() {
		_, about := o.Usage()
		for _, name := range o.Dashed() {
			if len(name) == 2 { // as -o
				short = append(short, settings.Word{Text: name, About: about})
			} else {
				list = append(list, settings.Word{Text: name, About: about})
			}
		}
	}
	return append(append(list, settings.Word{Text: "--help", About: "show help"}), short...)
}
