package atoms

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"superres/cmd/internal/console"
	"superres/cmd/internal/paths"
	"superres/internal/matfile"
	"superres/internal/npz"
	"superres/internal/safefile"
	"superres/superres"
	"superres/superres/coupled"
)

// parameters say how atoms are applied. An exported .npz file has them as JSON in the array parametersArray.
type parameters struct {
	Format int `json:"format"`
	coupled.Recipe
	Provenance *superres.Provenance `json:"provenance,omitempty"`
}

// The name of the array that holds the parameters, the newest format of their JSON, and its greatest length.
const (
	parametersArray  = "parameters"
	parametersFormat = 1
	maxParameters    = 1 << 20
)

// dictFile is the file of a dictionary, read once into memory, so that the hash is of the same bytes as the atoms.
type dictFile struct {
	name string // the path of the file, or "standard input"
	data []byte
	// zip reads data as an .npz file. It is nil if data is not an .npz file.
	zip *npz.File
}

// openDictFile reads the file name, or stdin if name is "-". More than half of memory, in bytes, is an error.
func openDictFile(stdin io.Reader, name string, memory int64) (*dictFile, error) {
	f := &dictFile{name: name}
	const advice = "use --max-memory, or .npy rather than text"
	var err error
	if paths.IsStandard(name) {
		f.name = "standard input"
		f.data, err = console.ReadWhole(stdin, f.name, memory/2, advice)
	} else {
		var r io.ReadCloser
		var size int64
		if r, size, err = safefile.OpenRegular(name); err != nil {
			return nil, err
		}
		defer r.Close()
		if size > memory/2 { // before it is read
			return nil, console.Failf(console.ExitLimit, "%s has %s, more than half of the limit; %s", name,
				console.Bytes(size), advice)
		}
		f.data, err = console.ReadWhole(r, name, memory/2, advice)
	}
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(f.data, []byte("PK\x03\x04")) {
		// The error of a damaged file is reported when an array is read.
		f.zip, _ = npz.OpenUpTo(bytes.NewReader(f.data), int64(len(f.data)), math.MaxUint64)
	}
	return f, nil
}

// isModel reports whether the file is a model; false means that it only has matrices.
func (f *dictFile) isModel() bool { return f.zip != nil && f.zip.Has("model.json") }

// holds reports whether the file is an .npz file with all of the arrays called arrays.
func (f *dictFile) holds(arrays ...string) bool {
	return f.zip != nil && !slices.ContainsFunc(arrays, func(a string) bool { return !f.zip.Has(a + ".npy") })
}

func (f *dictFile) sha256() string {
	sum := sha256.Sum256(f.data)
	return hex.EncodeToString(sum[:])
}

// refuse returns an error about the file, of the class ErrInput.
func (f *dictFile) refuse(format string, args ...any) error {
	return safefile.Refuse(safefile.ErrInput, f.name, format, args...)
}

// matrix returns the array called array, or the only matrix if array is "". It calls accept with the size before it
// reads the entries, and returns its error.
func (f *dictFile) matrix(array string, accept func(rows, cols int) error) (*mat.Dense, error) {
	return matfile.Read(bytes.NewReader(f.data), int64(len(f.data)), f.name,
		matfile.Options{Array: array, Column: "atom", Accept: accept})
}

// halves are the two halves of a coupled dictionary, with one atom a column, the side in pixels of the low-resolution
// patches, and the scale.
type halves struct {
	low, high    *mat.Dense
	patch, scale int
}

// pair returns the halves in the arrays low and high, which the file holds. Sizes that do not fit are an error.
func (f *dictFile) pair() (h halves, err error) {
	rows, atoms := 0, 0
	if h.low, err = f.matrix("low", func(r, k int) error {
		rows, atoms = r, k
		if _, _, err := coupled.FitHalves(r, 4*r, k); err != nil {
			return f.refuse("array low is %d×%d: %s; one atom is a column", r, k, console.Message(err))
		}
		return nil
	}); err != nil {
		return h, err
	}
	h.high, err = f.matrix("high", func(r, k int) (err error) {
		if k != atoms {
			return f.refuse("array low has %d atoms, high has %d, expected equal numbers; one atom is a column", atoms,
				k)
		}
		if h.patch, h.scale, err = coupled.FitHalves(rows, r, k); err != nil {
			return f.refuse("arrays low and high: %s; one atom is a column", console.Message(err))
		}
		return nil
	})
	return h, err
}

// stacked returns the halves of D = [D_L; D_H], the only matrix of the file.
func (f *dictFile) stacked() (h halves, err error) {
	d, err := f.matrix("", func(rows, k int) (err error) {
		if h.patch, h.scale, err = coupled.FitStacked(rows, k); err != nil {
			return f.refuse("is %d×%d: %s; one atom is a column", rows, k, console.Message(err))
		}
		return nil
	})
	if err != nil {
		return h, err
	}
	rows, k := d.Dims()
	n := h.patch * h.patch
	h.low, h.high = d.Slice(0, n, 0, k).(*mat.Dense), d.Slice(n, rows, 0, k).(*mat.Dense)
	return h, nil
}

// parameters returns p changed by the fields that the parameters in the file set. Without such an array, it returns p.
func (f *dictFile) parameters(p parameters) (parameters, error) {
	if !f.holds(parametersArray) {
		return p, nil
	}
	text, err := f.zip.String(parametersArray, maxParameters)
	if err != nil {
		return p, f.refuse("%s; leave the array out and use the flags", console.Message(err))
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&p); err != nil {
		why := "damaged"
		if text, unknown := strings.CutPrefix(err.Error(), "json: "); unknown {
			why = text
		}
		return p, f.refuse("array %s: %s; expected the JSON that superres dict export writes", parametersArray, why)
	}
	if p.Format > parametersFormat {
		return p, f.refuse("array %s has format %d, this program knows up to %d; use a newer superres",
			parametersArray, p.Format, parametersFormat)
	}
	if err := p.Recipe.Check(); err != nil {
		return p, f.refuse("array %s: %s", parametersArray, console.Message(err))
	}
	return p, nil
}
