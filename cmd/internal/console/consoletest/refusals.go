package consoletest

import (
	"slices"
	"strings"
	"testing"
)

// Refusal is a command line that the program must refuse.
type Refusal struct {
	// Args are the arguments.
	Args []string
	// Code is the exit code.
	Code int
	// Want is a part of the error message.
	Want string
}

// Refuses checks that the program, run in the folder dir, refuses each command line in list: with a single line of
// error, the right exit code, and no new file.
func (p Program) Refuses(t *testing.T, dir string, list []Refusal) {
	t.Helper()
	before := Tree(t, dir)
	for _, c := range list {
		stdout, stderr, code := p.Call(t, dir, "", c.Args...)
		if code != c.Code || !strings.Contains(stderr, c.Want) || strings.Count(stderr, "\n") != 1 ||
			!strings.HasPrefix(stderr, "superres: ") || stdout != "" {
			t.Errorf("%v: exit %d, expected %d with %q\n%s%s", c.Args, code, c.Code, c.Want, stdout, stderr)
		}
		if after := Tree(t, dir); !slices.Equal(before, after) {
			t.Fatalf("%v left files: %v", c.Args, after)
		}
	}
}

// RefusedLine is a Refusal with its arguments in one text. It is an alias, so that tables need not name the fields.
type RefusedLine = struct {
	Line string
	Code int
	Want string
}

// RefusesLines is like Refuses. Each command line is the words of command, followed by the words of a line.
func (p Program) RefusesLines(t *testing.T, dir, command string, lines []RefusedLine) {
	t.Helper()
	var list []Refusal
	for _, l := range lines {
		list = append(list, Refusal{strings.Fields(command + " " + l.Line), l.Code, l.Want})
	}
	p.Refuses(t, dir, list)
}
