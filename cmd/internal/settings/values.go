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

// Value is a field of a command's options that an option sets. The errors of most values follow the name of the
// option in a message, such as " 200: expected 1 to 100"; those of Custom and List name the option themselves.
type Value interface {
	// Set reads a text, checks it and stores the value.
	Set(text string) error
	// String returns the value as a text that Set reads, or nothing where there is none.
	String() string
}

// field is the value of an option whose text is read by a function.
type field[T any] struct {
	to    *T
	words []string // the only texts; none is any
	read  func(text string) (T, error)
}

func (f *field[T]) String() string  { return fmt.Sprint(*f.to) }
func (f *field[T]) Words() []string { return f.words }

func (f *field[T]) Set(text string) error {
	v, err := f.read(text)
	if err == nil {
		*f.to = v
	}
	return err
}

// Bool returns the value of a switch, which sets to and holds preset at first.
func Bool(to *bool, preset bool) Value {
	*to = preset
	return &field[bool]{to, []string{"true", "false"}, func(text string) (bool, error) {
		v, err := strconv.ParseBool(text)
		if err != nil {
			return v, fmt.Errorf(" %q: expected true or false", text)
		}
		return v, nil
	}}
}

// isBool reports whether an option that sets a value needs no text.
func isBool(v Value) bool {
	_, is := v.(*field[bool])
	return is
}

// Text returns the value of an option that takes any text, which sets to and holds preset at first.
func Text[T ~string](to *T, preset T) Value { return OneOf(to, preset) }

// OneOf is Text for an option that takes one of some words.
func OneOf[T ~string](to *T, preset T, words ...string) Value {
	*to = preset
	return &field[T]{to, words, func(text string) (T, error) {
		if len(words) > 0 && !slices.Contains(words, text) {
			return "", fmt.Errorf(": %s", usage.Unknown("value", text, words))
		}
		return T(text), nil
	}}
}

// Time returns the value of an option that takes a time above 0, of which a mere number is in seconds. It sets to and
// holds preset at first.
func Time(to *time.Duration, preset time.Duration) Value {
	*to = preset
	return &field[time.Duration]{to, nil, func(text string) (time.Duration, error) {
		word := text
		if _, err := strconv.ParseFloat(text, 64); err == nil {
			word += "s"
		}
		switch v, err := time.ParseDuration(word); {
		case err != nil:
			return 0, fmt.Errorf(" %q: expected a time such as 30s or 2m", text)
		case v <= 0:
			return 0, fmt.Errorf(" %v: expected more than no time", v)
		default:
			return v, nil
		}
	}}
}

// list is the value of an option that may be repeated.
type list struct {
	to    *[]string
	check func(text string) error
}

// List returns the value of an option that may be repeated, which appends to to what check does not refuse. A nil
// check takes all.
func List(to *[]string, check func(text string) error) Value { return &list{to, check} }

func (l *list) String() string { return strings.Join(*l.to, ",") }

func (l *list) Set(text string) error {
	*l.to = append(*l.to, text)
	if l.check == nil {
		return nil
	}
	return l.check(text)
}

// custom is the value of an option whose text is read, and stored, by a function of its own.
type custom struct {
	text string
	read func(text string) error
}

// Custom returns the value of an option whose text is read and stored by a function, which is called with preset at
// first unless that is empty.
func Custom(preset string, read func(text string) error) Value {
	if preset != "" {
		_ = read(preset) // a default is right
	}
	return &custom{preset, read}
}

// Parsed is Custom for a function that returns the value, which is stored in to.
func Parsed[T any](to *T, preset string, parse func(text string) (T, error)) Value {
	return Custom(preset, func(text string) (err error) {
		*to, err = parse(text)
		return err
	})
}

func (c *custom) String() string { return c.text }

func (c *custom) Set(text string) error {
	c.text = text
	return c.read(text)
}

// Number is the value of an option that takes a number.
type Number[T int | int64 | uint64 | float64] struct {
	to          *T
	optional    **T // in place of to, for a number that may be missing
	missing     T   // stands for one that is
	least, most *T
	is          func(T) bool // nil takes all
	factor      T
	want, unit  string // of messages
}

// Num returns the value of an option that takes a number, which sets to and holds preset at first.
func Num[T int | int64 | uint64 | float64](to *T, preset T) *Number[T] {
	*to = preset
	return &Number[T]{to: to, factor: 1}
}

// Maybe is Num for a number that may be missing: nil, which it is at first. On a command line the number missing
// stands for that, whatever the range.
func Maybe[T int | int64 | uint64 | float64](to **T, missing T) *Number[T] {
	return &Number[T]{optional: to, missing: missing, factor: 1}
}

// AtLeast refuses less.
func (n *Number[T]) AtLeast(least T) *Number[T] {
	n.least, n.want = &least, fmt.Sprintf("%v or more", least)
	if least > 0 {
		n.want = fmt.Sprintf("at least %v", least)
	}
	return n
}

// Between refuses less and more.
func (n *Number[T]) Between(least, most T) *Number[T] {
	n.least, n.most, n.want = &least, &most, fmt.Sprintf("%v to %v", least, most)
	return n
}

// If refuses numbers for which is gives false, with a message that says what is wanted.
func (n *Number[T]) If(want string, is func(T) bool) *Number[T] {
	n.is, n.want = is, want
	return n
}

// In names the unit of the number in messages. It follows AtLeast or Between.
func (n *Number[T]) In(unit string) *Number[T] {
	if n.unit = " " + unit; n.most == nil {
		n.want = fmt.Sprintf("%v or more", *n.least)
	}
	return n
}

// Times multiplies the number by a factor before it is stored, as for a size in MiB, and the default, too.
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

// Missing returns what stands for a number that is missing, or nothing where it cannot be.
func (n *Number[T]) Missing() string {
	if n.to != nil {
		return ""
	}
	return fmt.Sprint(n.missing)
}

// Range returns the least and the greatest number that the option takes, nil where any is.
func (n *Number[T]) Range() (least, most any) {
	if n.least != nil {
		least = *n.least
	}
	if n.most != nil {
		most = *n.most
	}
	return least, most
}

// Set reads a number and checks it.
func (n *Number[T]) Set(text string) error {
	v, err := parse[T](text)
	switch {
	case err != nil:
		want := "a whole number"
		switch any(v).(type) {
		case float64:
			want = "a number"
		case uint64:
			want += ", 0 or more"
		}
		if errors.Is(err, strconv.ErrRange) {
			want += " of a usual size"
		}
		return fmt.Errorf(" %q: expected %s", text, want)
	case n.to == nil && v == n.missing:
		*n.optional = nil
		return nil
	case n.least != nil && !(v >= *n.least), n.most != nil && !(v <= *n.most), n.is != nil &&
		!n.is(v): // NaN is neither
		return fmt.Errorf(" %v: expected %s%s", v, n.want, n.unit)
	case n.to == nil:
		*n.optional = &v
		return nil
	}
	*n.to = v * n.factor
	return nil
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
