// Package plugin keeps the registries of what is plugged in by a spec: learners and
// coders. It is what another module needs beside package learners or sparse to add its
// own: [Info] describes a plug-in, [Errorf] makes the error about settings that mean
// nothing.
//
// A plug-in is written in a spec, "name" or "name:key=value,key=value"; a comma between
// quotes belongs to the value, which keeps the quotes. Its parameters are declared by itself as flags of a flag.FlagSet, so their names,
// defaults and help reach the command line without a second list.
package plugin

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Info describes one plug-in of a registry.
type Info[T any] struct {
	// Name is in lower case, and unique in its registry.
	Name string
	// Summary says in a line what it computes.
	Summary string
	// Reference is the paper that it implements.
	Reference string
	// Argument names the parameter that a spec gives first and without its name, and that
	// it must give: "name:VALUE,key=value". The default is that there is none.
	Argument string
	// New makes a value with its default parameters, each bound to a flag of fs. A value
	// with a method Check() error tells there which parameters mean nothing, so that
	// they are refused with the spec, before any work.
	New func(fs *flag.FlagSet) T
}

// Param is one parameter of a plug-in, as users see it.
type Param struct{ Name, Default, Usage string }

// Params lists the parameters of the plug-in by name.
func (info Info[T]) Params() []Param {
	fs := newFlagSet(info.Name)
	info.New(fs)
	var list []Param
	fs.VisitAll(func(f *flag.Flag) { list = append(list, Param{f.Name, f.DefValue, f.Usage}) })
	return list
}

// Registry is a sorted set of plug-ins of one kind. Concurrent use is safe.
type Registry[T any] struct {
	// Kind names the kind in errors: "learner", "coder".
	Kind string

	mu  sync.RWMutex
	all []Info[T] // sorted by name
}

// ErrSettings is wrapped by errors about what was asked for, as opposed to the
// data it was asked for.
var ErrSettings = errors.New("wrong settings")

type settingsError string

func (e settingsError) Error() string        { return string(e) }
func (e settingsError) Is(target error) bool { return target == ErrSettings }

// Errorf returns an error that wraps ErrSettings. It does not wrap others.
func Errorf(format string, args ...any) error { return settingsError(fmt.Sprintf(format, args...)) }

// Register adds a plug-in. It panics when the name is taken or empty.
func (r *Registry[T]) Register(info Info[T]) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i, found := r.find(info.Name)
	if found || info.Name == "" || info.New == nil {
		panic(fmt.Sprintf("plugin: %s %q is registered twice, or has no name or no New", r.Kind, info.Name))
	}
	r.all = slices.Insert(r.all, i, info)
}

// find is called with the lock held.
func (r *Registry[T]) find(name string) (int, bool) {
	return slices.BinarySearchFunc(r.all, name, func(i Info[T], name string) int { return strings.Compare(i.Name, name) })
}

func (r *Registry[T]) lookup(name string) (Info[T], bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if i, found := r.find(name); found {
		return r.all[i], true
	}
	return Info[T]{}, false
}

// List returns the registered plug-ins sorted by name.
func (r *Registry[T]) List() []Info[T] {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.Clone(r.all)
}

// Names returns the registered names, sorted.
func (r *Registry[T]) Names() []string {
	var names []string
	for _, info := range r.List() {
		names = append(names, info.Name)
	}
	return names
}

// New makes the plug-in that spec names, with the parameters it gives:
// "ksvd", "ksvd:exact=false". The error for an unknown name or parameter lists
// the known ones; it and the error for a value that means nothing wrap ErrSettings.
func (r *Registry[T]) New(spec string) (T, error) {
	var zero T
	name, params, _ := strings.Cut(spec, ":")
	info, found := r.lookup(name)
	if !found {
		return zero, Errorf("%s", Unknown(r.Kind, name, r.Names()))
	}
	fs := newFlagSet(name)
	value := info.New(fs)
	for i, pair := range Split(params) {
		if pair == "" {
			continue
		}
		key, text, ok := strings.Cut(pair, "=")
		if i == 0 && info.Argument != "" {
			key, text, ok = info.Argument, pair, true
		} else if fs.Lookup(key) == nil || key == info.Argument {
			var known []string
			fs.VisitAll(func(f *flag.Flag) {
				if f.Name != info.Argument {
					known = append(known, f.Name)
				}
			})
			return zero, Errorf("%s", Unknown(r.Kind+" "+name+": parameter", key, known))
		}
		if !ok {
			return zero, Errorf("%s %s: parameter %s has no value; write %s:%s=VALUE", r.Kind, name, key, name, key)
		}
		if err := fs.Set(key, text); err != nil {
			return zero, Errorf("%s %s: %s=%s: %v", r.Kind, name, key, text, err)
		}
	}
	if c, ok := any(value).(interface{ Check() error }); ok {
		if err := c.Check(); err != nil {
			return zero, err
		}
	}
	return value, nil
}

// Split splits a text at its commas, but for those between quotes, of either kind.
func Split(text string) []string {
	var quote rune
	return strings.Split(strings.Map(func(r rune) rune {
		switch {
		case quote == 0 && r == ',':
			return separator
		case quote == 0 && (r == '"' || r == '\''):
			quote = r
		case quote == r:
			quote = 0
		}
		return r
	}, text), string(separator))
}

// separator stands for a comma that separates: no text that people write has it.
const separator = '\x00'

// Program is a plug-in that has a program outside do its work. A spec of one that comes
// from a file nobody has looked at is not to be used: it names what is to be run.
type Program interface {
	// Fingerprint tells the program from others of the same spec.
	Fingerprint() (string, error)
}

// Fingerprint is that of the programs among plug-ins, which belongs to what decides a
// result beside their specs. It is empty when none is a program.
func Fingerprint(plugins ...any) (string, error) {
	var list []string
	for _, p := range plugins {
		if program, ok := p.(Program); ok {
			sum, err := program.Fingerprint()
			if err != nil {
				return "", err
			}
			list = append(list, sum)
		}
	}
	return strings.Join(list, " "), nil
}

// Has tells whether the plug-in that spec names declares a parameter.
func (r *Registry[T]) Has(spec, param string) bool {
	name, _, _ := strings.Cut(spec, ":")
	info, found := r.lookup(name)
	return found && slices.ContainsFunc(info.Params(), func(p Param) bool { return p.Name == param })
}

// Unknown words the error for a name that is not in known: with the nearest
// known name when one is near, and the whole list when it is short.
func Unknown(kind, name string, known []string) string {
	if len(name) > 60 {
		name = name[:60] + "..."
	}
	text := fmt.Sprintf("unknown %s %q", kind, name)
	best, distance := "", max(2, len(name)/3)+1
	for _, k := range known {
		d := edits(name, k)
		if letters(name) == letters(k) {
			d = 1 // the right letters in another order: the commonest slip
		}
		if d < distance && d < max(len(name), len(k)) { // else they have nothing in common
			best, distance = k, d
		}
	}
	if best != "" {
		text += fmt.Sprintf("; did you mean %q?", best)
	}
	if len(known) == 0 {
		return text + "; there are none"
	}
	return text + " (known: " + strings.Join(known, " ") + ")"
}

// edits is the Levenshtein distance: how many bytes must be put in, taken out or
// replaced to make b of a.
func edits(a, b string) int {
	row := make([]int, len(b)+1) // distances of the part of a so far to the beginnings of b
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// letters returns the bytes of a word in order.
func letters(word string) string {
	b := []byte(word)
	slices.Sort(b)
	return string(b)
}

func newFlagSet(name string) *flag.FlagSet {
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	return fs
}

// Not is a flag.Value that shows and sets the opposite of a bool, for a
// parameter whose natural name is the opposite of the field's: the field's zero
// value stays the default.
type Not struct{ Value *bool }

// Set parses text as a bool and stores its opposite.
func (n Not) Set(text string) error {
	v, err := strconv.ParseBool(text)
	if err != nil {
		return errors.New("not true or false")
	}
	*n.Value = !v
	return nil
}

// String shows the opposite of the field.
func (n Not) String() string { return strconv.FormatBool(n.Value == nil || !*n.Value) }
