// Package matfile reads and writes a matrix as a file of its own: NumPy's .npy and .npz, and text.
//
//	          read                                          written
//	.npy      floats, integers, bool; either                float64, row after row
//	          byte order; row after row or column after
//	          column
//	.npz      one of its arrays                             one array, by name
//	.csv      numbers between commas, semicolons or blank   the shortest numbers that
//	          space; # begins a comment; two header lines   are read back the same
//
// The first bytes of a file tell its format, not its name. Files are not trusted: the size in the header is compared
// with the number of bytes, and passed to Options.Accept, before memory is allocated. Every matrix read has at least
// one row and one column, and finite entries.
//
// Errors are of the classes of package safefile, or of usage.ErrSettings if the choice of an array is wrong.
package matfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"superres/internal/npz"
	"superres/internal/safefile"
	"superres/internal/usage"
)

// Options are the choices for Read. The zero value accepts a matrix of any size.
type Options struct {
	Array     string // the array of an .npz file; "": there must be only one
	ArrayFlag string // the flag that sets Array, for errors; "": no flag
	Transpose bool   // turn rows into columns; false: keep them
	Column    string // the word for a column of the result in errors; "": "column"
	// Accept gets the size of the result before memory for it is allocated. If it returns an error, Read fails.
	Accept func(rows, cols int) error
}

// Open reads a matrix from a file.
func Open(name string, opt Options) (*mat.Dense, error) {
	f, size, err := safefile.OpenRegular(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f, size, name, opt)
}

// Read reads a matrix from r, of the given size in bytes. It refuses entries that are not finite. name is for errors.
func Read(r io.ReaderAt, size int64, name string, opt Options) (*mat.Dense, error) {
	x := reading{r: r, size: size, name: name, Options: opt}
	if x.Column == "" {
		x.Column = "column"
	}
	m, err := x.read()
	if err != nil {
		return nil, err
	}
	if x.Transpose {
		m = mat.DenseCopyOf(m.T())
	}
	rows, cols := m.Dims()
	for i := range rows {
		for j, v := range m.RawRowView(i)[:cols] {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, x.refuse("entry %d of %s %d (counted from 0) is %v; replace it or leave the %s out", i,
					x.Column, j, v, x.Column)
			}
		}
	}
	return m, nil
}

// reading is a file that is being read.
type reading struct {
	r    io.ReaderAt
	size int64
	name string
	Options
}

func (x *reading) refuse(format string, args ...any) error {
	return safefile.Refuse(safefile.ErrInput, x.name, format, args...)
}

// accept fails if Options.Accept refuses a matrix of the size in the file, after transposing.
func (x *reading) accept(rows, cols int) error {
	if x.Transpose {
		rows, cols = cols, rows
	}
	if x.Accept == nil {
		return nil
	}
	return x.Accept(rows, cols)
}

// others lists the first bytes and the names of kinds of files that people may take for matrices, for clear errors.
var others = []struct{ start, what string }{
	{"\x89HDF", "an HDF5 or MATLAB 7.3 file; save the matrix as .npy, or as text with writematrix or csvwrite"},
	{"PAR1", "a Parquet file; save it with numpy.save(\"Y.npy\", pandas.read_parquet(FILE).to_numpy())"},
	{"ARROW1", "an Arrow or Feather file; save it with numpy.save(\"Y.npy\", pandas.read_feather(FILE).to_numpy())"},
	{"MATLAB ", "a MATLAB file; save the matrix as text, with writematrix in MATLAB or csvwrite in Octave"},
	{"Octave-1-", "an Octave file; save the matrix with save -text"},
	{"\x1f\x8b", "packed by gzip; unpack it first"},
	{"\x80", "a Python pickle, which is never unpacked; save it with numpy.save"},
	{"\xff\xfe", "UTF-16 text; save it as UTF-8"},
	{"\xfe\xff", "UTF-16 text; save it as UTF-8"},
}

// read returns the matrix as it is in the file, before transposing.
func (x *reading) read() (*mat.Dense, error) {
	head := make([]byte, min(x.size, 512))
	if _, err := x.r.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, x.refuse("cannot be read: %v; check the disk", err)
	}
	if len(head) == 0 {
		return nil, x.refuse("is empty; expected a matrix as .npy, .npz or .csv")
	}
	if bytes.HasPrefix(head, []byte("PK\x03\x04")) || bytes.HasPrefix(head, []byte("PK\x05\x06")) {
		return x.npz()
	}
	if x.Array != "" {
		return nil, usage.Errorf("%s: is no .npz file and holds no array called %q; give the file alone", x.name,
			x.Array)
	}
	if bytes.HasPrefix(head, []byte(npz.Magic)) {
		return x.npy(io.NewSectionReader(x.r, 0, x.size), uint64(x.size))
	}
	for _, o := range others {
		if bytes.HasPrefix(head, []byte(o.start)) {
			return nil, x.refuse("is %s", o.what)
		}
	}
	if isEDF(head) {
		return nil, x.refuse("is an EDF recording; save it with numpy.save(\"Y.npy\", " +
			"mne.io.read_raw_edf(FILE).get_data())")
	}
	if i := slices.IndexFunc(head, func(b byte) bool {
		return b < ' ' && !strings.ContainsRune("\t\n\v\f\r", rune(b))
	}); i >= 0 {
		return nil, x.refuse("is neither .npy nor .npz nor text (starts with %q); save the matrix as one of them",
			head[:min(len(head), 8)])
	}
	return x.text()
}

// isEDF reports whether a file that begins with head is in the European Data Format: version 0, and a header of 256
// bytes plus 256 for each signal (B. Kemp et al., 1992, doi:10.1016/0013-4694(92)90009-7).
func isEDF(head []byte) bool {
	if len(head) < 256 || string(head[:8]) != "0       " {
		return false
	}
	size, err := strconv.Atoi(strings.TrimSpace(string(head[184:192])))     // of the header, in bytes
	signals, err2 := strconv.Atoi(strings.TrimSpace(string(head[252:256]))) // how many there are
	return err == nil && err2 == nil && size == 256*(1+signals)
}

// npy returns the matrix in r, a .npy file or a member of an .npz file, of the given size in bytes. Before it allocates
// memory, it compares this size with the size in the header, and calls accept, which may refuse the matrix.
func (x *reading) npy(r io.Reader, size uint64) (*mat.Dense, error) {
	h, err := npz.ReadHeader(r)
	if err != nil {
		return nil, x.refuse("%v; save it again", err)
	}
	rows, cols, body, err := h.Matrix()
	if err != nil {
		return nil, x.refuse("%v", err)
	}
	if has := size - min(size, uint64(h.Length())); uint64(body) != has {
		how := "is cut off"
		if has > uint64(body) {
			how = "has more than one array, or is damaged"
		}
		return nil, x.refuse("%s: %d×%d elements of type %s take %d bytes, there are %d; save it again", how, rows,
			cols, h.Type, body, has)
	}
	if err := x.accept(rows, cols); err != nil {
		return nil, err
	}
	m, err := h.ReadMatrix(r)
	if err != nil {
		return nil, x.refuse("%v; save it again", err)
	}
	return m, nil
}

// npz returns the array of an .npz file with the name Options.Array or, if that is empty, the only array. It fails with
// usage.ErrSettings if there are several arrays and no name, or no array with the name.
func (x *reading) npz() (*mat.Dense, error) {
	f, err := npz.OpenUpTo(x.r, x.size, math.MaxUint64)
	if err != nil {
		return nil, x.refuse("%v; save it again", err)
	}
	names, name := f.Arrays(), x.Array
	switch {
	case len(names) == 0:
		return nil, x.refuse("is a zip archive without arrays; save the matrix with numpy.savez")
	case f.IsSparse() && name == "":
		return nil, x.refuse("is a sparse matrix of scipy; save it as a dense one, its toarray(), with numpy.save")
	case name == "" && len(names) > 1:
		advice := "save the one alone"
		if x.ArrayFlag != "" {
			advice = "choose it with " + x.ArrayFlag
		}
		return nil, usage.Errorf("%s: holds %d arrays (%s), expected one; %s", x.name, len(names),
			strings.Join(names, " "), advice)
	case name == "":
		name = names[0]
	case !slices.Contains(names, name):
		return nil, usage.Errorf("%s: %s", x.name, usage.Unknown("array", name, names))
	}
	r, size, err := f.Array(name)
	if err != nil {
		return nil, x.refuse("%v; save it again", err)
	}
	defer r.Close()
	x.name = fmt.Sprintf("%s: array %s", x.name, name)
	return x.npy(r, size)
}

// Format returns the format of a new file, from the extension of its name: "npy", "npz" or "csv".
func Format(name string) (string, error) {
	ext := strings.ToLower(strings.TrimPrefix(filepath.Ext(name), "."))
	if !slices.Contains([]string{"npy", "npz", "csv"}, ext) {
		return "", usage.Errorf("%s: its extension says no format for a matrix; expected .npy, .npz or .csv", name)
	}
	return ext, nil
}

// Write writes m to w in a format from Format. array is m's name in an .npz file. Equal arguments give equal bytes.
func Write(w io.Writer, format, array string, m *mat.Dense) error {
	switch format {
	case "npy":
		return npz.WriteMatrix(w, m)
	case "npz":
		return npz.Write(w, nil, []npz.Matrix{{Name: array, Data: m}})
	case "csv":
		return writeText(w, m)
	}
	return fmt.Errorf("matfile: format %q, expected npy, npz or csv", format)
}

// writeText writes m to w: a line for every row, with commas between the numbers.
func writeText(w io.Writer, m *mat.Dense) error {
	rows, _ := m.Dims()
	var line []byte
	for i := range rows {
		line = line[:0]
		for j, v := range m.RawRowView(i) {
			if j > 0 {
				line = append(line, ',')
			}
			line = strconv.AppendFloat(line, v, 'g', -1, 64)
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}
