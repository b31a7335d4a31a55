// Package manual contains the commands superres man, superres completion and superres version, each in a file of that
// name. The manual page, and the words that candidates.go offers for completion, are made from the commands and their
// options, so that nothing is written twice.
package manual

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
)

// Man returns the command superres man.
func Man(s *console.Streams) *cli.Command {
	return console.Command(&cli.Command{
		Name: "man", Usage: "print the manual page",
		Description: `   superres man | man -l -
   superres man > ~/.local/share/man/man1/superres.1`,
		Action: func(c *cli.Context) error { return page(c.App, s.Out) },
	})
}

// exitCodes are the exit codes, as text, and their meanings in the manual page.
var exitCodes = []struct {
	codes, text string
}{
	{fmt.Sprint(console.ExitOK), "all done"},
	{fmt.Sprint(console.ExitNothing), "nothing usable was made"},
	{fmt.Sprint(console.ExitUsage), "wrong usage; or the program has crashed, for lack of memory say, and says " +
		"panic or fatal error"},
	{fmt.Sprint(console.ExitSome), "some files failed, others are done"},
	{fmt.Sprint(console.ExitInput), "an input is missing, cannot be read, is damaged or no picture"},
	{fmt.Sprint(console.ExitOutput), "an output exists or cannot be written, or two inputs have the same"},
	{fmt.Sprint(console.ExitModel), "a model is missing or damaged"},
	{fmt.Sprint(console.ExitLimit), "a limit: pixels, memory or time"},
	{"129, 130, 143", "interrupted; finished files are whole"},
	{"141", "nobody reads the standard output any more; finished files are whole"},
}

// page writes the manual page of app to w, in the macros of man(7), from the help texts of the commands.
func page(app *cli.App, w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH SUPERRES 1 \"\" \"superres %s\" \"User Commands\"\n", console.Version)
	fmt.Fprintf(&b, ".SH NAME\nsuperres \\- %s\n", roff(app.Usage))
	b.WriteString(".SH SYNOPSIS\n.B superres\n.I COMMAND\n[\\fIFLAGS\\fR] [\\fIFILE\\fR...]\n")
	b.WriteString(".SH DESCRIPTION\nFlags may stand before and after names of files;\n.B \\-\\-\nends them, " +
		"and\n.B \\-\nis standard input or output.\n" +
		"Data goes to standard output, all else to standard error.\n" +
		".PP\nFiles are written whole or not at all, one bad file does not end a folder, and an\ninterruption " +
		"leaves nothing half made.\n" +
		"No command but\n.B models get\nuses the network.\n" +
		"The same input, flags and seed give the same bytes, with any number of processors.\n")
	b.WriteString(".SH COMMANDS\n")
	for _, c := range app.VisibleCommands() {
		manualOf(&b, "superres "+c.Name, c)
		for _, sub := range c.VisibleCommands() {
			manualOf(&b, "superres "+c.Name+" "+sub.Name, sub)
		}
	}
	b.WriteString(".SH EXIT STATUS\n")
	for _, e := range exitCodes {
		fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", e.codes, roff(e.text))
	}
	b.WriteString(".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nno progress bar, as where\n.B TERM\nis\n.BR dumb .\n" +
		".TP\n.B SUPERRES_MODELS\nthe folder of your models, in which\n.B superres models add\nwrites networks of " +
		"other programs.\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// manualOf writes the subsection of the command c, whose full name is name, such as "superres models add".
func manualOf(b *strings.Builder, name string, c *cli.Command) {
	fmt.Fprintf(b, ".SS %s \\- %s\n", roff(name), roff(c.Usage))
	fmt.Fprintf(b, ".B %s\n%s\n", roff(name), roff(strings.TrimSpace(console.Arguments(c))))
	const indented = 7 // columns by which man indents the text of a subsection
	for _, p := range console.Paragraphs(c.Description) {
		b.WriteString(".PP\n")
		switch text := roff(strings.Join(p.Fit(console.Columns-indented), "\n")); p.Kind {
		case console.Examples:
			fmt.Fprintf(b, ".nf\n%s\n.fi\n", text)
		case console.Heading:
			fmt.Fprintf(b, ".B %s\n", text)
		default:
			b.WriteString(text + "\n")
		}
	}
	for _, o := range console.OptionsOf(c).Visible() {
		value, about := o.Usage()
		var names []string
		for _, name := range o.Dashed() {
			names = append(names, "\\fB"+roff(name)+"\\fR")
		}
		head := strings.Join(names, ", ")
		if value != "" {
			head += " \\fI" + roff(value) + "\\fR"
		}
		fmt.Fprintf(b, ".TP\n%s\n%s\n", head, roff(about))
	}
}

// roff returns text escaped for roff: nothing in it is taken for a request or an escape, hyphens, quotes, ^ and ~ are
// printed as they are, and characters beyond ASCII are given by number.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", "\\(ga", "^", `\(ha`, "~", `\(ti`).Replace(text)
	var b strings.Builder
	for _, r := range text {
		if r > '~' {
			fmt.Fprintf(&b, `\[u%04X]`, r)
		} else {
			b.WriteRune(r)
		}
	}
	lines := strings.Split(b.String(), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
