package console

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"
)

// commandHelp shows a command; its Description begins with the examples, and its UsageText
// is its flags, by Command.
const commandHelp = `{{.HelpName}}: {{.Usage}}

EXAMPLES
{{.Description}}

USAGE
   {{.HelpName}} {{.ArgsUsage}}

FLAGS
{{.UsageText}}`

// briefHelp is the first level of a help in two; the UsageText is all that it has to say, by
// Leveled.
const briefHelp = `{{.HelpName}}: {{.Usage}}

EXAMPLES
{{.UsageText}}
{{.HelpName}} --help all has all flags, in groups, and the small print.
`

// groupHelp shows a command that is only a name for others.
const groupHelp = `{{.HelpName}}: {{.Usage}}

EXAMPLES
{{.Description}}

COMMANDS
{{range .VisibleCommands}}   {{printf "%-10s" .Name}} {{.Usage}}
{{end}}
{{.HelpName}} COMMAND --help tells the rest.
`

// helpAll is the hidden flag of a command with a help in two levels that shows the second.
const helpAll = "help-all"

// Levels are the two levels of a help.
type Levels struct {
	// Examples are those of the first level.
	Examples string
	// Flags are those of the first level, in the words of people who want no others.
	Flags []BriefFlag
	// Groups are all flags, for the second level.
	Groups []FlagGroup
}

// BriefFlag is a flag in the first level of a help.
type BriefFlag struct {
	// Name is that of the flag.
	Name string
	// Value is the name of its value. Empty is none.
	Value string
	// Text says what it is for.
	Text string
}

// FlagGroup is some flags of a command that belong together.
type FlagGroup struct {
	// Title is what they are about.
	Title string
	// Names are those of the flags.
	Names []string
}

// Leveled completes a command as Command does, with a help in two levels: --help shows the
// first and --help all the second. The manual page has the second.
func Leveled(c *cli.Command, l Levels) *cli.Command {
	action, flags := c.Action, c.Flags
	c.Flags = append(flags[:len(flags):len(flags)], &cli.BoolFlag{Name: helpAll, Hidden: true})
	c.Action = func(ctx *cli.Context) error {
		if ctx.Bool(helpAll) {
			return l.all(ctx.App.Writer, c, flags)
		}
		return action(ctx)
	}
	Command(c)
	var brief strings.Builder
	brief.WriteString(l.Examples + "\n\nFLAGS\n")
	for _, f := range l.Flags {
		names := FlagOf(c, f.Name).Names()
		writeFlag(&brief, names, f.Value, f.Text)
	}
	c.CustomHelpTemplate, c.UsageText = briefHelp, brief.String()
	return c
}

// all writes the second level.
func (l Levels) all(w io.Writer, c *cli.Command, flags []cli.Flag) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\nEXAMPLES\n%s\n\nUSAGE\n   %[1]s %s\n", c.HelpName, c.Usage, c.Description, c.ArgsUsage)
	for _, g := range l.Groups {
		fmt.Fprintf(&b, "\n%s\n", strings.ToUpper(g.Title))
		for _, name := range g.Names {
			f := FlagOf(c, name)
			value, text := UsageOf(f)
			writeFlag(&b, f.Names(), value, text+DefaultOf(f))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// flagsText is the flags of a command for its help.
func flagsText(flags []cli.Flag) string {
	var b strings.Builder
	for _, f := range flags {
		value, text := UsageOf(f)
		writeFlag(&b, f.Names(), value, text+DefaultOf(f))
	}
	writeFlag(&b, []string{"help", "h"}, "", "show this help")
	return b.String()
}

// writeFlag writes the names of a flag and, beside them, what it is for, in lines that a
// terminal has room for.
func writeFlag(b *strings.Builder, names []string, value, text string) {
	const left, width = 28, 96
	head := "       "
	for _, n := range names {
		if len(n) == 1 {
			head = "   -" + n + ", "
		}
	}
	head += "--" + names[0]
	if value != "" {
		head += " " + value
	}
	line := head + strings.Repeat(" ", max(left-utf8.RuneCountInString(head), 2))
	if utf8.RuneCountInString(head) > left-2 {
		b.WriteString(head + "\n")
		line = strings.Repeat(" ", left)
	}
	at := left
	for i, word := range strings.Fields(text) {
		if n := utf8.RuneCountInString(word); i > 0 && at+1+n > width {
			b.WriteString(line + "\n")
			line, at = strings.Repeat(" ", left)+word, left+n
		} else if i > 0 {
			line, at = line+" "+word, at+1+n
		} else {
			line, at = line+word, at+n
		}
	}
	b.WriteString(strings.TrimRight(line, " ") + "\n")
}
