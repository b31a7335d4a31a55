package console

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/settings"
)

// commandHelp shows a command; its Description begins with the examples, and its UsageText is its flags, by Command.
const commandHelp = `{{.HelpName}}: {{.Usage}}

EXAMPLES
{{.Description}}

USAGE
   {{.HelpName}} {{.ArgsUsage}}

FLAGS
{{.UsageText}}`

// briefHelp is the first level of a help in two; the UsageText is all that it has to say, by Leveled.
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

// helpAll is the hidden option of a command with a help in two levels that shows the second.
const helpAll = "help-all"

// Leveled completes a command as Command does, with a help in two levels: --help shows some examples and the options
// that have a brief help, and --help all shows all options, in the groups of these titles. The manual page has the
// second level.
func Leveled(c *cli.Command, examples string, groups ...string) *cli.Command {
	action, options, all := c.Action, settings.Of(c), false
	c.Flags = append(options, &settings.Option{Name: helpAll, To: settings.Bool(&all, false),
		Effect: settings.Neutral}).Flags()
	c.Action = func(ctx *cli.Context) error {
		if all {
			_, err := io.WriteString(ctx.App.Writer, groupedHelp(c, options, groups))
			return err
		}
		return action(ctx)
	}
	Command(c)
	var brief strings.Builder
	brief.WriteString(examples + "\n\nFLAGS\n")
	for _, o := range options {
		if value, text := o.BriefUsage(); text != "" {
			writeOption(&brief, o.Dashed(), value, text)
		}
	}
	c.CustomHelpTemplate, c.UsageText = briefHelp, brief.String()
	return c
}

// groupedHelp returns the second level of help.
func groupedHelp(c *cli.Command, options settings.Table, groups []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\nEXAMPLES\n%s\n\nUSAGE\n   %[1]s %s\n", c.HelpName, c.Usage, c.Description, c.ArgsUsage)
	for _, title := range groups {
		fmt.Fprintf(&b, "\n%s\n", strings.ToUpper(title))
		for _, o := range options {
			if o.Group == title {
				value, text := o.Usage()
				writeOption(&b, o.Dashed(), value, text)
			}
		}
	}
	return b.String()
}

// optionsText returns the options of a command for its help.
func optionsText(options settings.Table) string {
	var b strings.Builder
	for _, o := range options.Visible() {
		value, text := o.Usage()
		writeOption(&b, o.Dashed(), value, text)
	}
	writeOption(&b, []string{"--help", "-h"}, "", "show this help")
	return b.String()
}

// writeOption writes the names of an option, the long one first, and beside them what it is for, in lines of 96
// columns at most.
func writeOption(b *strings.Builder, names []string, value, text string) {
	const left, width = 28, 96
	head := "       "
	for _, name := range names {
		if len(name) == 2 {
			head = "   " + name + ", "
		}
	}
	head += names[0]
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
