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

// Value reads and holds the value of an option. For most values, the text of an error continues the name of the option,
// such as " 200: expected 1 to 100"; errors of Custom and List name the option themselves.
type Value interface {
	// Set reads the value in text, checks it and stores it.
	Set(text string) error
	// String returns the value as a text for Set, or "" if there is no value.
	String() string
}

// field is a Value whose method Set calls read and stores the result in *to.
type field[T any] struct {
	to    *T
	words []string // the allowed texts; nil allows all
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

// Bool returns the Value of a switch, true or false, stored in *to. Like the functions below, it sets *to to preset.
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

// isBool reports whether v is a switch, which needs no value on a command line.
func isBool(v Value) bool {
	_, is := v.(*field[bool])
	return is
}

// Text returns a Value that accepts any text and stores it in *to.
func Text[T ~string](to *T, preset T) Value { return OneOf(to, preset) }

// OneOf returns a Value that accepts the texts in words, or any text if there are none, and stores it in *to.
func OneOf[T ~string](to *T, preset T, words ...string) Value {
	*to = preset
	return &field[T]{to, words, func(text string) (T, error) {
		if len(words) > 0 && !slices.Contains(words, text) {
			return "", fmt.Errorf(": %s", usage.Unknown("value", text, words))
		}
		return T(text), nil
	}}
}

// Time returns a Value that accepts a duration above 0, such as 2m, or a number of seconds, and stores it in *to.
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

// list is the Value that List returns.
type list struct {
	to    *[]string
	check func(text string) error
}

// List returns the Value of an option that may be repeated. Set appends to *to, then fails if check, unless nil, does.
func List(to *[]string, check func(text string) error) Value { return &list{to, check} }
func (l *list) String() string                               { return strings.Join(*l.to, ",") }

func (l *list) Set(text string) error {
	*l.to = append(*l.to, text)
	if l.check == nil {
		return nil
	}
	return l.check(text)
}

// custom is the Value that Custom returns.
type custom struct {
	text string
	read func(text string) error
}

// Custom returns a Value that calls read at each Set, and first with preset unless that is ""; read stores the value.
func Custom(preset string, read func(text string) error) Value {
	if preset != "" {
		_ = read(preset) // a default is valid, so there is no error
	}
	return &custom{preset, read}
}

// Parsed is like Custom, but stores in *to the value that parse returns.
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

// Number is a Value for numbers.
type Number[T int | int64 | uint64 | float64] struct {
	to          *T
	optional    **T // replaces to, which is then nil, for a number that may be missing
	missing     T   // the typed number that means nil
	least, most *T
	is          func(T) bool // the condition from If; nil accepts all
	factor      T            // what Set multiplies a number by; 1 without Times
	want, unit  string       // for errors: the allowed numbers, and the unit with a blank before it
}

// Num returns a Value that stores a number in *to, which starts as preset.
func Num[T int | int64 | uint64 | float64](to *T, preset T) *Number[T] {
	*to = preset
	return &Number[T]{to: to, factor: 1}
}

// Maybe returns a Value for a number that may be missing: *to is then nil, as before the first Set. On a command line,
// a number equal to the argument missing means nil, even if it is outside the range.
func Maybe[T int | int64 | uint64 | float64](to **T, missing T) *Number[T] {
	return &Number[T]{optional: to, missing: missing, factor: 1}
}

// AtLeast makes Set reject numbers below least. It changes n and returns it, as the methods below do.
func (n *Number[T]) AtLeast(least T) *Number[T] {
	n.least, n.want = &least, fmt.Sprintf("%v or more", least)
	if least > 0 {
		n.want = fmt.Sprintf("at least %v", least)
	}
	return n
}

// Between makes Set reject numbers below least or above most.
func (n *Number[T]) Between(least, most T) *Number[T] {
	n.least, n.most, n.want = &least, &most, fmt.Sprintf("%v to %v", least, most)
	return n
}

// If makes Set reject numbers for which allows returns false. want describes allowed numbers in errors: "0 to 255".
func (n *Number[T]) If(want string, allows func(T) bool) *Number[T] {
	n.is, n.want = allows, want
	return n
}

// In adds the unit to errors, and words the limit from AtLeast as "1 or more pixels". It follows AtLeast or Between.
func (n *Number[T]) In(unit string) *Number[T] {
	if n.unit = " " + unit; n.most == nil {
		n.want = fmt.Sprintf("%v or more", *n.least)
	}
	return n
}

// Times makes Set multiply the number by factor, and multiplies the default: by 1<<20 for MiB. n must be from Num.
func (n *Number[T]) Times(factor T) *Number[T] {
	n.factor = factor
	*n.to *= factor
	return n
}

// String returns the number as typed, before Times multiplies it. If the number is missing, String returns n.missing.
func (n *Number[T]) String() string {
	switch {
	case n.to != nil:
		return fmt.Sprint(*n.to / n.factor)
	case *n.optional != nil:
		return fmt.Sprint(**n.optional)
	}
	return fmt.Sprint(n.missing)
}

// Missing returns the text that means a missing number, or "" if the number cannot be missing.
func (n *Number[T]) Missing() string {
	if n.to != nil {
		return ""
	}
	return fmt.Sprint(n.missing)
}

// Range returns the smallest and the largest number allowed, as typed, before Times; nil where there is no such limit.
func (n *Number[T]) Range() (least, most any) {
	if n.least != nil {
		least = *n.least
	}
	if n.most != nil {
		most = *n.most
	}
	return least, most
}

// Set reads the number in text, checks it and stores it: from Num in *n.to, times the factor; from Maybe, for which
// n.to is nil, as a new number in *n.optional, or there nil for n.missing. Errors name no option.
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
		!n.is(v): // comparisons with NaN are false, so NaN is refused
		return fmt.Errorf(" %v: expected %s%s", v, n.want, n.unit)
	case n.to == nil:
		*n.optional = &v
		return nil
	}
	*n.to = v * n.factor
	return nil
}

// parse reads a number as package flag does: base prefixes such as 0x are allowed for integers.
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
