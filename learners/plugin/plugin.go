// Package plugin holds the registries of learners and coders. A module that adds a learner or coder imports it, beside
// package learners or sparse: [Info] describes a plug-in, and [Errorf] returns an error about invalid settings.
//
// A spec names a plug-in: "name" or "name:key=value,key=value". A comma between quotes belongs to the value, which
// keeps the quotes. For a parameter that is true or false, the key alone stands for key=true. A plug-in declares its
// parameters as flags of a flag.FlagSet, from which the command line takes their names, defaults and help.
package plugin

import (
	"errors"
	"flag"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"superres/internal/registry"
	"superres/internal/usage"
)

// Info describes one plug-in of a registry.
type Info[T any] struct {
	// Name is the name in specs: in lower case, and unique in its registry.
	Name string
	// Summary says in one line what the plug-in computes.
	Summary string
	// Reference is the paper that the plug-in implements.
	Reference string
	// Revision numbers the algorithm. Every change that alters the result for the same input raises it, so that nobody
	// takes results of an older revision for results of this one. The default is 0.
	Revision int
	// Argument is the name of a required parameter whose value comes first in a spec, without its name:
	// "name:VALUE,key=value". The default is no such parameter.
	Argument string
	// New returns a value with its default parameters, each bound to a flag of fs. If the value has a
	// method Check() error, it is called after the flags are set, and its error refuses the spec.
	New func(fs *flag.FlagSet) T
}

// Param is one parameter of a plug-in, as users see it.
type Param struct{ Name, Default, Usage string }

// Params lists the parameters of the plug-in, sorted by name.
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

// ErrSettings is wrapped by errors about what the user asked for, as opposed to errors about the data.
var ErrSettings = usage.ErrSettings

// Errorf returns an error that wraps ErrSettings, with the text of fmt.Sprintf. It does not wrap errors among args.
func Errorf(format string, args ...any) error { return usage.Errorf(format, args...) }

// CheckNumbers returns an error for the first of params, in alphabetical order, that is negative, infinite or not a
// number. The error wraps ErrSettings, and its text begins with owner, such as "learners: simco".
func CheckNumbers(owner string, params map[string]float64) error {
	for _, name := range slices.Sorted(maps.Keys(params)) {
		if v := params[name]; !(v >= 0) || math.IsInf(v, 0) {
			return Errorf("%s: %s %g, expected 0 or more", owner, name, v)
		}
	}
	return nil
}

// Unknown returns the text of the error for a name that is not among the known names of this kind. It suggests the
// nearest known name, if one is near, and lists all known names.
func Unknown(kind, name string, known []string) string { return usage.Unknown(kind, name, known) }

// Register adds a plug-in. It panics if info.Name is empty or already registered.
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

// Revision returns the Revision of the plug-in that spec names. The error for an unknown name lists the known ones.
func (r *Registry[T]) Revision(spec string) (int, error) {
	name, _, _ := strings.Cut(spec, ":")
	info, err := r.infos.Get(name)
	if err != nil {
		return 0, Errorf("%v", err)
	}
	return info.Revision, nil
}

// New returns the plug-in that spec names, with the parameters that spec sets, such as "ksvd" or "ksvd:exact=false".
// The error for an unknown name or parameter lists the known ones. All errors about the spec wrap ErrSettings.
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
		if i == 0 && info.Argument != "" { // the argument stands first, without its name
			key, text, ok = info.Argument, pair, true
		} else if fs.Lookup(key) == nil || key == info.Argument { // not a parameter that may be named
			var known []string
			fs.VisitAll(func(f *flag.Flag) {
				if f.Name != info.Argument {
					known = append(known, f.Name)
				}
			})
			return zero, Errorf("%s", Unknown(r.infos.Kind+" "+name+": parameter", key, known))
		}
		if v, isBool := fs.Lookup(key).Value.(interface{ IsBoolFlag() bool }); !ok && isBool && v.IsBoolFlag() {
			text, ok = "true", true // the key alone
		}
		if !ok {
			return zero, Errorf("%s %s: parameter %s has no value; write %s:%s=VALUE", r.infos.Kind, name, key, name,
				key)
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

// Split splits text at its commas, except those between single or double quotes.
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

// separator replaces each comma at which Split splits; no text that people write contains it.
const separator = '\x00'

// Program is a plug-in that runs another program. Its spec names the program: never use a spec from an untrusted file.
type Program interface {
	// Fingerprint returns a text that differs between programs with the same spec.
	Fingerprint() (string, error)
}

// Fingerprint joins the fingerprints of all plug-ins that run a program. Together with the specs they determine a
// result. It returns "" if no plug-in runs a program.
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

// Has reports whether the plug-in that spec names declares the parameter param.
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

// Not is a flag.Value that shows and sets the opposite of a bool. It serves a parameter that is named by the opposite
// of its field, so that the zero value of the field is the default.
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

// IsBoolFlag returns true: the parameter may be given without a value.
func (n Not) IsBoolFlag() bool { return true }

// String shows the opposite of the field.
func (n Not) String() string { return strconv.FormatBool(n.Value == nil || !*n.Value) }
