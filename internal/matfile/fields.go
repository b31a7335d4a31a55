package matfile

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"regexp"
	"unicode"
	"unicode/utf8"
)

// maxField is the number of bytes after which a field is cut off. No number has so many digits.
const maxField = 4096

// lexer divides a text into fields and keeps one at a time, so that lines may have any length. It skips lines that
// contain only blank space and comments.
type lexer struct {
	x         *reading
	separator rune // ';', ',' or ' ', where ' ' stands for blank space of any kind and length

	field []byte // the current field, without surrounding space; cut off if too long
	line  int    // the line number of field, from 1
	last  bool   // no field follows in the line
	err   error  // the error that stopped reading

	within bool // a separator came last, so that the line has one more field, which may be empty
	ahead  rune // the first character of the next field, if it has been read already, or none

	text *bufio.Reader
	at   int64 // the offset of the next character that text returns

	variables int // number of comments that name a variable: Octave writes such a comment before each variable
}

// Values of a rune that stand for no character.
const (
	end  = -1 // the text has ended
	none = -2 // the character has not been read yet
)

// fields returns a lexer for the text from offset on, which must be the start of a line. This line gets the number 1.
func (x *reading) fields(offset int64, separator rune) *lexer {
	text := bufio.NewReaderSize(io.NewSectionReader(x.r, offset, x.size-offset), 1<<16)
	return &lexer{x: x, separator: separator, line: 1, ahead: none, text: text, at: offset}
}

// next reads the next field, with blank space inside it shortened to one space. It returns false at the end of the text
// or after an error. A field ends at the separator, at the end of the line, or at a comment, which ends the line.
func (l *lexer) next() bool {
	if l.last {
		l.line++
	}
	l.field, l.last = l.field[:0], false
	c := l.ahead
	if l.ahead = none; c == none {
		c = l.skip(l.rune())
	}
	for ; c == '\n' && !l.within; c = l.skip(l.rune()) { // skips lines without fields
		l.line++
	}
	if c == end && !l.within {
		return false
	}
	for c != end && c != '\n' && c != l.separator {
		l.keep(c)
		after := l.rune()
		if c = l.skip(after); c == after || c == end || c == '\n' {
			continue
		}
		// Blank space was skipped before c.
		if l.separator == ' ' {
			l.within, l.ahead = true, c
			return true
		}
		if c != l.separator {
			l.keep(' ') // a field that contains space, so not a number
		}
	}
	l.within = c == l.separator // then the line has one more field, even if it is empty
	l.last = !l.within
	return l.err == nil
}

// rune returns the next character, or end.
func (l *lexer) rune() rune {
	c, size, err := l.text.ReadRune()
	if err != nil {
		if !errors.Is(err, io.EOF) {
			l.err = l.x.refuse("cannot be read: %v; check the disk", err)
		}
		return end
	}
	if l.at += int64(size); c == '\ufeff' && l.at == int64(size) {
		return l.rune() // skips the byte order mark at the start of the text
	}
	return c
}

// skip returns the first character, from c on, that is neither blank space nor in a comment, maybe the end of the line
// or text. A comment goes from # to the end of its line, but #N/A is a field. "# name: " begins a variable of Octave.
func (l *lexer) skip(c rune) rune {
	for comment := false; c != end && c != '\n'; c = l.rune() {
		if c == '#' && !comment {
			after, _ := l.text.Peek(8)
			if reSpreadsheet.Match(after) {
				break
			}
			if comment = true; bytes.HasPrefix(after, []byte(" name: ")) {
				l.variables++
			}
		}
		if !comment && !isBlank(c) {
			break
		}
	}
	return c
}

// reSpreadsheet matches the text after the # in a spreadsheet cell with an error, which is not a comment.
var reSpreadsheet = regexp.MustCompile(`^(N/A|DIV/0!|VALUE!|REF!|NAME\?|NUM!|NULL!|SPILL!|CALC!)`)

func isBlank(c rune) bool {
	if c > ' ' && c < utf8.RuneSelf {
		return false
	}
	return unicode.IsSpace(c)
}

// keep adds a character to the field.
func (l *lexer) keep(c rune) {
	if len(l.field) <= maxField {
		l.field = utf8.AppendRune(l.field, c)
	}
}

// separatorFrom returns the separator in the first line with fields from offset on: a semicolon if there is one, else a
// comma if there is one, else a space for blank space.
func (x *reading) separatorFrom(offset int64) (rune, error) {
	l, found := x.fields(offset, ' '), ' '
	content := false // the line has a field
	for c := l.rune(); c != end; c = l.rune() {
		switch c = l.skip(c); {
		case c == '\n' && content:
			return found, nil
		case c == ';' || c == ',' && found == ' ':
			found = c
		}
		content = content || c != '\n'
	}
	return found, l.err
}
