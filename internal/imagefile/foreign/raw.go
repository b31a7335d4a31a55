package foreign

import (
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"superres/internal/metadata"
)

// Tags of a TIFF directory, and their values, by which raw files are recognised.
const (
	tagSubfile     = 254
	tagCompression = 259
	tagPhotometric = 262
	tagMake        = 271
	tagSubIFDs     = 330
	tagDNGVersion  = 50706

	reduced         = 1 // a bit of tagSubfile
	colourFilter    = 32803
	linearRaw       = 34892
	compressionARW  = 32767
	compressionNEF  = 34713
	compressionPEF  = 65535
	mostDirectories = 32
	longestMaker    = 32
)

// unknownRaw is the title of a raw file from any other maker.
const unknownRaw = "camera raw"

// makers are the kinds of raw files, by the beginning of the camera maker's name.
var makers = []struct{ maker, title string }{
	{"NIKON", "NEF"}, {"SONY", "ARW"}, {"PENTAX", "PEF"}, {"RICOH", "PEF"}, {"SAMSUNG", "SRW"}, {"HASSELBLAD", "3FR"},
	{"PHASE ONE", "IIQ"}, {"CANON", "CR2"},
}

// rawNames are the extensions that only raw files have.
var rawNames = []string{".3fr", ".arw", ".cr2", ".dcr", ".dng", ".erf", ".fff", ".iiq", ".kdc", ".mef", ".mos", ".nef",
	".nrw", ".pef", ".rwl", ".sr2", ".srf", ".srw"}

// RawName reports from the name of a TIFF whether it is a raw file of a camera, and returns its kind. Some programs
// leave only a small picture in a raw file, and then its content looks like an ordinary picture.
func RawName(name string) (Kind, bool) {
	ext := strings.ToLower(filepath.Ext(name))
	if !slices.Contains(rawNames, ext) {
		return Kind{}, false
	}
	return Kind{Title: strings.ToUpper(ext[1:]), Advice: develop}, true
}

// Raw reports whether a TIFF is a raw camera file or begins with a small copy of its picture, and returns its kind. In
// both cases a reader of TIFF would take the wrong picture. A file with a small copy first is raw if makers has its
// maker, or if it names any maker and has a larger picture. For files that are damaged or not a TIFF, Raw returns
// false. It reads only directories, at most 32.
func Raw(r io.ReaderAt) (Kind, bool) {
	head := make([]byte, 10)
	n, _ := r.ReadAt(head, 0)
	switch _, is := metadata.ByteOrder(head[:n]); {
	case !is:
		return Kind{}, false
	case head[0] == 'I' && string(head[8:]) == "CR":
		return Kind{Title: "CR2", Advice: develop}, true
	}
	var t tiff
	whole := io.NewSectionReader(r, 0, math.MaxInt64)
	// An error says that a directory is damaged. The directories before it tell the kind of the file.
	_ = metadata.TIFFDirectories(whole, func(d metadata.TIFFDirectory) bool {
		const isPage = true
		t.look(d, isPage)
		return t.seen < mostDirectories
	})
	switch {
	case t.dng:
		return Kind{Title: "DNG", Advice: develop}, true
	case t.raw || t.copyFirst && (t.others && t.maker != "" || t.kind() != unknownRaw):
		return Kind{Title: t.kind(), Advice: develop}, true
	case t.copyFirst && t.others && !t.paged: // the larger pictures are no pages, so the copy would be taken
		return Kind{Title: "TIFF with a small copy first", Advice: "save it as PNG first"}, true
	}
	return Kind{}, false
}

// tiff collects what the directories of a TIFF tell.
type tiff struct {
	seen      int    // number of directories seen
	maker     string // maker of the camera
	dng, raw  bool   // it has a version of DNG; it has samples or a compression that only raw files have
	copyFirst bool   // the first picture is a small copy
	others    bool   // there is a picture that is not a small copy
	paged     bool   // a picture that is not a small copy is a page, which a reader of TIFF finds
}

// kind returns the name of a raw file that is not a DNG.
func (t *tiff) kind() string {
	for _, m := range makers {
		if strings.HasPrefix(strings.ToUpper(t.maker), m.maker) {
			return m.title
		}
	}
	return unknownRaw
}

// look notes in t what the directory d, and the directories below it, say about the file. isPage says that d is one of
// the linked directories, which describe pages, and not one below another.
func (t *tiff) look(d metadata.TIFFDirectory, isPage bool) {
	t.seen++
	isFirst, small := t.seen == 1, false
	var below []uint64
	for e := range d.Entries() {
		switch e.Tag {
		case tagSubfile:
			small = e.Number&reduced != 0
		case tagPhotometric:
			t.raw = t.raw || e.Number == colourFilter || e.Number == linearRaw
		case tagCompression:
			t.raw = t.raw || e.Number == compressionARW || e.Number == compressionNEF || e.Number == compressionPEF
		case tagDNGVersion:
			t.dng = true
		case tagMake:
			if v, ok := d.Value(e); ok && t.maker == "" {
				name, _, _ := strings.Cut(string(v.Start(longestMaker)), "\x00")
				t.maker = strings.TrimSpace(name)
			}
		case tagSubIFDs:
			below = d.Numbers(e, mostDirectories)
		}
	}
	if isFirst {
		t.copyFirst = small
	} else if !small {
		t.others, t.paged = true, t.paged || isPage
	}
	for _, at := range below {
		if t.seen < mostDirectories {
			t.look(d.Below(at), false) // not a page
		}
	}
}
