package console

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/paths"
	"superres/internal/settings"
	"superres/internal/usage"
)

// reorder returns args, a command line as in os.Args, with flags moved before file names, because the command-line
// library stops at the first name. "--" ends the flags; "-" is a file name. A subcommand must follow its command
// directly. If the command line begins with an input or a flag, the command called implied is inserted. An error about
// an unknown command or flag says what was most likely meant.
func reorder(app *cli.App, implied string, args []string) ([]string, error) {
	if len(args) < 2 {
		return args, nil
	}
	switch first := args[1]; {
	case first == "--help" || first == "-h" || first == "-?" || first == "/?":
		return append(args[:1:1], "--help"), nil
	case first == "--version" || first == "-V" || first == "-v" && (len(args) == 2 || args[2] == "--json"):
		return append([]string{args[0], "version"}, args[2:]...), nil
	}
	command := app.Command(args[1])
	first, head := 2, args[:min(len(args), 2)] // index of the command's first argument; name of the command
	if upscale := app.Command(implied); command == nil && upscale != nil {
		switch isFlag := isFlag(args[1]); {
		case isFlag:
			if err := misplacedFlag(app, args); err != nil {
				return nil, err
			}
			fallthrough
		case isInput(args[1]):
			command, first, head = upscale, 1, []string{args[0], implied}
		}
	}
	switch {
	case command == nil && (args[1] == "help" || args[1] == "h"):
		return helpFor(app, args)
	case command == nil:
		return nil, unknownCommand(app, args[1])
	case first == 1:
	case len(args) > 2 && command.Command(args[2]) != nil:
		command, first, head = command.Command(args[2]), 3, args[:3]
	}
	head = slices.Clone(head)
	flags, files, err := splitArgs(OptionsOf(command), "superres "+strings.Join(head[1:], " "), args[first:])
	switch {
	case err != nil:
		return nil, err
	case len(flags) == 0 && slices.Equal(files, []string{"help"}) && !exists("help"):
		return append(head, askedForHelp...), nil
	case slices.Equal(flags, askedForHelp) || slices.Equal(flags, askedForAll):
		return append(head, flags...), nil
	case len(files) > 0 && command.Command(files[0]) != nil:
		return nil, Usage("%s: the command %s %[1]s comes before all flags; a file of this name is ./%[1]s",
			files[0], head[1])
	}
	return append(append(append(head, flags...), "--"), files...), nil
}

func isFlag(word string) bool { return strings.HasPrefix(word, "-") && !paths.IsStandard(word) }

// misplacedFlag returns an error if args[1], a flag, is a misspelt --help or --version, or if the name of a command
// follows later. Else the flag is for the command implied.
func misplacedFlag(app *cli.App, args []string) error {
	name := strings.TrimLeft(args[1], "-")
	if meant := usage.Meant(name, []string{"help", "version"}); meant != "" {
		return Usage("unknown flag %q; did you mean %q?", args[1], "--"+meant)
	}
	for i, word := range args {
		if i > 1 && app.Command(word) != nil && !exists(word) {
			return Usage("the command comes before its flags; begin with superres %s", word)
		}
	}
	return nil
}

// askedForHelp and askedForAll are what splitArgs returns if the command line asks for the first or second help level.
var (
	askedForHelp = []string{"--help"}
	askedForAll  = []string{"--" + helpAll}
)

// splitArgs splits args, the arguments of the command called name, into flags and file names. Each flag, one of
// options, becomes one word --LONGNAME=VALUE. If help is asked for, only askedForHelp or askedForAll is returned.
func splitArgs(options settings.Table, name string, args []string) (flags, files []string, err error) {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			files = append(files, args[i+1:]...)
			break
		}
		if err := longDash(arg); err != nil {
			return nil, nil, err
		}
		if !isFlag(arg) {
			files = append(files, arg)
			continue
		}
		shown, value, hasValue := strings.Cut(arg, "=")
		flag := strings.TrimLeft(shown, "-")
		if flag == "help" || flag == "h" || flag == "?" {
			if all := value == "all" || i+1 < len(args) && args[i+1] == "all"; all && options.Find(helpAll) != nil {
				return askedForAll, nil, nil
			}
			return askedForHelp, nil, nil
		}
		list := []short{{options.Find(flag), value, hasValue}}
		double := strings.HasPrefix(shown, "--")
		if strings.HasPrefix(shown, "-q") {
			if err := asQuality(options, args, i); err != nil {
				return nil, nil, err
			}
		}
		if list[0].option == nil && !double && !isLong(options, flag) {
			list = splitShort(options, flag, value, hasValue)
		}
		if len(list) == 0 || list[0].option == nil || strings.HasPrefix(shown, "---") {
			return nil, nil, unknownFlag(options, name, shown)
		}
		for _, f := range list {
			switch {
			case f.whole:
			case !f.option.TakesValue():
				f.value = "true"
			case i+1 == len(args):
				return nil, nil, Usage("flag %s needs a value", shown)
			default:
				i++
				f.value = args[i]
			}
			flags = append(flags, "--"+f.option.Name+"="+f.value)
		}
	}
	return flags, files, nil
}

// sizeOrScale matches text that begins like a size or a scale: 4x, x4, 400%, 1920x1080, 4K.
var sizeOrScale = regexp.MustCompile(`^[x×]?[0-9]`)

// isInput reports whether word, where a command is expected, is meant as an input: an existing file or folder, as when
// one is dropped on the program's icon, or a word like a path, a name with an extension, a pattern, an address, a size.
func isInput(word string) bool {
	return exists(word) || paths.IsStandard(word) || strings.ContainsAny(word, `./*?[=~`+string(filepath.Separator)) ||
		sizeOrScale.MatchString(word)
}

// helpFor rewrites args, the command line "superres help …", as a command line with --help for the command, subcommand
// and level of help that args name. It fails if there is no such command.
func helpFor(app *cli.App, args []string) ([]string, error) {
	if len(args) == 2 {
		return []string{args[0], "--help"}, nil
	}
	of := app.Command(args[2])
	if of == nil {
		return nil, unknownCommand(app, args[2])
	}
	level := ""
	if len(args) > 3 {
		level = args[3]
	}
	switch {
	case of.Command(level) != nil:
		return []string{args[0], args[2], level, "--help"}, nil
	case level == "all" && OptionsOf(of).Find(helpAll) != nil:
		return []string{args[0], args[2], askedForAll[0]}, nil
	case len(of.Subcommands) > 0 && !slices.Contains([]string{"", "help", "h", "--help", "-h"}, level):
		var names []string
		for _, c := range of.Subcommands {
			names = append(names, c.Name)
		}
		return nil, Usage("%s", usage.Unknown(of.Name+" command", level, names))
	}
	return []string{args[0], args[2], "--help"}, nil
}

// unknownCommand returns a usage error that says which command was most likely meant by name, if any.
func unknownCommand(app *cli.App, name string) error {
	var names []string
	for _, c := range app.Commands {
		names = append(names, c.Names()...)
	}
	meant := usage.Meant(name, names)
	if slices.Contains(upscaleElsewhere, name) && slices.Contains(names, "upscale") {
		meant = "upscale"
	}
	if meant != "" {
		return Usage("unknown command %q; did you mean %q?", name, meant)
	}
	return Usage("unknown command %q, and no file has this name; superres --help lists the commands", name)
}
