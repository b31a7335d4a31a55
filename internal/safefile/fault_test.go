package safefile

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

// checkRefusal fails the test unless err is one line of class that starts with the name and contains want.
func checkRefusal(t testing.TB, err, class error, name, want string) {
	t.Helper()
	if !errors.Is(err, class) {
		t.Fatalf("error %v is no %q", err, class)
	}
	for _, other := range []error{ErrInput, ErrOutput, ErrLimit} {
		if other != class && errors.Is(err, other) {
			t.Errorf("error %v is a %q as well", err, other)
		}
	}
	text := err.Error()
	if !strings.HasPrefix(text, name+": ") || !strings.Contains(text, want) || strings.ContainsAny(text, "\n\r") {
		t.Errorf("got  %q\nwant %q and then %q", text, name, want)
	}
}

// checkRemedy fails the test unless err offers want.
func checkRemedy(t testing.TB, err error, want Remedy) {
	t.Helper()
	if f, ok := errors.AsType[*Fault](err); !ok || f.Remedy != want {
		t.Errorf("%v: expected the remedy %q", err, want)
	}
}

// Of a name that is longer than any file's a message has both ends.
func TestLongNames(t *testing.T) {
	for _, letter := range []string{"a", "ä", "\xff"} {
		for _, n := range []int{199, 200} {
			if name := strings.Repeat(letter, n); Shortened(name) != name {
				t.Errorf("%d characters were cut", n)
			}
		}
		name := "in/" + strings.Repeat(letter, 4000) + ".png"
		got := Shortened(name)
		ends := strings.HasPrefix(got, "in/"+letter) && strings.HasSuffix(got, letter+".png")
		if utf8.RuneCountInString(got) != 200 || !ends || !strings.Contains(got, letter+"..."+letter) {
			t.Errorf("%d characters: %q", utf8.RuneCountInString(got), got)
		}
		text := Refuse(ErrInput, name, "is empty").Error()
		if len(text) > 1000 || !strings.HasSuffix(text, ": is empty") {
			t.Errorf("%d bytes: %s", len(text), text)
		}
	}
}

func TestOddNamesStayOnOneLine(t *testing.T) {
	for _, name := range []string{"a\nb.png", "a\x1b[2Jb.png", "a\xffb.png", "a\u202eb.png"} {
		got := Refuse(ErrInput, name, "is\nempty").Error()
		if strings.ContainsAny(got, "\n\x1b\u202e") || !utf8.ValidString(got) || !strings.HasPrefix(got, `"a`) ||
			!strings.HasSuffix(got, ": is empty") {
			t.Errorf("%q: got %q", name, got)
		}
	}
	if got := Refuse(ErrInput, "größe 1.png", "is empty").Error(); got != "größe 1.png: is empty" {
		t.Errorf("got %q", got)
	}
}

// A fault is given a name once.
func TestNamed(t *testing.T) {
	nameless := Refuse(ErrLimit, "", "is large").With(MoreTime)
	err, ok := Named(nameless, "a.png")
	if !ok || err.Error() != "a.png: is large" || nameless.Name != "" {
		t.Errorf("%v, %v", err, ok)
	}
	checkRemedy(t, err, MoreTime)
	if again, ok := Named(err, "b.png"); !ok || again != err {
		t.Errorf("%v, %v", again, ok)
	}
	if _, ok := Named(errors.New("no fault"), "a.png"); ok {
		t.Error("a fault where there is none")
	}
}
