package console

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/paths"
	"superres/cmd/internal/settings"
	"superres/internal/imagefile"
	"superres/internal/usage"
)

// reorder returns args, a command line as in os.Args, with flags before file names, because the command-line library
// stops at the first name. "--" ends the flags; "-" is a file name. A subcommand must follow its command directly. A
// line that begins with a picture gets the command implied. An error of an unknown command or flag suggests similar
// names.
func reorder(app *cli.App, implied string, args []string) ([]string, error) {
	if len(args) < 2 {
		return args, nil
	}
	switch first := args[1]; {
	case first == "--help" || first == "-h":
		return args[:2], nil
	case first == "--version" || first == "-v":
		return append([]string{args[0], "version"}, args[2:]...), nil
	case strings.HasPrefix(first, "-") && !paths.IsStandard(first):
		name, _, _ := strings.Cut(first, "=")
		return nil, Usage("%s; all others come after the command", usage.Unknown("flag", name, []string{"--help",
			"--version"}))
	}
	command := app.Command(args[1])
	if command == nil && app.Command(implied) != nil && isPicture(args[1]) {
		command, args = app.Command(implied), slices.Insert(slices.Clone(args), 1, implied)
	}
	switch {
	case command == nil && (args[1] == "help" || args[1] == "h"):
		return helpFor(app, args)
	case command == nil:
		return nil, unknownCommand(app, args[1])
	}
	first := 2 // the index of the command's first argument
	switch {
	case len(args) > 2 && command.Command(args[2]) != nil:
		command, first = command.Command(args[2]), 3
	case len(command.Subcommands) > 0 && command.Action == nil: // a subcommand must be named
		if err := subcommand(command, args[first:]); err != nil {
			return nil, err
		}
		return []string{args[0], args[1], "--help"}, nil
	}
	flags, files, err := parted(command, args[first:])
	switch {
	case err != nil:
		return nil, err
	case slices.Equal(flags, askedForHelp) || slices.Equal(flags, askedForAll):
		return append(slices.Clone(args[:first]), flags...), nil
	case len(files) > 0 && command.Command(files[0]) != nil:
		return nil, Usage("%s: the command %s %[1]s comes before all flags; a file of this name is ./%[1]s",
			files[0], args[1])
	}
	out := append(slices.Clone(args[:first]), flags...)
	return append(append(out, "--"), files...), nil
}

// askedForHelp and askedForAll are the flags that parted returns when the first or the second level of help is asked
// for.
var (
	askedForHelp = []string{"--help"}
	askedForAll  = []string{"--" + helpAll}
)

// parted splits the arguments of a command into flags, each as the one word --name=value with its long name, and files.
func parted(command *cli.Command, args []string) (flags, files []string, err error) {
	options := settings.Of(command)
	for rest := args; len(rest) > 0; rest = rest[1:] {
		arg := rest[0]
		if arg == "--" {
			files = append(files, rest[1:]...)
			break
		}
		if paths.IsStandard(arg) || !strings.HasPrefix(arg, "-") {
			files = append(files, arg)
			continue
		}
		shown, value, hasValue := strings.Cut(arg, "=")
		name := strings.TrimLeft(shown, "-")
		if name == "help" || name == "h" {
			_, level, _ := strings.Cut(arg, "=")
			if all := level == "all" || len(rest) > 1 && rest[1] == "all"; all && options.Find(helpAll) != nil {
				return askedForAll, nil, nil
			}
			return askedForHelp, nil, nil
		}
		o := options.Find(name)
		switch {
		case o == nil || strings.HasPrefix(shown, "---"):
			return nil, nil, unknownFlag(options.Visible(), shown)
		case !hasValue && o.TakesValue() && len(rest) == 1:
			return nil, nil, Usage("flag %s needs a value", shown)
		case !hasValue && o.TakesValue():
			rest = rest[1:]
			value = rest[0]
		case !hasValue:
			value = "true"
		}
		flags = append(flags, "--"+o.Name+"="+value)
	}
	return flags, files, nil
}

// isPicture reports whether word, where a command should be, is meant as an input: a file that exists, as when it was
// dropped on the program's icon, a name with the extension of a picture, or a folder written with a slash. Without a
// slash it may be a mistyped command.
func isPicture(word string) bool {
	info, err := os.Stat(word)
	if err == nil && info.IsDir() {
		return strings.ContainsAny(word, `/`+string(filepath.Separator))
	}
	_, noPicture := imagefile.FormatOf(word)
	return err == nil || noPicture == nil
}

// helpFor returns the command line "superres help …" in args rewritten to COMMAND --help where args name a subcommand
// or "all".
func helpFor(app *cli.App, args []string) ([]string, error) {
	if len(args) > 2 && app.Command(args[2]) == nil {
		return nil, unknownCommand(app, args[2])
	}
	if len(args) > 3 {
		of := app.Command(args[2])
		if err := subcommand(of, args[3:]); err != nil {
			return nil, err
		}
		if of.Command(args[3]) != nil {
			return []string{args[0], args[2], args[3], "--help"}, nil
		}
		if args[3] == "all" && settings.Of(of).Find(helpAll) != nil {
			return []string{args[0], args[2], askedForAll[0]}, nil
		}
	}
	return args, nil
}

// unknownCommand returns a usage error that suggests commands similar to name.
func unknownCommand(app *cli.App, name string) error {
	var names []string
	for _, c := range app.Commands {
		names = append(names, c.Names()...)
	}
	return Usage("%s", usage.Unknown("command", name, names))
}

// unknownFlag returns a usage error that suggests long flags similar to shown, the flag as typed.
func unknownFlag(options settings.Table, shown string) error {
	var long []string
	for _, o := range options {
		for _, name := range o.Dashed() {
			if len(name) > 2 {
				long = append(long, name)
			}
		}
	}
	slices.Sort(long)
	return Usage("%s", usage.Unknown("flag", shown, long))
}

// subcommand returns an error if args[0] does not name a subcommand of of; nil if it asks for help, or args or the
// subcommands are empty.
func subcommand(of *cli.Command, args []string) error {
	if len(args) == 0 || len(of.Subcommands) == 0 || of.Command(args[0]) != nil ||
		slices.Contains([]string{"help", "h", "--help", "-h"}, args[0]) {
		return nil
	}
	var names []string
	for _, c := range of.Subcommands {
		names = append(names, c.Name)
	}
	if strings.HasPrefix(args[0], "-") {
		return Usage("%s %s: expected %s first", of.Name, args[0], strings.Join(names, ", "))
	}
	return Usage("%s", usage.Unknown(of.Name+" command", args[0], names))
}
