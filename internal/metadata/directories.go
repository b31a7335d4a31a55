package metadata

import (
	"encoding/binary"
	"fmt"
	"io"
	"iter"
)

// The limits on reading the directories of a TIFF.
const (
	MostDirectories = 50_000  // the largest number of directories that are read
	mostEntries     = 1 << 22 // the largest number of entries in all directories together
)

// TIFFDirectory is one of the linked directories of a TIFF. Most describe a page; see IsWhole.
type TIFFDirectory struct {
	At  uint64 // the offset of the directory in the file
	End int64  // the offset after its entries and the link that follows

	f tiffFile
}

// IsWhole reports whether the directory describes a full page, not a smaller copy of a page or a mask.
func (d TIFFDirectory) IsWhole() bool {
	const (
		tagNewSubfile, reduced, mask = 254, 1, 4
		tagSubfile, reducedToo       = 255, 2
	)
	for e := range d.Entries() {
		if e.Tag == tagNewSubfile && e.Number&(reduced|mask) != 0 || e.Tag == tagSubfile && e.Number == reducedToo {
			return false
		}
	}
	return true
}

// TIFFPicture returns the directory of the picture of the TIFF in src: the first that describes a full page, or else
// the first. ok is false if the first directory lies outside the file.
func TIFFPicture(src Source) (picture TIFFDirectory, ok bool) {
	_ = TIFFDirectories(src, func(d TIFFDirectory) bool {
		whole := d.IsWhole()
		if !ok || whole {
			picture, ok = d, true
		}
		return !whole
	})
	return picture, ok
}

func (d TIFFDirectory) Entries() iter.Seq[TIFFEntry] { return d.f.fields(d.At) }

// Below returns the directory at offset at, to which an entry of d points. Outside the file it has no entries.
func (d TIFFDirectory) Below(at uint64) TIFFDirectory { return TIFFDirectory{At: at, f: d.f} }

// Value returns the bytes of e's value, in the byte order of the file. ok is false if they lie outside the file.
func (d TIFFDirectory) Value(e TIFFEntry) (_ Body, ok bool) { return d.f.value(e) }

func (d TIFFDirectory) Order() binary.ByteOrder { return d.f.order }

// Numbers returns the values of e, which are unsigned integers of 8 to 64 bits. It returns nil if they have another
// type or lie outside the file, or if there are more than maxCount.
func (d TIFFDirectory) Numbers(e TIFFEntry, maxCount int) (list []uint64) {
	v, ok := d.f.value(e)
	if !ok || e.count > uint64(max(maxCount, 0)) {
		return nil
	}
	var number func([]byte) uint64
	switch e.kind {
	case typeByte:
		number = func(b []byte) uint64 { return uint64(b[0]) }
	case typeShort:
		number = func(b []byte) uint64 { return uint64(d.f.order.Uint16(b)) }
	case typeLong, typeIFD:
		number = func(b []byte) uint64 { return uint64(d.f.order.Uint32(b)) }
	case typeLong8, typeIFD8:
		number = d.f.order.Uint64
	default:
		return nil
	}
	b, size := v.Bytes(), int(typeLengths[e.kind])
	list = make([]uint64, 0, len(b)/size)
	for ; len(b) >= size; b = b[size:] {
		list = append(list, number(b))
	}
	return list
}

// Fractions returns the values of e, which are unsigned fractions. It returns nil if they have another type or lie
// outside the file, if a denominator is 0, or if there are more than maxCount.
func (d TIFFDirectory) Fractions(e TIFFEntry, maxCount int) (list []float64) {
	v, ok := d.f.value(e)
	if !ok || e.kind != typeRational || e.count > uint64(maxCount) {
		return nil
	}
	for b := v.Bytes(); len(b) >= 8; b = b[8:] {
		over, under := d.f.order.Uint32(b), d.f.order.Uint32(b[4:])
		if under == 0 {
			return nil
		}
		list = append(list, float64(over)/float64(under))
	}
	return list
}

// TIFFDirectories calls visit with each of the linked directories of the TIFF in src, in the order of the links, until
// visit returns false. All readers of TIFF in the program use it, so that they agree on the content of a file. It
// fails with a FormatError if links form a circle or there are too many directories or entries, and with
// io.ErrUnexpectedEOF if src is no TIFF or a directory is cut off. It has then visited the directories before the
// fault, and one that lacks only its link.
func TIFFDirectories(src Source, visit func(TIFFDirectory) bool) error {
	f, ok := fileIn(Piece(src, 0, src.Size()))
	if !ok {
		return io.ErrUnexpectedEOF
	}
	seen, entries := make(map[uint64]bool), int64(0)
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
		if entries += (end - start) / f.entryLength(); entries > mostEntries {
			return FormatError(fmt.Sprintf("its directories have more than %d entries", mostEntries))
		}
		next := f.read(end, f.linkLength())
		if !visit(TIFFDirectory{at, end + int64(len(next)), f}) {
			return nil
		}
		if next == nil {
			return io.ErrUnexpectedEOF
		}
		if at = uint64(f.order.Uint32(next)); f.big {
			at = f.order.Uint64(next)
		}
	}
	return nil
}
