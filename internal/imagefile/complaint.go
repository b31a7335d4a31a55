package imagefile

import (
	"errors"
	"image/png"
	"io"
	"strings"

	"superres/internal/bmp"
	"superres/internal/jpeg"
	"superres/internal/safefile"
	"superres/internal/tiff"
)

// trouble is the reason why a decoder has refused a file.
type trouble int

const (
	damaged     trouble = iota // the file breaks the rules of the format
	incomplete                 // the file ends too early
	unsupported                // the file is valid, but the decoder does not know the feature
	named                      // like unsupported, and the error text is a noun in plain words
)

// classifyError returns the text of an error from a decoder, without the package name, and the kind of trouble.
func classifyError(err error) (what string, kind trouble) {
	var ( // bad: damaged files; new: valid files that the decoder does not read
		badPNG, newPNG   = png.FormatError(""), png.UnsupportedError("")
		badJPEG, newJPEG = jpeg.FormatError(""), jpeg.UnsupportedError("")
		badTIFF, newTIFF = tiff.FormatError(""), tiff.UnsupportedError("")
		newBMP           = bmp.UnsupportedError("")
	)
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "unexpected EOF", incomplete
	case errors.As(err, &newBMP):
		return string(newBMP), named
	case errors.As(err, &newPNG):
		return string(newPNG), unsupported
	case errors.As(err, &newJPEG):
		return string(newJPEG), named
	case errors.As(err, &newTIFF):
		return string(newTIFF), named
	case errors.As(err, &badPNG):
		return trimError(string(badPNG))
	case errors.As(err, &badJPEG):
		return trimError(string(badJPEG))
	case errors.As(err, &badTIFF):
		return trimError(string(badTIFF))
	}
	if what := beyondWebP[err.Error()]; what != "" {
		return what, named
	}
	return trimError(err.Error())
}

// beyondWebP maps errors of golang.org/x/image/webp to the feature of a valid WebP file that causes them.
var beyondWebP = map[string]string{
	"vp8: too much data to decode": "16 MiB of lossy pixels, or more",
	"vp8l: too many Huffman trees": "more than 2600 groups of prefix codes",
}

// trimError returns s, an error text, without leading package names and "reading …:", and the kind of trouble:
// incomplete if the rest begins like an error about the end of the file, else damaged.
func trimError(s string) (string, trouble) {
	for {
		head, tail, ok := strings.Cut(s, ": ")
		if !ok || !packages[head] && !strings.HasPrefix(head, "reading ") {
			break
		}
		s = tail
	}
	for _, start := range []string{"EOF", "unexpected EOF", "short ", "not enough "} {
		if strings.HasPrefix(s, start) {
			return s, incomplete
		}
	}
	return s, damaged
}

// packages are the names with which decoders begin their errors.
var packages = map[string]bool{
	"image": true, "avif": true, "metadata": true, "png": true, "jpeg": true, "gif": true, "bmp": true, "tiff": true,
	"webp": true, "riff": true, "vp8": true, "vp8l": true,
	"zlib": true, "flate": true, "lzw": true, "ccitt": true,
}

// The remedies of this package; safefile has others. A remedy says what to change so that a picture can be handled.
const (
	MorePixels   safefile.Remedy = "allow more pixels"
	MoreMemory   safefile.Remedy = "allow more memory"
	FirstFrame   safefile.Remedy = "take the first frame, or save one as a picture"
	FirstPage    safefile.Remedy = "take the first page, or save one as a file"
	FirstPicture safefile.Remedy = "give the pictures as files, or take the first"
	KnownFormat  safefile.Remedy = "choose a format that can be written"
	KnownName    safefile.Remedy = "choose a format that can be written, or a name that tells one"
	KnownQuality safefile.Remedy = "choose a quality from 1 to 100"
	LargerScale  safefile.Remedy = "enlarge more"
	FewerPages   safefile.Remedy = "enlarge less, or fewer pages"
	PNGOrSmaller safefile.Remedy = "write a PNG, or enlarge less"
)

// refuse returns a fault of a class of safefile, without a file name; callers add the name: see safefile.Named.
func refuse(class error, format string, args ...any) *safefile.Fault {
	return safefile.Refuse(class, "", format, args...)
}
