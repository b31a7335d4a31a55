// Package foreign recognises, by content, kinds of pictures that package imagefile does not read, for its errors.
//
// The raw files of most cameras are TIFF files with a small copy as the first picture; a reader of TIFF would take this
// copy for the picture, without an error. raw.go recognises such files.
package foreign

import (
	"bytes"
	"slices"
	"strings"
)

// Kind is a kind of file that cannot be read.
type Kind struct {
	Title    string // the name of the kind for people, such as HEIC
	Advice   string // says what the user can do with such a file
	Document bool   // such files are documents, which may contain pictures
}

// HeadLength is the greatest number of bytes that Of needs.
const HeadLength = 512

const (
	save    = "save it as PNG or JPEG first"
	develop = "develop it in a program for raw files, and enlarge the TIFF or PNG that it makes"
	export  = "export it as a PNG of the size you want"
)

// kinds lists the kinds with the bytes at the start of their files; ? is any byte.
var kinds = []struct {
	magic string
	Kind
}{
	{"\xff\x0a", Kind{Title: "JPEG XL", Advice: save}},
	{"\x00\x00\x00\x0cJXL ", Kind{Title: "JPEG XL", Advice: save}},
	{"\x00\x00\x00\x0cjP  ", Kind{Title: "JPEG 2000", Advice: save}},
	{"\xff\x4f\xff\x51", Kind{Title: "JPEG 2000", Advice: save}},
	{"II\xbc\x01", Kind{Title: "JPEG XR", Advice: save}},
	{"8BPS", Kind{Title: "Photoshop", Advice: "save it as PNG or TIFF first"}},
	{"gimp xcf", Kind{Title: "GIMP", Advice: "export it as PNG or TIFF first"}},
	{"v/1\x01", Kind{Title: "OpenEXR", Advice: "save it as PNG or TIFF of 16 bits first"}},
	{"#?RADIANCE", Kind{Title: "Radiance HDR", Advice: "save it as PNG or TIFF of 16 bits first"}},
	{"\x00\x00\x01\x00?\x00", Kind{Title: "icon", Advice: "save one of its pictures as PNG first"}},
	{"qoif", Kind{Title: "QOI", Advice: "save it as PNG first"}},
	{"P4\n", Kind{Title: "PBM", Advice: "save it as PNG first"}},
	{"P5\n", Kind{Title: "PGM", Advice: "save it as PNG first"}},
	{"P6\n", Kind{Title: "PPM", Advice: "save it as PNG first"}},
	{"FUJIFILMCCD-RAW", Kind{Title: "RAF", Advice: develop}},
	{"IIRO", Kind{Title: "ORF", Advice: develop}},
	{"IIRS", Kind{Title: "ORF", Advice: develop}},
	{"MMOR", Kind{Title: "ORF", Advice: develop}},
	{"IIU\x00", Kind{Title: "RW2", Advice: develop}},
	{"II\x1a\x00\x00\x00HEAPCCDR", Kind{Title: "CRW", Advice: develop}},
	{"\x00MRM", Kind{Title: "MRW", Advice: develop}},
	{"FOVb", Kind{Title: "X3F", Advice: develop}},
	{"Rar!\x1a\x07", Kind{Title: "RAR", Advice: "unpack it first", Document: true}},
	{"7z\xbc\xaf\x27\x1c", Kind{Title: "7z", Advice: "unpack it first", Document: true}},
	{"%PDF-", Kind{Title: "PDF", Advice: "export the page as PNG first", Document: true}},
	{"%!PS", Kind{Title: "PostScript", Advice: "export the page as PNG first", Document: true}},
}

// brands lists the kinds of files made of boxes, with the brands that the first box of such a file may name. AVIF files
// may also name brands of HEIC, so AVIF stands before HEIC.
var brands = []struct {
	names string // names of brands, each of four letters
	Kind
}{
	{"crx ", Kind{Title: "CR3", Advice: develop}},
	{"avif avis", Kind{Title: "AVIF", Advice: save}},
	{"heic heix heim heis hevc hevx hevm hevs mif1 msf1", Kind{Title: "HEIC", Advice: save}},
}

// Of returns the kind of the file that begins with head, its first HeadLength bytes or all, and whether it is known.
func Of(head []byte) (Kind, bool) {
	for _, k := range kinds {
		if StartsWith(head, k.magic) {
			return k.Kind, true
		}
	}
	if StartsWith(head, "????ftyp") && len(head) >= 12 {
		for _, b := range brands {
			if slices.ContainsFunc(boxBrands(head), func(name string) bool { return strings.Contains(b.names, name) }) {
				return b.Kind, true
			}
		}
	}
	if isSVG(head) {
		return Kind{Title: "SVG", Advice: export}, true
	}
	return Kind{}, false
}

// boxBrands returns the major brand and the compatible brands in head, the start of a file made of boxes. The first box
// has its length in bytes 0 to 3, its major brand in 8 to 11, a version, and the compatible brands from byte 16 on.
func boxBrands(head []byte) []string {
	end := min(int(head[2])<<8|int(head[3]), len(head)) // two bytes of the length suffice for HeadLength
	list := []string{string(head[8:12])}
	for p := 16; p+4 <= end; p += 4 {
		list = append(list, string(head[p:p+4]))
	}
	return list
}

// isSVG reports whether the first element in a text, or its DOCTYPE, is svg.
func isSVG(head []byte) bool {
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	for bytes.HasPrefix(text, []byte("<?")) || bytes.HasPrefix(text, []byte("<!")) {
		if bytes.HasPrefix(text, []byte("<!DOCTYPE svg")) {
			return true
		}
		end := ">"
		if bytes.HasPrefix(text, []byte("<!--")) {
			end = "-->"
		}
		_, rest, ok := bytes.Cut(text, []byte(end))
		if !ok {
			return false
		}
		text = bytes.TrimLeft(rest, " \t\r\n")
	}
	return bytes.HasPrefix(text, []byte("<svg"))
}

// StartsWith reports whether head starts with magic; ? matches any byte.
func StartsWith(head []byte, magic string) bool {
	if len(head) < len(magic) {
		return false
	}
	for i := range len(magic) {
		if magic[i] != '?' && magic[i] != head[i] {
			return false
		}
	}
	return true
}
