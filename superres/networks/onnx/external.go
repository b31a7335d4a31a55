package onnx

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"superres/superres/networks/graph"
)

// externalData says where in another file the numbers of a constant are (ONNX, "External Data").
type externalData struct {
	location       string
	offset, length int64 // in bytes; a length that is not stated is −1
	isBroken       bool
}

// set stores an entry of the field external_data. A bad number sets isBroken; other keys are ignored.
func (o *externalData) set(key, value string) {
	number := func() int64 {
		n, err := strconv.ParseInt(value, 10, 64)
		o.isBroken = o.isBroken || err != nil || n < 0
		return n
	}
	switch key {
	case "location":
		o.location = path.Clean(strings.ReplaceAll(value, `\`, "/"))
	case "offset":
		o.offset = number()
	case "length":
		o.length = number()
	}
}

// externalFiles is the folder of an ONNX file, and a count of the bytes that were read from its files.
type externalFiles struct {
	folder fs.FS            // nil if there is none
	left   map[string]int64 // bytes of each file that may still be read; no byte is needed twice
	bytes  int64            // the number of bytes read
}

// maxExternalBytes is the greatest size of weights in other files in bytes: the greatest number of weights, in float64.
const maxExternalBytes = 8 * graph.MaxWeights

func newExternalFiles(folder fs.FS) *externalFiles {
	return &externalFiles{folder: folder, left: map[string]int64{}}
}

// read returns the bytes of constant c from a file of the folder, as many as c's dimensions and type need, or an error.
func (b *externalFiles) read(c *contents) ([]byte, error) {
	o := c.outside
	n, err := count(c.dims)
	size := int64(n) * int64(sizeOf(c.kind))
	switch {
	case err != nil:
		return nil, err
	case o.isBroken || o.length > 0 && o.length != size:
		return nil, fmt.Errorf("has %d bytes at %d of the file %q, expected %d for the dimensions %v", o.length,
			o.offset, o.location, size, c.dims)
	case !fs.ValidPath(o.location) || o.location == ".":
		return nil, fmt.Errorf("is in the file %q, which is not in the folder of the network", o.location)
	case b.folder == nil:
		return nil, fmt.Errorf("is in the file %q, which does not come with the network", o.location)
	}
	info, err := fs.Stat(b.folder, o.location)
	if err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("is in the file %q, which is missing; it belongs beside the .onnx", o.location)
	}
	left, isKnown := b.left[o.location] // bytes of the file that no constant has used, since each needs its own
	if !isKnown {
		left = info.Size()
	}
	if b.bytes+size > maxExternalBytes {
		return nil, fmt.Errorf("is one of those that have more than %d bytes", int64(maxExternalBytes))
	}
	if b.left[o.location] = left - size; o.offset > info.Size()-size || left < size {
		return nil, fmt.Errorf("is said to be bytes %d to %d of the file %q, which has %d, each of use once", o.offset,
			o.offset+size, o.location, info.Size())
	}
	f, err := b.folder.Open(o.location)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, canSeek := f.(io.ReaderAt)
	if !canSeek {
		return nil, errors.New("is in a file that cannot be read from its middle")
	}
	data := make([]byte, size)
	if _, err := r.ReadAt(data, o.offset); err != nil && !(errors.Is(err, io.EOF) && size == 0) {
		return nil, err
	}
	b.bytes += size
	return data, nil
}

// FilesBeside returns the names of the files that hold the weights of an .onnx file, relative to its folder, at most
// 1024; none if data, the contents of the .onnx, is no ONNX. The names may be forged.
func FilesBeside(data []byte) (names []string) {
	_ = fields(data, func(f field) error { // faults are reported by Read
		if f.number != 7 { // the graph
			return nil
		}
		return fields(f.bytes, func(f field) error {
			if f.number != 5 || len(names) == maxNames { // a constant
				return nil
			}
			c, err := parseContents(f.bytes)
			name := c.outside.location
			if err == nil && c.isOutside && !slices.Contains(names, name) {
				names = append(names, name)
			}
			return nil
		})
	})
	return names
}
