// Package registry keeps plug-ins of one kind by name.
package registry

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"superres/internal/usage"
)

// Registry holds values of type T by name. The zero value is empty. It is safe for concurrent use.
type Registry[T any] struct {
	// Kind is the word for one value in errors, such as "learner".
	Kind string

	mu     sync.RWMutex
	values map[string]T
}

// Add registers value under name. Plug-ins call it from their init functions. It panics if name is empty or already
// registered, which is a mistake in the program.
func (r *Registry[T]) Add(name string, value T) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, taken := r.values[name]; taken || name == "" {
		panic(fmt.Sprintf("%s %q is registered twice, or has no name", r.Kind, name))
	}
	if r.values == nil {
		r.values = map[string]T{}
	}
	r.values[name] = value
}

// Get returns the value registered under name. If there is none, the error lists the known names.
func (r *Registry[T]) Get(name string) (T, error) {
	r.mu.RLock()
	value, known := r.values[name]
	r.mu.RUnlock()
	if !known {
		return value, errors.New(usage.Unknown(r.Kind, name, r.Names()))
	}
	return value, nil
}

// Names returns the names of all values, sorted.
func (r *Registry[T]) Names() []string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.Sorted(maps.Keys(r.values))
}
