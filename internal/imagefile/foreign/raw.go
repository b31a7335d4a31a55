package foreign

import (
	"encoding/binary"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// The tags of a TIFF directory, and the values of them, that tell raw files.
const (
	tagSubfile     = 254
	tagCompression = 259
	tagPhotometric = 262
	tagMake        = 271
	tagSubIFDs     = 330
	tagDNGVersion  = 50706

	reduced          = 1 // a bit of tagSubfile
	colourFilter     = 32803
	linearRaw        = 34892
	compressionARW   = 32767
	compressionNEF   = 34713
	compressionPEF   = 65535
	mostDirectories  = 32
	mostEntries      = 1 << 12
	directoryEntry   = 12
	longestMaker     = 32
	longType         = 4
	firstOfDirectory = 8 // no directory is before it
)

// unknownRaw is the title of a raw file of any other maker.
const unknownRaw = "camera raw"

// makers are the kinds of raw files by what the maker of the camera begins with.
var makers = []struct{ maker, title string }{
	{"NIKON", "NEF"}, {"SONY", "ARW"}, {"PENTAX", "PEF"}, {"RICOH", "PEF"}, {"SAMSUNG", "SRW"}, {"HASSELBLAD", "3FR"},
	{"PHASE ONE", "IIQ"}, {"CANON", "CR2"},
}

// rawNames are the extensions that only raw files have.
var rawNames = []string{".3fr", ".arw", ".cr2", ".dcr", ".dng", ".erf", ".fff", ".iiq", ".kdc", ".mef", ".mos", ".nef",
	".nrw", ".pef", ".rwl", ".sr2", ".srf", ".srw"}

// RawName tells whether a TIFF is a raw file of a camera by its name: one with nothing but a small picture in it, which
// some programs leave of a raw file, cannot be told from a picture by its content.
func RawName(name string) (Kind, bool) {
	ext := strings.ToLower(filepath.Ext(name))
	if !slices.Contains(rawNames, ext) {
		return Kind{}, false
	}
	return Kind{Title: strings.ToUpper(ext[1:]), Advice: develop}, true
}

// Raw tells whether a TIFF is a raw file of a camera, or has a small copy of its picture as
// the first one: what a reader of TIFF would take of either is not the picture. What is
// damaged, or no TIFF, is neither. It reads the directories alone, at most 32 of them.
func Raw(r io.ReaderAt) (Kind, bool) {
	var head [16]byte
	if n, _ := r.ReadAt(head[:], 0); n < 8 {
		return Kind{}, false
	}
	t := tiff{r: r, order: binary.LittleEndian, inside: map[uint32]bool{}}
	switch {
	case StartsWith(head[:], "MM\x00*"):
		t.order = binary.BigEndian
	case !StartsWith(head[:], "II*\x00"):
		return Kind{}, false
	case string(head[8:10]) == "CR":
		return Kind{Title: "CR2", Advice: develop}, true
	}
	t.queue = []uint32{t.order.Uint32(head[4:])}
	for t.visited < len(t.queue) && t.visited < mostDirectories {
		t.directory(t.queue[t.visited])
		t.visited++
	}
	switch {
	case t.dng:
		return Kind{Title: "DNG", Advice: develop}, true
	case t.raw || t.copyFirst && (t.others && t.maker != "" || t.kind() != unknownRaw):
		return Kind{Title: t.kind(), Advice: develop}, true
	case t.copyFirst && t.others && !t.linked:
		return Kind{Title: "TIFF with a small copy first", Advice: "save it as PNG first"}, true
	}
	return Kind{}, false
}

// tiff is what has been seen of a TIFF.
type tiff struct {
	r         io.ReaderAt
	order     binary.ByteOrder
	queue     []uint32 // the places of directories
	visited   int      // of the queue
	maker     string   // of the camera
	dng, raw  bool
	copyFirst bool // the first picture is a small copy
	others    bool // there is a picture that is none
	linked    bool // such a picture is a page, which a reader of TIFF finds

	inside map[uint32]bool // the places of directories that are no pages, but below one
}

// kind is the name of a raw file that is no DNG.
func (t *tiff) kind() string {
	for _, m := range makers {
		if strings.HasPrefix(strings.ToUpper(t.maker), m.maker) {
			return m.title
		}
	}
	return unknownRaw
}

// directory looks at the directory at a place and puts those that it names into the queue.
func (t *tiff) directory(at uint32) {
	var count [2]byte
	if at < firstOfDirectory || !t.read(count[:], at) {
		return
	}
	n := min(int(t.order.Uint16(count[:])), mostEntries)
	list := make([]byte, directoryEntry*n+4)
	if !t.read(list, at+2) {
		if list = list[:directoryEntry*n]; !t.read(list, at+2) {
			return
		}
	} else if next := t.order.Uint32(list[directoryEntry*n:]); next != 0 {
		t.queue = append(t.queue, next)
	}
	small := false
	for e := list; len(e) >= directoryEntry; e = e[directoryEntry:] {
		short, long := t.order.Uint16(e[8:]), t.order.Uint32(e[8:])
		switch t.order.Uint16(e) {
		case tagSubfile:
			small = long&reduced != 0
		case tagPhotometric:
			t.raw = t.raw || short == colourFilter || short == linearRaw
		case tagCompression:
			t.raw = t.raw || short == compressionARW || short == compressionNEF || short == compressionPEF
		case tagDNGVersion:
			t.dng = true
		case tagMake:
			if t.maker == "" {
				t.maker = t.text(t.order.Uint32(e[4:]), long)
			}
		case tagSubIFDs:
			t.below(t.order.Uint16(e[2:]), t.order.Uint32(e[4:]), long)
		}
	}
	if t.visited == 0 {
		t.copyFirst = small
	} else if !small {
		t.others, t.linked = true, t.linked || !t.inside[at]
	}
}

// text returns at most the given number of bytes at an offset as text.
func (t *tiff) text(n, at uint32) string {
	b := make([]byte, min(n, longestMaker))
	if n <= 4 || !t.read(b, at) {
		return ""
	}
	name, _, _ := strings.Cut(string(b), "\x00")
	return strings.TrimSpace(name)
}

// below queues the directories that an entry of a type and a count names.
func (t *tiff) below(kind uint16, n, value uint32) {
	const offsetType = 13
	known := len(t.queue)
	defer func() {
		for _, at := range t.queue[known:] {
			t.inside[at] = true
		}
	}()
	switch {
	case kind != longType && kind != offsetType || len(t.queue) > mostDirectories:
	case n == 1:
		t.queue = append(t.queue, value)
	default:
		b := make([]byte, 4*min(n, mostDirectories))
		if !t.read(b, value) {
			return
		}
		for ; len(b) > 0; b = b[4:] {
			t.queue = append(t.queue, t.order.Uint32(b))
		}
	}
}

// read fills b from a place, or reports that the file ends before.
func (t *tiff) read(b []byte, at uint32) bool {
	n, _ := t.r.ReadAt(b, int64(at))
	return n == len(b)
}
