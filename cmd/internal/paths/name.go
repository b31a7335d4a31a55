package paths

import (
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Name is a file name or an argument of a command line that can be written as JSON without loss. File names may
// have any bytes but zero, while strings in JSON are UTF-8; so a byte that is not part of valid UTF-8 is
// encoded as a zero byte and its two hexadecimal digits: "a\xff.png" becomes "a\u0000ff.png" in JSON. All other
// names are written as they are.
//
// Note: no name has a zero byte, so the encoding is unique, and all readers of JSON keep it, unlike half of a
// surrogate pair.
type Name string

// Names returns texts as names, nil for nil.
func Names(texts []string) []Name {
	if texts == nil {
		return nil
	}
	list := make([]Name, len(texts))
	for i, text := range texts {
		list[i] = Name(text)
	}
	return list
}

// Texts returns names as texts.
func Texts(names []Name) []string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = string(name)
	}
	return list
}

// MarshalText returns the encoded name. The error is always nil.
func (n Name) MarshalText() ([]byte, error) {
	text := make([]byte, 0, len(n))
	for rest := string(n); rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		if r == 0 || r == utf8.RuneError && size == 1 {
			text = fmt.Appendf(text, "\x00%02x", rest[0])
		} else {
			text = append(text, rest[:size]...)
		}
		rest = rest[size:]
	}
	return text, nil
}

// UnmarshalText decodes what MarshalText returns.
func (n *Name) UnmarshalText(text []byte) error {
	before, rest, found := strings.Cut(string(text), "\x00")
	name := before
	for found {
		var b [1]byte
		if len(rest) < 2 {
			return fmt.Errorf("the name %q ends after a zero byte, expected two hexadecimal digits", text)
		}
		if _, err := hex.Decode(b[:], []byte(rest[:2])); err != nil {
			return fmt.Errorf("the name %q has a zero byte before %q, expected two hexadecimal digits", text, rest[:2])
		}
		before, rest, found = strings.Cut(rest[2:], "\x00")
		name += string(b[:]) + before
	}
	*n = Name(name)
	return nil
}
