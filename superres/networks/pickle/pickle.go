// Package pickle reads Python's pickles as data. A pickle is a program for a stack machine, and may call any function
// of Python by name. Here the caller decides what each name stands for; nothing else in the file runs.
//
// Values of Python become these in Go: None nil, True and False bool, whole numbers int64 or *big.Int, float float64,
// str string, bytes Bytes, tuple Tuple, list, set and frozenset *List, dict *Dict, and whatever else Reader's functions
// return. A list or a dictionary may contain itself, so callers that go through nested values must limit the depth.
package pickle

// The limits of a pickle bound the memory that it can make a program allocate: some 100 bytes per value.
const (
	MaxValues = 1 << 20
	maxLong   = 64 // in bytes, of a whole number
)

// Bytes are a string of bytes.
type Bytes string

// Tuple is a tuple.
type Tuple []any

// List is a list or a set.
type List struct{ Items []any }

// Item is an item of a dictionary.
type Item struct{ Key, Value any }

// Dict is a dictionary. Its items are in the order of the file.
type Dict struct {
	Items []Item
	index map[string]int // positions of the items that have strings as keys
}

// Get returns the value of a key that is a string; nil if there is none.
func (d *Dict) Get(key string) any {
	if i, found := d.index[key]; found {
		return d.Items[i].Value
	}
	return nil
}

// Set adds an item. It replaces the item that has the same string as its key; keys of other types are not compared.
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

// Function stands for a function or class of Python that a pickle may call. It returns the result of the call.
type Function func(args Tuple) (any, error)

// Reader reads pickles of the protocols 0 to 5.
type Reader struct {
	// Global returns the value that stands for a function, class or other name of a Python module, or refuses the name.
	Global func(module, name string) (any, error)
	// Persistent returns the value with the given identifier, which is stored outside the pickle.
	Persistent func(id any) (any, error)
	// Left is how many more values pickles may make. Read lowers it. nil means MaxValues for each pickle.
	Left *int
}
