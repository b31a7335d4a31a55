package stage

import (
	"encoding/json"
	"fmt"
	"io"

	"superres/internal/npz"
)

// Head is the entry of a Stage, Colour or Network in the JSON member of a model file.
type Head struct {
	Kind   string          `json:"kind"`
	Params json.RawMessage `json:"params"`
}

// Part is a part of a model that is stored in the file of the model: a Stage, a Colour or a Network.
type Part interface {
	// Kind returns the name under which the part is registered.
	Kind() string
	// Save returns the parameters of the part, to be written as JSON, and puts its arrays in a.
	Save(a *Arrays) any
}

// Describe returns the kind and the parameters of p in one line.
func Describe(p Part) string {
	params, err := json.Marshal(p.Save(&Arrays{}))
	if err != nil {
		params = []byte(err.Error())
	}
	return p.Kind() + " " + string(params)
}

// Members collects the arrays of the parts of a model, to be written to a file. The zero value is empty.
type Members struct {
	matrices []npz.Matrix
	arrays   []npz.Array
}

// Add adds the arrays of p and returns the head of p. In the file, an array is called "name.array", with name as given.
func (m *Members) Add(name string, p Part) (Head, error) {
	a := Arrays{prefix: name + "."}
	params, err := json.Marshal(p.Save(&a))
	m.matrices, m.arrays = append(m.matrices, a.matrices...), append(m.arrays, a.arrays...)
	return Head{p.Kind(), params}, err
}

// Write writes an .npz file to w: a text member of the given name, and the arrays. Equal contents give equal bytes.
func (m *Members) Write(w io.Writer, name string, text []byte) error {
	return npz.Write(w, []npz.Text{{Name: name, Data: text}}, m.matrices, m.arrays...)
}

// WriteContent writes text and arrays to w, uncompressed, for a hash: different texts or arrays give different bytes.
func (m *Members) WriteContent(w io.Writer, text []byte) error {
	if _, err := fmt.Fprintf(w, "%d\n%s", len(text), text); err != nil {
		return err
	}
	for _, x := range m.matrices {
		if _, err := fmt.Fprintln(w, x.Name); err != nil {
			return err
		}
		if err := npz.WriteMatrix(w, x.Data); err != nil {
			return err
		}
	}
	for _, a := range m.arrays {
		if err := a.WriteContent(w); err != nil {
			return err
		}
	}
	return nil
}

// File is a model file that is open for reading. Its content is not trusted.
type File struct {
	npz  *npz.File
	left int64 // bytes that the stages of the file may still reserve
}

// Open reads the directory of a model file of the given size in bytes. It fails if the directory is damaged, or if the
// members would take too many bytes when unpacked.
func Open(r io.ReaderAt, size int64) (*File, error) {
	f, err := npz.Open(r, size)
	if err != nil {
		return nil, err
	}
	return &File{f, Budget}, nil
}

// Text returns the content of the text member called name. It fails if the content has more than limit bytes.
func (f *File) Text(name string, limit uint64) ([]byte, error) { return f.npz.Text(name, limit) }

// Stage loads the stage that Members.Add added under name, for a model of the given scale; h is its head.
func (f *File) Stage(name string, scale int, h Head) (Stage, error) {
	load, err := stages.Get(h.Kind)
	if err != nil {
		return nil, err
	}
	return load(scale, h.Params, &Arrays{prefix: name + ".", file: f.npz, left: &f.left})
}

// Colour loads a Colour as Stage loads a Stage. The Colour may reserve up to Budget bytes, too.
func (f *File) Colour(name string, scale int, h Head) (Colour, error) {
	load, err := colours.Get(h.Kind)
	if err != nil {
		return nil, err
	}
	left := int64(Budget)
	return load(scale, h.Params, &Arrays{prefix: name + ".", file: f.npz, left: &left})
}

// Network loads a Network as Stage loads a Stage. The Network may reserve up to NetworkBudget bytes.
func (f *File) Network(name string, scale int, h Head) (Network, error) {
	load, err := networks.Get(h.Kind)
	if err != nil {
		return nil, err
	}
	left := int64(NetworkBudget)
	n, err := load(scale, h.Params, &Arrays{prefix: name + ".", file: f.npz, left: &left})
	if err != nil {
		return nil, err
	}
	if n.Scale() != scale || n.Channels() != 1 && n.Channels() != 3 {
		return nil, fmt.Errorf("a network of scale %d and %d channels, expected %d and 1 or 3", n.Scale(), n.Channels(),
			scale)
	}
	return n, nil
}
