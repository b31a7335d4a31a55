package weights

import (
	"archive/zip"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"

	"superres/internal/safefile"
	"superres/superres/networks/fail"
	"superres/superres/networks/pickle"
)

// readZip reads the form of PyTorch 1.6 and later: a zip archive with the pickle FOLDER/data.pkl, the storages
// FOLDER/data/KEY, and the byte order in FOLDER/byteorder.
func readZip(f *File, r io.ReaderAt, size int64) {
	archive := fail.Need(safefile.OpenZip(r, size))
	z := &zipFile{members: map[string]*zip.File{}}
	for _, m := range archive.File {
		folder, found := strings.CutSuffix(m.Name, "data.pkl")
		if found && (folder == "" || strings.HasSuffix(folder, "/")) {
			z.folder = folder
		}
		z.members[m.Name] = m
	}
	fail.When(z.members[z.folder+"constants.pkl"] != nil,
		"is a program of TorchScript; save the weights alone, as torch.save(model.state_dict(), …) does")
	data := fail.Need(z.member("data.pkl", maxPickle))
	if z.members[z.folder+"byteorder"] != nil {
		z.bigEndian = string(fail.Need(z.member("byteorder", 16))) == "big"
	}
	value, _, err := newTorchReader(size).parse(data)
	fail.If(err)
	f.loadTensors(value, z, size)
}

// zipFile is a PyTorch file in the form of a zip archive.
type zipFile struct {
	folder    string
	members   map[string]*zip.File
	bigEndian bool
}

// member returns the bytes of a member of the archive. It fails if the member has more than size bytes.
func (z *zipFile) member(name string, size uint64) ([]byte, error) {
	m := z.members[z.folder+name]
	if m == nil {
		return nil, fmt.Errorf("the archive has no member %.40q", z.folder+name)
	}
	if m.UncompressedSize64 > size {
		return nil, fmt.Errorf("the member %.40q has %d bytes, expected at most %d", m.Name, m.UncompressedSize64, size)
	}
	r, err := m.Open()
	if err != nil {
		return nil, fmt.Errorf("the member %.40q: %w", m.Name, err)
	}
	defer r.Close()
	b := make([]byte, m.UncompressedSize64)
	if _, err = io.ReadFull(r, b); err == nil {
		var more [1]byte
		if _, err = io.ReadFull(r, more[:]); err == io.EOF { // this read compares the checksum
			return b, nil
		}
	}
	return nil, fmt.Errorf("the member %.40q: %w", m.Name, cmp.Or(err, errors.New("has more bytes than it says")))
}

// read implements container. A member of another size than the storage is an error.
func (z *zipFile) read(s *storage) ([]byte, error) {
	want := s.elements * s.kind.size
	b, err := z.member("data/"+s.key, uint64(want))
	if err == nil && int64(len(b)) != want {
		err = fmt.Errorf("the storage %.20q has %d bytes, expected %d", s.key, len(b), want)
	}
	if z.bigEndian {
		swapBytes(b, s.kind.size)
	}
	return b, err
}

// swapBytes reverses the bytes of each number of the given size.
func swapBytes(b []byte, size int64) {
	for n := range slices.Chunk(b, int(size)) {
		slices.Reverse(n)
	}
}

// oldFile is a PyTorch file in the form before 1.6: five pickles, which hold a magic number, a version, properties of
// the machine, the tensors, and the keys of the storages; then, for each storage, its number of elements and its bytes.
type oldFile struct {
	r         io.ReaderAt
	offsets   map[string]int64 // by the keys of the storages
	bigEndian bool
}

// readOld reads a file in the form of oldFile.
func readOld(f *File, r io.ReaderAt, size int64) {
	head := make([]byte, min(size, maxPickle))
	fail.If(readAt(r, head, 0))
	t, at := newTorchReader(size), 0
	var values [5]any
	for i := range values {
		v, n, err := t.parse(head[at:])
		fail.If(err)
		values[i] = v
		at += n
		magic, _ := v.(*big.Int)
		fail.When(i == 0 && (magic == nil || magic.Text(16) != "1950a86a20f9469cfc6c"),
			"is a pickle, but not of PyTorch")
	}
	fail.When(values[1] != int64(1001), "has another version than 1001; load and save it with a newer PyTorch")
	system, _ := values[2].(*pickle.Dict)
	keys, isList := values[4].(*pickle.List)
	fail.When(system == nil || !isList, "lacks the list of its storages")
	old := &oldFile{r: r, offsets: map[string]int64{}, bigEndian: system.Get("little_endian") == false}
	old.findStorages(t, keys, int64(at), size)
	f.loadTensors(values[3], old, size)
}

// findStorages sets f.offsets for the storages, which follow each other in the order of keys from offset at on, each
// after its number of elements. The file has size bytes.
func (f *oldFile) findStorages(t *torchReader, keys *pickle.List, at, size int64) {
	for _, k := range keys.Items {
		key, _ := k.(string)
		s := t.storages[key]
		fail.When(s == nil, "has a storage %.20q that no tensor has", key)
		_, twice := f.offsets[key]
		fail.When(twice, "has two storages %.20q", key)
		var count [8]byte
		fail.If(readAt(f.r, count[:], at))
		n := binary.LittleEndian.Uint64(count[:])
		if f.bigEndian {
			n = binary.BigEndian.Uint64(count[:])
		}
		at += 8
		bytes := s.elements * s.kind.size
		fail.When(n != uint64(s.elements) || bytes > size-at,
			"the storage %.20q has %d numbers, expected %d, and no more than the file has", key, n, s.elements)
		f.offsets[key] = at
		at += bytes
	}
}

// read implements container. The bytes are where findStorages found them.
func (f *oldFile) read(s *storage) ([]byte, error) {
	offset, found := f.offsets[s.key]
	if !found {
		return nil, fmt.Errorf("has no storage %.20q", s.key)
	}
	b := make([]byte, s.elements*s.kind.size)
	if err := readAt(f.r, b, offset); err != nil {
		return nil, err
	}
	if f.bigEndian {
		swapBytes(b, s.kind.size)
	}
	return b, nil
}
