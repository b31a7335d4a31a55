package console

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"superres/internal/settings"
)

// commandHelp is the template of a command's help. It calls functions, so that a help is laid out only when it is asked
// for: for all commands this takes a fifth of the time in which the program starts.
const commandHelp = `{{.HelpName}}: {{.Usage}}

EXAMPLES
{{filled .Description}}

USAGE
   {{.HelpName}}{{arguments .}}

FLAGS
{{flags .}}`

// init gives the templates of help their functions.
func init() {
	cli.HelpPrinter = func(w io.Writer, template string, data any) {
		cli.HelpPrinterCustom(w, template, data, map[string]any{
			"filled": func(text string) string { return filled(text, Columns) }, "arguments": Arguments,
			"flags": optionsText, "briefFlags": briefText,
		})
	}
}

// Arguments returns the arguments of c for the line USAGE of the help, after a space, or "" if c has none.
func Arguments(c *cli.Command) string {
	switch {
	case c.ArgsUsage != "":
		return " " + c.ArgsUsage
	case len(OptionsOf(c).Visible()) > 0:
		return " [FLAGS]"
	}
	return ""
}

// briefHelp is the template of the first of two levels of help. Leveled sets UsageText to the examples.
const briefHelp = `{{.HelpName}}: {{.Usage}}

EXAMPLES
{{filled .UsageText}}

FLAGS
{{briefFlags .}}
{{.HelpName}} --help all has all flags, in groups, and the small print.
`

// helpAll is the name of the hidden option that shows the second level of help.
const helpAll = "help-all"

// Leveled is Command with two levels of help: --help shows examples and the options that have a Brief text; --help all,
// like the manual page, shows all options in groups, with the titles in groups.
func Leveled(c *cli.Command, examples string, groups ...string) *cli.Command {
	action, options, all := c.Action, OptionsOf(c), false
	c.Flags = append(slices.Clip(c.Flags), &settings.Option{Name: helpAll, To: settings.Bool(&all, false),
		Effect: settings.Neutral})
	c.Action = func(ctx *cli.Context) error {
		if all {
			_, err := io.WriteString(ctx.App.Writer, groupedHelp(c, options, groups))
			return err
		}
		return action(ctx)
	}
	Command(c)
	c.CustomHelpTemplate, c.UsageText = briefHelp, examples
	return c
}

// briefText returns the lines of help about the options of c that have a Brief text.
func briefText(c *cli.Command) string {
	var b strings.Builder
	for _, o := range OptionsOf(c) {
		if value, text := o.BriefUsage(); text != "" {
			writeOption(&b, o.Dashed(), value, text)
		}
	}
	return b.String()
}

// groupedHelp returns the second level of help of c: the first paragraph of c.Description, which holds the examples,
// then the options by group, in the order of groups, then the other paragraphs.
func groupedHelp(c *cli.Command, options settings.Table, groups []string) string {
	prose := Paragraphs(c.Description)
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\nEXAMPLES\n%s\n\nUSAGE\n   %s %s\n", c.HelpName, c.Usage,
		strings.Join(prose[0].Fit(Columns), "\n"), c.HelpName, c.ArgsUsage)
	for _, title := range groups {
		fmt.Fprintf(&b, "\n%s\n", strings.ToUpper(title))
		for _, o := range options {
			if o.Group == title {
				value, text := o.Usage()
				writeOption(&b, o.Dashed(), value, text)
			}
		}
	}
	b.WriteString(sectioned(prose[1:], Columns))
	return b.String()
}

// optionsText returns the lines of help about the visible options of c, and about --help.
func optionsText(c *cli.Command) string {
	var b strings.Builder
	for _, o := range OptionsOf(c).Visible() {
		value, text := o.Usage()
		writeOption(&b, o.Dashed(), value, text)
	}
	writeOption(&b, []string{"--help", "-h"}, "", "show this help")
	return b.String()
}

// writeOption appends to b the help on an option: its short name, its long name (names[0]), the name of its value
// (value) and, in a column beside these names or below them, text. Lines have at most Columns characters.
func writeOption(b *strings.Builder, names []string, value, text string) {
	const left = 25 // characters before the column of text
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
	lines := fill(text, strings.Repeat(" ", left), Columns)
	if n := utf8.RuneCountInString(head); n > left-2 { // two spaces at least come before the text
		b.WriteString(head + "\n")
	} else {
		lines[0] = head + lines[0][n:] // in place of n of the spaces with which it begins
	}
	for _, line := range lines {
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}
