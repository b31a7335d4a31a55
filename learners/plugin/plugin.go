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
	"io"
	"slices"
	"strconv"
	"strings"

	"superres/internal/registry"
	"superres/internal/usage"
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

// Registry is a set of plug-ins of one kind. Its methods may be called concurrently.
type Registry[T any] struct{ infos registry.Registry[Info[T]] }

// NewRegistry returns an empty registry. The kind is the word for a plug-in in errors, such as "learner".
func NewRegistry[T any](kind string) *Registry[T] {
	return &Registry[T]{registry.Registry[Info[T]]{Kind: kind}}
}

// ErrSettings is wrapped by errors about what the user asked for, as opposed to errors about data.
var ErrSettings = usage.ErrSettings

// Errorf returns an error that wraps ErrSettings, with the text of fmt.Sprintf. It wraps none of the
// errors among its arguments.
func Errorf(format string, args ...any) error { return usage.Errorf(format, args...) }

// Unknown returns the text of an error about a name that is not among the known names of its kind. It
// suggests the nearest of them, if one is near, and lists them all.
func Unknown(kind, name string, known []string) string { return usage.Unknown(kind, name, known) }

// Register adds a plug-in. It panics when its name is empty or taken.
func (r *Registry[T]) Register(info Info[T]) { r.infos.Add(info.Name, info) }

// List returns the registered plug-ins, sorted by name.
func (r *Registry[T]) List() []Info[T] {
	var list []Info[T]
	for _, name := range r.Names() {
		info, _ := r.infos.Get(name) // nothing is ever removed
		list = append(list, info)
	}
	return list
}

// Names returns the registered names, sorted.
func (r *Registry[T]) Names() []string { return r.infos.Names() }

// New makes the plug-in that spec names, with the parameters it gives:
// "ksvd", "ksvd:exact=false". The error for an unknown name or parameter lists
// the known ones; it and the error for a value that means nothing wrap ErrSettings.
func (r *Registry[T]) New(spec string) (T, error) {
	var zero T
	name, params, _ := strings.Cut(spec, ":")
	info, err := r.infos.Get(name)
	if err != nil {
		return zero, Errorf("%v", err)
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
			return zero, Errorf("%s", Unknown(r.infos.Kind+" "+name+": parameter", key, known))
		}
		if !ok {
			return zero, Errorf("%s %s: parameter %s has no value; write %s:%s=VALUE", r.infos.Kind, name, key, name, key)
		}
		if err := fs.Set(key, text); err != nil {
			return zero, Errorf("%s %s: %s=%s: %v", r.infos.Kind, name, key, text, err)
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
	info, err := r.infos.Get(name)
	return err == nil && slices.ContainsFunc(info.Params(), func(p Param) bool { return p.Name == param })
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
