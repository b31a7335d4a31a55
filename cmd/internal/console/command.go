package console

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"superres/learners/plugin"
)

// commandHelp shows a command; its Description holds the examples.
const commandHelp = `{{.HelpName}}: {{.Usage}}

EXAMPLES
{{.Description}}

USAGE
   {{.HelpName}} {{.ArgsUsage}}

FLAGS
{{range .VisibleFlags}}   {{.}}
{{end}}`

// groupHelp shows a command that is only a name for others.
const groupHelp = `{{.HelpName}}: {{.Usage}}

EXAMPLES
{{.Description}}

COMMANDS
{{range .VisibleCommands}}   {{printf "%-10s" .Name}} {{.Usage}}
{{end}}
{{.HelpName}} COMMAND --help tells the rest.
`

// Group completes a command that is only a name for others.
func Group(c *cli.Command) *cli.Command {
	c.CustomHelpTemplate = groupHelp
	c.HideHelpCommand = true
	for _, sub := range c.Subcommands {
		sub.HelpName = "superres " + c.Name + " " + sub.Name
	}
	return c
}

// Command completes a command: all have the same help and usage errors.
func Command(c *cli.Command) *cli.Command {
	c.CustomHelpTemplate = commandHelp
	c.HideHelpCommand = true // "help" may be a file
	action := c.Action
	c.Action = func(ctx *cli.Context) error {
		if c.ArgsUsage == "" && ctx.NArg() > 0 {
			return Usage("%s takes no argument, got %q", ctx.Command.Name, ctx.Args().First())
		}
		if ctx.IsSet("output") && ctx.String("output") == "" { // a variable of a script that is not set
			return Usage("-o names nothing; leave it out or give a name")
		}
		return action(ctx)
	}
	c.OnUsageError = func(_ *cli.Context, err error, _ bool) error { return Usage("%s", flagComplaint(c, err)) }
	return c
}

// badValue matches the library's words about a value that a flag cannot have.
var badValue = regexp.MustCompile(`^invalid (?:boolean )?value (".*") for (?:flag )?-([^ :]+): (.*)$`)

// flagComplaint words an error about the flags of a command.
func flagComplaint(c *cli.Command, err error) string {
	m := badValue.FindStringSubmatch(err.Error())
	if m == nil {
		return err.Error()
	}
	dashes, want := "--", "another value"
	if len(m[2]) == 1 {
		dashes = "-"
	}
	for _, f := range c.Flags {
		if !slices.Contains(f.Names(), m[2]) {
			continue
		}
		switch f.(type) {
		case *cli.BoolFlag:
			want = "true or false"
		case *cli.IntFlag, *cli.Int64Flag:
			want = "a whole number"
		case *cli.Uint64Flag:
			want = "a whole number, 0 or more"
		case *cli.Float64Flag:
			want = "a number"
		case *cli.DurationFlag:
			want = "a time such as 30s or 2m"
		}
	}
	if strings.Contains(m[3], "out of range") {
		want += " of a usual size"
	}
	return fmt.Sprintf("%s%s %s: expected %s", dashes, m[2], m[1], want)
}

// OneOf refuses a value of a flag that is not one of the words that it takes.
func OneOf(flag, value string, words ...string) error {
	if slices.Contains(words, value) {
		return nil
	}
	return Usage("--%s: %s", flag, plugin.Unknown("value", value, words))
}

// FlagOf is the flag of a command by any of its names, or nil.
func FlagOf(of *cli.Command, name string) cli.Flag {
	for _, f := range of.Flags {
		if slices.Contains(f.Names(), name) {
			return f
		}
	}
	return nil
}

// TakesValue tells whether a word follows a flag.
func TakesValue(f cli.Flag) bool {
	_, isBool := f.(*cli.BoolFlag)
	return !isBool
}

// Dashed is the name of a flag as it is typed.
func Dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// UsageOf takes the usage of a flag apart: the name of its value, "" if it has none, and
// the text.
func UsageOf(f cli.Flag) (value, text string) {
	doc, ok := f.(cli.DocGenerationFlag)
	if !ok {
		return "", ""
	}
	text = doc.GetUsage()
	if before, rest, ok := strings.Cut(text, "`"); ok {
		if name, after, ok := strings.Cut(rest, "`"); ok {
			return name, before + name + after
		}
	}
	return "", text
}

// OneArgument returns the only file name of a command.
func OneArgument(c *cli.Context, what string) (string, error) {
	switch {
	case c.NArg() == 0:
		return "", Usage("no %s; %s --help shows examples", what, c.Command.HelpName)
	case c.NArg() > 1:
		return "", Usage("%d names, expected one %s: %q and %q", c.NArg(), what, c.Args().Get(0), c.Args().Get(1))
	}
	return c.Args().First(), nil
}
