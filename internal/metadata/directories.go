package metadata

import (
	"fmt"
	"io"
	"iter"
)

// The limits of a walk over the directories of a TIFF.
const (
	// MostDirectories is the largest number of directories that are read.
	MostDirectories = 50_000
	// mostEntries is the largest number of entries of all directories together.
	mostEntries = 1 << 22
)

// TIFFDirectory is one of the linked directories of a TIFF, each of which is a page.
type TIFFDirectory struct {
	// At is the offset of the directory in the file, End the offset behind its entries and its link to the next.
	At  uint32
	End int64

	f tiffFile
}

// TIFFEntry is an entry of a directory. Short and Long are the value where it is a single number of 16 or 32 bits.
type TIFFEntry struct {
	Tag   uint16
	Short uint16
	Long  uint32

	field
}

// Entries returns the entries of the directory.
func (d TIFFDirectory) Entries() iter.Seq[TIFFEntry] {
	return func(yield func(TIFFEntry) bool) {
		for e := range d.f.fields(d.At) {
			if !yield(TIFFEntry{e.tag, e.short, e.long, e}) {
				return
			}
		}
	}
}

// Value returns the value of e, in the byte order of the file. ok is false when the value is not inside the file.
func (d TIFFDirectory) Value(e TIFFEntry) (_ Body, ok bool) { return d.f.value(e.field) }

// Numbers returns the values of e, whole numbers of 16 or 32 bits. It returns nil when e has values of another type,
// when they are not inside the file, or when there are more than most.
func (d TIFFDirectory) Numbers(e TIFFEntry, most int) (list []uint32) {
	v, ok := d.f.value(e.field)
	if !ok || int64(e.count) > int64(most) || e.kind != typeShort && e.kind != typeLong {
		return nil
	}
	b, size := v.Bytes(), int(typeLengths[e.kind])
	list = make([]uint32, 0, len(b)/size)
	for ; len(b) >= size; b = b[size:] {
		if e.kind == typeShort {
			list = append(list, uint32(d.f.order.Uint16(b)))
		} else {
			list = append(list, d.f.order.Uint32(b))
		}
	}
	return list
}

// TIFFDirectories calls visit with each of the linked directories of the TIFF in src, in the order of the links, until
// visit returns false. All readers of TIFF in the program use it, so that they agree on what is in a file. Links in a
// circle and too many directories or entries are a FormatError. A directory that is not wholly inside the file is
// io.ErrUnexpectedEOF. visit was called for the directories before the error.
func TIFFDirectories(src Source, visit func(TIFFDirectory) bool) error {
	f, ok := tiffIn(Piece(src, 0, src.Size()))
	if !ok {
		return io.ErrUnexpectedEOF
	}
	seen, entries := make(map[uint32]bool), int64(0)
	for at := f.first; at != 0; {
		switch {
		case seen[at]:
			return FormatError(fmt.Sprintf("its directories go round in a circle of pages, back to byte %d", at))
		case len(seen) == MostDirectories:
			return FormatError(fmt.Sprintf("it has more than %d directories", MostDirectories))
		}
		seen[at] = true
		start, end, ok := f.span(at)
		if !ok {
			return io.ErrUnexpectedEOF
		}
		if entries += (end - start) / entryLength; entries > mostEntries {
			return FormatError(fmt.Sprintf("its directories have more than %d entries", mostEntries))
		}
		next := f.read(end, 4)
		if !visit(TIFFDirectory{at, end + int64(len(next)), f}) {
			return nil
		}
		if next == nil {
			return io.ErrUnexpectedEOF
		}
		at = f.order.Uint32(next)
	}
	return nil
}
