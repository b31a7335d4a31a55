// Package pickle reads Python's pickles as data. A pickle is a program for a machine with a stack, which may name any
// function of Python and call it. Here the caller decides by name what a function is; nothing else of the file runs.
//
// Values of Python are these in Go: None nil, True and False bool, whole numbers int64 or *big.Int, float float64, str
// string, bytes Bytes, tuple Tuple, list, set and frozenset *List, dict *Dict, and whatever else Reader's functions
// return. A list or a dictionary may contain itself, so a caller that goes through nested values must limit how deep it
// goes.
package pickle

// The limits of a pickle bound what it can make a program allocate: some 100 bytes per value.
const (
	MaxValues = 1 << 20
	maxLong   = 64 // bytes of a whole number
)

// Bytes are a string of bytes.
type Bytes string

// Tuple is a tuple.
type Tuple []any

// List is a list or a set.
type List struct{ Items []any }

// Item is an item of a dictionary.
type Item struct{ Key, Value any }

// Dict is a dictionary, in the order of its file.
type Dict struct {
	Items []Item
	index map[string]int // of the items with strings as keys
}

// Get returns the value of a key; nil if there is none.
func (d *Dict) Get(key string) any {
	if i, found := d.index[key]; found {
		return d.Items[i].Value
	}
	return nil
}

// Set adds an item. One with the same string as its key is replaced; other keys are not compared.
func (d *Dict) Set(key, value any) {
	if name, isString := key.(string); isString {
		if i, found := d.index[name]; found {
			d.Items[i].Value = value
			return
		}
		if d.index == nil {
			d.index = map[string]int{}
		}
		d.index[name] = len(d.Items)
	}
	d.Items = append(d.Items, Item{key, value})
}

// Function stands for a function or class of Python, whose name a pickle may call. It returns the result.
type Function func(args Tuple) (any, error)

// Reader reads pickles of the protocols 0 to 5.
type Reader struct {
	// Global returns what stands for the function, class or other value of a Python module. It fails for a name that it
	// refuses.
	Global func(module, name string) (any, error)
	// Persistent returns the value that stands outside the pickle under an identifier.
	Persistent func(id any) (any, error)
	// Left is the number of values that pickles may still make, which Read lowers; nil: MaxValues for each pickle.
	Left *int
}
