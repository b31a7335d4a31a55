package console

import (
	"strings"
	"testing"
)

// Prose is filled, and examples keep their form where they fit, or have their remarks in one column and their commands
// broken as a shell reads them.
func TestFilled(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"   superres a   one\n   superres b\n\nWords of prose\nin lines that are short.",
			"   superres a   one\n   superres b\n\nWords of prose in lines that are short."},
		{"   superres a                      a remark that is long\n   superres bcd   short\n" +
			strings.Repeat(" ", 20) + "and more",
			"   superres a       a remark that is long\n   superres bcd     short and more"},
		{"   superres --one 1 --two 2 --three 3 --four 4 in out   and words that remark on it",
			"   superres --one 1 --two 2 --three 3 --four 4 \\\n      in out        and words that remark on it"},
	} {
		if got := filled(c.text, 50); got != c.want {
			t.Errorf("got\n%s\nexpected\n%s", got, c.want)
		}
	}
}

// Headings stand above what belongs to them, which is indented like the flags of the help.
func TestSectioned(t *testing.T) {
	got := sectioned(Paragraphs("SIZES\nProse that is too long for a line.\n\nAnd more.\n\n   superres a  one\n\n"+
		"JSON\nIts events."), 24)
	want := "\nSIZES\n   Prose that is too\n   long for a line.\n\n   And more.\n\n   superres a  one\n\n" +
		"JSON\n   Its events.\n"
	if got != want {
		t.Errorf("got\n%s\nexpected\n%s", got, want)
	}
}
