// Package settings has one record for every option of a command: the source of command-line flags, both levels of help,
// completion, the manual page, what a result records and --resume compares, and request parameters.
//
// Read option.go first, with the record and a table of records; then values.go, the typed fields that an option sets.
package settings

import (
	"flag"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Effect says whether the value of an option affects the bytes of a result.
type Effect int

const (
	// Changes is the effect of an option that decides the bytes. It is the zero value, so --resume compares by default.
	Changes Effect = iota
	// Elsewhere is the effect of an option that decides the bytes only through something else that --resume compares,
	// such as the size of a result or the weights of a model.
	Elsewhere
	// Neutral is the effect of an option that never decides the bytes.
	Neutral
)

// Option is one option of a command. *Option implements cli.Flag of the command-line library, github.com/urfave/cli.
type Option struct {
	Name    string   // the long name, without dashes
	Aliases []string // other names, without dashes, of one letter or more
	// To is the field of the command's options that Set sets. Its value before the first Set is the default.
	To Value
	// Help says what the option does, with the name of its value in backquotes. An option without Help is hidden.
	Help string
	// Brief is the text in the first level of help. An option without Brief appears only in the second level.
	Brief  string
	Group  string // the heading above the option in the second level of help
	Effect Effect // whether the value decides the bytes of a result
	Noted  bool   // output files record the value if it is not the default
	// Path: the value is a file name, or several separated by commas; a result records base names only.
	Path    bool
	Request bool          // a request to superres serve may set the option
	Kinds   []string      // the names of the kinds, such as kinds of models, to which the option applies; nil: all
	Words   func() []Word // returns values for completion besides those that To lists; may be nil

	given  bool
	preset string // the default, stored by the first Set
	err    error  // the error of the last Set; nil if it succeeded
}

// Word is a value that completion offers.
type Word struct {
	Text  string // the value as it is typed
	About string // says in a few words what the value means; may be empty
}

// Plain returns texts as words without About.
func Plain(texts []string) (words []Word) {
	for _, text := range texts {
		words = append(words, Word{Text: text})
	}
	return words
}

// Offer returns a function, for Option.Words, that returns texts as words without About.
func Offer(texts ...string) func() []Word { return func() []Word { return Plain(texts) } }

// Set sets the option to the value in text. Its error is one line that names the option.
func (o *Option) Set(text string) error {
	if !o.given {
		o.preset = o.To.String()
	}
	o.given = true
	o.err = o.To.Set(text)
	switch o.To.(type) {
	case *custom, *list: // their errors name the option already
	default:
		if o.err != nil {
			o.err = fmt.Errorf("--%s%w", o.Name, o.err)
		}
	}
	return o.err
}

// Given reports whether Set was called, even with the default value.
func (o *Option) Given() bool { return o.given }

// Default returns the default as text.
func (o *Option) Default() string {
	if o.given {
		return o.preset
	}
	return o.To.String()
}

// TakesValue reports whether the option needs a value on a command line; a switch does not.
func (o *Option) TakesValue() bool { return !isBool(o.To) }

// Usage returns the name of the value in Help, such as FILE, or "" if Help has none, and Help followed by the default.
func (o *Option) Usage() (value, text string) {
	value, text = unquoted(o.Help)
	return value, text + o.defaultText()
}

// BriefUsage returns the name of the value, and Brief followed by the default. Both are empty if Brief is.
func (o *Option) BriefUsage() (value, text string) {
	if o.Brief == "" {
		return "", ""
	}
	value, _ = unquoted(o.Help)
	return value, o.Brief + o.defaultText()
}

// defaultText returns " (default: …)", or "" for a switch and where the default is empty, 0, or a missing number.
func (o *Option) defaultText() string {
	preset := o.Default()
	if !o.TakesValue() || preset == "" || preset == "0" || preset == o.missing() {
		return ""
	}
	return " (default: " + preset + ")"
}

// missing returns the text that stands for a missing number, or "" if To was not made by Maybe.
func (o *Option) missing() string {
	if number, ok := o.To.(interface{ Missing() string }); ok {
		return number.Missing()
	}
	return ""
}

// unquoted returns the first text in backquotes in help, or "" if there is none, and help without the backquotes.
func unquoted(help string) (value, text string) {
	f := flag.Flag{Usage: help, Value: new(custom)}
	value, text = flag.UnquoteUsage(&f)
	if text == help { // no backquotes: value is a name that package flag made up
		value = ""
	}
	return value, text
}

// Offers returns the values that completion offers, and whether the value name in Help asks it to offer file names too.
func (o *Option) Offers() (words []Word, files bool) {
	if list, ok := o.To.(interface{ Words() []string }); ok {
		words = Plain(list.Words())
	}
	if o.Words != nil {
		words = append(words, o.Words()...)
	}
	value, _ := unquoted(o.Help)
	return words, strings.Contains(value, "FILE") || value == "PATH" || value == "DIR"
}

// Recorded returns the values of o for the record of how a result was made, as texts that Set takes. An option that may
// be repeated has any number of values, as they are. Others have one, or none if it is the empty text; if o.Path is
// set, it is a path, or several with commas between them, of which only the base names are recorded.
func (o *Option) Recorded() []string {
	if list, ok := o.To.(*list); ok {
		return *list.to
	}
	text := o.To.String()
	switch {
	case text == "":
		return nil
	case o.Path:
		names := strings.Split(text, ",")
		for i, name := range names {
			names[i] = filepath.Base(name)
		}
		text = strings.Join(names, ",")
	}
	return []string{text}
}

// Dashed returns the names of the option with their dashes, the long name first.
func (o *Option) Dashed() []string {
	list := []string{"--" + o.Name}
	for _, name := range o.Aliases {
		if len(name) == 1 {
			list = append(list, "-"+name)
		} else {
			list = append(list, "--"+name)
		}
	}
	return list
}

// Names implements cli.Flag. Aliases are left out, since reorder in package console replaces them by Name.
func (o *Option) Names() []string { return []string{o.Name} }
func (o *Option) IsSet() bool     { return o.given }
func (o *Option) String() string  { return o.Name }

func (o *Option) Apply(set *flag.FlagSet) error {
	set.Var(flagValue{o}, o.Name, o.Help) // without aliases: see Names
	return nil
}

// flagValue implements flag.Value for an Option.
type flagValue struct{ o *Option }

// Set always returns nil; Table.Err returns the error later, so that all options are read before an error is reported.
func (v flagValue) Set(text string) error {
	_ = v.o.Set(text)
	return nil
}

func (v flagValue) IsBoolFlag() bool { return v.o != nil && isBool(v.o.To) }

func (v flagValue) String() string {
	if v.o == nil { // package flag calls String of a zero value
		return ""
	}
	return v.o.To.String()
}

// Table holds the options of a command, in the order in which help shows them and results record them.
type Table []*Option

// Find returns the option with the Name or alias name, or nil if there is none.
func (t Table) Find(name string) *Option {
	for _, o := range t {
		if o.Name == name || slices.Contains(o.Aliases, name) {
			return o
		}
	}
	return nil
}

// Given reports whether any option with a Name in names was given.
func (t Table) Given(names ...string) bool {
	return slices.ContainsFunc(t, func(o *Option) bool { return o.given && slices.Contains(names, o.Name) })
}

// Visible returns the options that are not hidden.
func (t Table) Visible() Table { return t.where(func(o *Option) bool { return o.Help != "" }) }

// Requested returns the options that a request to superres serve may set.
func (t Table) Requested() Table { return t.where(func(o *Option) bool { return o.Request }) }

// Without returns the options except those with a Name in names.
func (t Table) Without(names ...string) Table {
	return t.where(func(o *Option) bool { return !slices.Contains(names, o.Name) })
}

// where returns the options for which the function is returns true.
func (t Table) where(is func(*Option) bool) (list Table) {
	for _, o := range t {
		if is(o) {
			list = append(list, o)
		}
	}
	return list
}

// Names returns the Name of each option.
func (t Table) Names() (names []string) {
	for _, o := range t {
		names = append(names, o.Name)
	}
	return names
}

// dashed matches the long name of an option with its dashes.
var dashed = regexp.MustCompile(`--([a-z]+(?:-[a-z]+)*)`)

// Undashed returns text, such as an error, after removing the dashes before names of options of t, as in a request.
func (t Table) Undashed(text string) string {
	return dashed.ReplaceAllStringFunc(text, func(flag string) string {
		if slices.Contains(t.Names(), flag[2:]) {
			return flag[2:]
		}
		return flag
	})
}

// Err returns the error of the first option in the table whose last Set failed, or nil.
func (t Table) Err() error {
	for _, o := range t {
		if o.err != nil {
			return o.err
		}
	}
	return nil
}

// Description is an option as JSON, for another program or a web page.
type Description struct {
	Name string `json:"name"`
	Help string `json:"help"`
	// Default is the default as text. It is empty for an option that has no value until it is given.
	Default string   `json:"default"`
	Values  []string `json:"values,omitempty"` // the values that completion offers
	// Least and Most are the smallest and largest number allowed, nil where there is no such limit.
	Least any `json:"least,omitempty"`
	Most  any `json:"most,omitempty"`
}

// Describe returns one Description for each option, in the order of the table.
func (t Table) Describe() (list []Description) {
	for _, o := range t {
		_, help := unquoted(o.Help)
		d := Description{Name: o.Name, Help: help, Default: o.Default()}
		words, _ := o.Offers()
		for _, w := range words {
			d.Values = append(d.Values, w.Text)
		}
		if number, ok := o.To.(interface{ Range() (least, most any) }); ok {
			d.Least, d.Most = number.Range()
		}
		list = append(list, d)
	}
	return list
}
