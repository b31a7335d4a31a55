package settings

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"superres/internal/usage"
)

// Value is a field of a command's options that an option sets. Those of this package give
// errors that follow the name of the option in a message, such as " 200: expected 1 to 100".
type Value interface {
	// Set reads a text and checks it.
	Set(text string) error
	// String returns the value as a text that Set reads, or nothing where there is none.
	String() string
}

// isBool tells whether an option that sets a value needs no text.
func isBool(v Value) bool {
	_, is := v.(*boolean)
	return is
}

// boolean is the value of a switch.
type boolean struct{ to *bool }

// Bool returns the value of a switch, which sets to and holds preset at first.
func Bool(to *bool, preset bool) Value {
	*to = preset
	return &boolean{to}
}

func (b *boolean) String() string { return strconv.FormatBool(*b.to) }

func (b *boolean) Set(text string) error {
	v, err := strconv.ParseBool(text)
	if err != nil {
		return fmt.Errorf(" %q: expected true or false", text)
	}
	*b.to = v
	return nil
}

// Words returns the values.
func (b *boolean) Words() []string { return []string{"true", "false"} }

// text is the value of an option that takes any text, or one of some words.
type text[T ~string] struct {
	to    *T
	words []string
}

// Text returns the value of an option that takes any text, which sets to and holds preset at
// first.
func Text[T ~string](to *T, preset T) Value {
	*to = preset
	return &text[T]{to: to}
}

// OneOf is Text for an option that takes one of some words.
func OneOf[T ~string](to *T, preset T, words ...string) Value {
	*to = preset
	return &text[T]{to, words}
}

func (t *text[T]) String() string { return string(*t.to) }

func (t *text[T]) Set(text string) error {
	if len(t.words) > 0 && !slices.Contains(t.words, text) {
		return fmt.Errorf(": %s", usage.Unknown("value", text, t.words))
	}
	*t.to = T(text)
	return nil
}

// Words returns the words that the option takes: none is any.
func (t *text[T]) Words() []string { return t.words }

// pick is the value of an option that takes one of some words, each of which stands for another
// value.
type pick[T any] struct {
	to    *T
	text  string
	cases []Case[T]
}

// Case is a word that stands for a value.
type Case[T any] struct {
	Word  string
	Value T
}

// Pick returns the value of an option that takes a word, which sets to to the value that the word
// stands for. The first case is the default.
func Pick[T any](to *T, cases ...Case[T]) Value {
	*to = cases[0].Value
	return &pick[T]{to, cases[0].Word, cases}
}

func (p *pick[T]) String() string { return p.text }

func (p *pick[T]) Set(text string) error {
	for _, c := range p.cases {
		if c.Word == text {
			*p.to, p.text = c.Value, text
			return nil
		}
	}
	return fmt.Errorf(": %s", usage.Unknown("value", text, p.Words()))
}

// Words returns the words that the option takes.
func (p *pick[T]) Words() (words []string) {
	for _, c := range p.cases {
		words = append(words, c.Word)
	}
	return words
}

// list is the value of an option that may be repeated.
type list struct {
	to    *[]string
	check func(text string) error
}

// List returns the value of an option that may be repeated, which appends to to what check does
// not refuse. A nil check takes all; its errors name the option themselves.
func List(to *[]string, check func(text string) error) Value { return &list{to, check} }

func (l *list) String() string { return strings.Join(*l.to, ",") }

func (l *list) Set(text string) error {
	*l.to = append(*l.to, text)
	if l.check == nil {
		return nil
	}
	return l.check(text)
}

// period is the value of an option that takes a time.
type period struct{ to *time.Duration }

// Time returns the value of an option that takes a time above 0, of which a mere number is in
// seconds. It sets to and holds preset at first.
func Time(to *time.Duration, preset time.Duration) Value {
	*to = preset
	return &period{to}
}

func (p *period) String() string { return p.to.String() }

func (p *period) Set(text string) error {
	word := text
	if _, err := strconv.ParseFloat(text, 64); err == nil {
		word += "s"
	}
	v, err := time.ParseDuration(word)
	switch {
	case err != nil:
		return fmt.Errorf(" %q: expected a time such as 30s or 2m", text)
	case v <= 0:
		return fmt.Errorf(" %v: expected more than no time", v)
	}
	*p.to = v
	return nil
}

// custom is the value of an option whose text is read by a function.
type custom struct {
	text string
	read func(text string) error
}

// Custom returns the value of an option whose text is read by a function of its own, which is
// called with preset at first unless that is empty. The errors of the function name the option
// themselves.
func Custom(preset string, read func(text string) error) Value {
	c := &custom{preset, read}
	if preset != "" {
		_ = read(preset) // a default is right
	}
	return c
}

func (c *custom) String() string { return c.text }

func (c *custom) Set(text string) error {
	c.text = text
	return c.read(text)
}

// Number is the value of an option that takes a number.
type Number[T int | int64 | uint64 | float64] struct {
	to       *T
	optional **T // in place of to, for a number that may be missing
	missing  T   // stands for one that is
	least    *T
	most     *T
	check    func(T) bool
	factor   T
	want     string // replaces what messages say of the range
	unit     string
}

// Num returns the value of an option that takes a number, which sets to and holds preset at
// first.
func Num[T int | int64 | uint64 | float64](to *T, preset T) *Number[T] {
	*to = preset
	return &Number[T]{to: to, factor: 1}
}

// Maybe is Num for a number that may be missing: nil, which it is at first. On a command line
// the number missing stands for that, whatever the range.
func Maybe[T int | int64 | uint64 | float64](to **T, missing T) *Number[T] {
	return &Number[T]{optional: to, missing: missing, factor: 1}
}

// AtLeast refuses less.
func (n *Number[T]) AtLeast(least T) *Number[T] { n.least = &least; return n }

// Between refuses less and more.
func (n *Number[T]) Between(least, most T) *Number[T] { n.least, n.most = &least, &most; return n }

// If refuses numbers for which is gives false, with a message that says what is wanted.
func (n *Number[T]) If(want string, is func(T) bool) *Number[T] { n.check, n.want = is, want; return n }

// In names the unit of the number in messages.
func (n *Number[T]) In(unit string) *Number[T] { n.unit = " " + unit; return n }

// Times multiplies the number by a factor before it is stored, as for a size in MiB. It is
// applied to the default, too.
func (n *Number[T]) Times(factor T) *Number[T] {
	n.factor = factor
	*n.to *= factor
	return n
}

// String returns the number, or what stands for one that is missing.
func (n *Number[T]) String() string {
	switch {
	case n.to != nil:
		return fmt.Sprint(*n.to / n.factor)
	case *n.optional != nil:
		return fmt.Sprint(**n.optional)
	}
	return fmt.Sprint(n.missing)
}

// Missing returns what stands for a number that is missing; ok is false for one that cannot be.
func (n *Number[T]) Missing() (text string, ok bool) { return fmt.Sprint(n.missing), n.to == nil }

// Set reads a number and checks it.
func (n *Number[T]) Set(text string) error {
	v, err := parse[T](text)
	if err != nil {
		want := map[bool]string{true: "a number", false: "a whole number"}[isFloat[T]()]
		if _, unsigned := any(v).(uint64); unsigned {
			want += ", 0 or more"
		}
		if errors.Is(err, strconv.ErrRange) {
			want += " of a usual size"
		}
		return fmt.Errorf(" %q: expected %s", text, want)
	}
	if n.to == nil && v == n.missing {
		*n.optional = nil
		return nil
	}
	inside := (n.least == nil || v >= *n.least) && (n.most == nil || v <= *n.most) && (n.check == nil || n.check(v))
	if !inside {
		return fmt.Errorf(" %v: expected %s%s", v, n.wanted(), n.unit)
	}
	if n.to != nil {
		*n.to = v * n.factor
	} else {
		*n.optional = &v
	}
	return nil
}

// wanted says which numbers the option takes.
func (n *Number[T]) wanted() string {
	switch {
	case n.want != "":
		return n.want
	case n.most != nil:
		return fmt.Sprintf("%v to %v", *n.least, *n.most)
	case *n.least > 0 && n.unit == "":
		return fmt.Sprintf("at least %v", *n.least)
	}
	return fmt.Sprintf("%v or more", *n.least)
}

// Range returns the least and the greatest number that the option takes, nil where any is.
func (n *Number[T]) Range() (least, most *float64) {
	if n.least != nil {
		v := float64(*n.least)
		least = &v
	}
	if n.most != nil {
		v := float64(*n.most)
		most = &v
	}
	return least, most
}

// isFloat tells whether a type of numbers has fractions.
func isFloat[T int | int64 | uint64 | float64]() bool {
	_, is := any(*new(T)).(float64)
	return is
}

// parse reads a number as the command line of Go programs does.
func parse[T int | int64 | uint64 | float64](text string) (v T, err error) {
	switch to := any(&v).(type) {
	case *int:
		var wide int64
		wide, err = strconv.ParseInt(text, 0, strconv.IntSize)
		*to = int(wide)
	case *int64:
		*to, err = strconv.ParseInt(text, 0, 64)
	case *uint64:
		*to, err = strconv.ParseUint(text, 0, 64)
	case *float64:
		*to, err = strconv.ParseFloat(text, 64)
	}
	return v, err
}
