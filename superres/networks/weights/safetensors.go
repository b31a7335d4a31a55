package weights

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"superres/superres/networks/fail"
)

// maxHeader is the greatest size in bytes of the header of a safetensors file.
const maxHeader = 16 << 20

// entry describes a tensor in the header of a safetensors file.
type entry struct {
	name    string
	Type    string   `json:"dtype"`
	Shape   shape    `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"` // of the first byte and after the last, from the header's end on
}

// shape is the number of elements along each dimension.
type shape []int64

// UnmarshalJSON implements json.Unmarshaler. It fails for too many dimensions.
func (s *shape) UnmarshalJSON(data []byte) error {
	if commas := bytes.Count(data, []byte(",")); commas >= maxRank {
		return fmt.Errorf("has %d dimensions, expected at most %d", commas+1, maxRank)
	}
	return json.Unmarshal(data, (*[]int64)(s))
}

// readSafetensors reads a file that consists of the size of the header in 64 bits; the header, a JSON object with an
// entry for each tensor; and the numbers of all tensors one after another, without gaps.
func readSafetensors(f *File, r io.ReaderAt, size int64) {
	var length [8]byte
	fail.Need(r.ReadAt(length[:], 0))
	n := binary.LittleEndian.Uint64(length[:])
	fail.When(size < 8 || n > uint64(size-8) || n > maxHeader,
		"a header of %d bytes, expected at most %d, and no more than the file has", n, maxHeader)
	entries, terms, err := parseHeader(io.NewSectionReader(r, 8, int64(n)))
	fail.When(err != nil, "the header: %w", err)
	f.Terms = terms
	body := 8 + int64(n)
	checkOffsets(entries, size-body)
	left := newBudget(size)
	for _, e := range entries {
		kind, known := numbers[e.Type]
		fail.When(!known, "the tensor %q has numbers of the type %q, expected F64, F32, F16, BF16 or integers; "+
			"save it as F16 or F32", e.name, e.Type)
		elements, err := left.take(e.Shape)
		if err == nil && e.Offsets[1]-e.Offsets[0] != int64(elements)*kind.size {
			err = fmt.Errorf("has %d bytes, expected %d numbers of %d", e.Offsets[1]-e.Offsets[0], elements, kind.size)
		}
		fail.When(err != nil, "the tensor %q %w", e.name, err)
		data := make([]byte, e.Offsets[1]-e.Offsets[0])
		err = readAt(r, data, body+e.Offsets[0])
		fail.When(err != nil, "the tensor %q: %w", e.name, err)
		f.Tensors[e.name] = Tensor{ints(e.Shape), kind.decodeAll(data, elements)}
	}
}

// parseHeader returns the entries of the tensors in a header, and the terms of use in its metadata.
func parseHeader(header io.Reader) (entries []entry, terms string, err error) {
	d := json.NewDecoder(header)
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, "", errors.New("is no JSON object")
	}
	names := map[string]bool{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, "", err
		}
		name := key.(string) // keys of an object are strings
		if names[name] {
			return nil, "", fmt.Errorf("has two entries %q", name)
		}
		if names[name] = true; len(names) > MaxTensors {
			return nil, "", fmt.Errorf("has more than %d entries", MaxTensors)
		}
		if name == "__metadata__" {
			terms, err = parseTerms(d)
		} else {
			e := entry{name: name}
			err = d.Decode(&e)
			entries = append(entries, e)
		}
		if err != nil {
			return nil, "", fmt.Errorf("the entry %q: %w", name, err)
		}
	}
	if _, err := d.Token(); err != nil {
		return nil, "", err
	}
	return entries, terms, nil
}

// checkOffsets sorts the entries by offset. It fails unless they follow each other without gaps and fill size bytes.
func checkOffsets(entries []entry, size int64) {
	slices.SortFunc(entries, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.Offsets[0], b.Offsets[0]), cmp.Compare(a.Offsets[1], b.Offsets[1]),
			strings.Compare(a.name, b.name))
	})
	end := int64(0)
	for _, e := range entries {
		fail.When(e.Offsets[0] != end || e.Offsets[1] < end || e.Offsets[1] > size,
			"the tensor %q takes the bytes %d to %d, expected it to begin at %d, behind the one before it, and to end "+
				"within %d", e.name, e.Offsets[0], e.Offsets[1], end, size)
		end = e.Offsets[1]
	}
	fail.When(end != size, "%d bytes belong to no tensor", size-end)
}

// parseTerms reads the metadata, an object of texts, from d, and returns the terms of use in it; empty if it has none.
func parseTerms(d *json.Decoder) (terms string, err error) {
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return "", errors.New("is no JSON object")
	}
	keys := []string{"license", "licence", "modelspec.license", "License", "terms"} // in order of preference
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return "", err
		}
		value, err := d.Token()
		text, isText := value.(string)
		if err != nil || !isText {
			return "", cmp.Or(err, fmt.Errorf("the value of %q is no text", key))
		}
		if i := slices.Index(keys, key.(string)); i >= 0 && strings.TrimSpace(text) != "" {
			terms, keys = strings.TrimSpace(text), keys[:i]
		}
	}
	_, err = d.Token()
	return terms, err
}

// readAt fills b with the bytes of r from offset on. It fails if there are too few.
func readAt(r io.ReaderAt, b []byte, offset int64) error {
	n, err := r.ReadAt(b, offset)
	if n == len(b) {
		return nil
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return err
}
