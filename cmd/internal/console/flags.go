package console

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

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

// DefaultOf is the default of a flag, to follow its usage; nothing where it is none, zero or
// empty.
func DefaultOf(f cli.Flag) string {
	doc, ok := f.(cli.DocGenerationFlag)
	if !ok || !TakesValue(f) {
		return ""
	}
	switch text := strings.Trim(doc.GetDefaultText(), `"`); text {
	case "", "0":
		return ""
	default:
		return " (default: " + text + ")"
	}
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
