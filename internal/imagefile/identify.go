package imagefile

import (
	"context"
	"errors"
	"io"
	"slices"

	"superres/internal/imagefile/foreign"
	"superres/internal/safefile"
)

// sniff returns the codec for a file that begins with head, or a fault without a file name if there is no such codec.
func sniff(head []byte) (*codec, error) {
	if len(head) == 0 {
		return nil, refuse(safefile.ErrInput, "is empty; copy or export it again")
	}
	for i := range codecs {
		if slices.ContainsFunc(codecs[i].magic, func(magic string) bool { return foreign.StartsWith(head, magic) }) {
			return &codecs[i], nil
		}
	}
	if kind, is := foreign.Of(head); is {
		return nil, refuseKind(kind)
	}
	return nil, refuse(safefile.ErrInput, "not an image (starts with %q; known: %s)", head[:min(7, len(head))],
		knownInputs())
}

// refuseKind returns the fault for a kind of file that cannot be read.
func refuseKind(kind foreign.Kind) error {
	return refuse(safefile.ErrInput, "%s cannot be read (known: %s); %s", kind.Title, knownInputs(), kind.Advice)
}

// Check fails, with the same error as Open, if the beginning of the file is enough for Open to refuse it: the file
// cannot be opened, or its format cannot be read.
func Check(name string) error {
	file, _, err := safefile.OpenRegular(name)
	if err != nil {
		return err
	}
	defer file.Close()
	head, err := headOf(file, name)
	if err == nil {
		const made = false // the name may show the kind of the file
		_, err = codecOf(file, head, name, made)
	}
	return err
}

// codecOf returns the codec for the file r, which begins with head. It refuses a file of another kind that only begins
// like a picture. name is for errors, and may show the kind of the file, unless made is true: see Limits.Made.
func codecOf(r io.ReaderAt, head []byte, name string, made bool) (*codec, error) {
	f, err := sniff(head)
	if err == nil && f.mimic != nil {
		hint := name // of the kind
		if made {
			hint = ""
		}
		if other, is := f.mimic(r, hint); is {
			err = refuseKind(other)
		}
	}
	if err != nil {
		err, _ = safefile.Named(err, name)
		return nil, err
	}
	return f, nil
}

// isRaw reports, from content and name, whether a TIFF called name is a raw file of a camera, and returns its kind.
func isRaw(r io.ReaderAt, name string) (foreign.Kind, bool) {
	if kind, is := foreign.Raw(r); is {
		return kind, true
	}
	return foreign.RawName(name)
}

// headOf returns the first bytes of a file, at most foreign.HeadLength.
func headOf(r io.ReaderAt, name string) ([]byte, error) {
	head := make([]byte, foreign.HeadLength)
	n, err := r.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, safefile.Unreadable(name, err)
	}
	return head[:n], nil
}

// Identify returns the format of the regular file called name if it is a picture that can be read, or its kind if it
// is another picture or a document. Both are empty for all other files. It reads the first bytes of the file, and the
// directories of a TIFF. Its errors, such as for a file that is missing, are of the class safefile.ErrInput.
func Identify(name string) (format Format, other foreign.Kind, err error) {
	file, _, err := safefile.OpenRegular(name)
	if err != nil {
		return "", other, err
	}
	defer file.Close()
	return IdentifyAt(file, name)
}

// IdentifyAt is Identify for an open file; name is for messages, and may show that a TIFF is a raw file.
func IdentifyAt(r io.ReaderAt, name string) (format Format, other foreign.Kind, err error) {
	head, err := headOf(r, name)
	if err != nil {
		return "", other, err
	}
	f, refused := sniff(head)
	if refused != nil {
		other, _ = foreign.Of(head)
		return "", other, nil
	}
	if f.mimic != nil {
		if other, is := f.mimic(r, name); is {
			return "", other, nil
		}
	}
	if foreign.StartsWith(head, f.surely) { // else it is most likely no picture
		format = f.format
	}
	return format, other, nil
}

// HoldsSeveral reports whether the file called name contains several pictures: an animation, or a TIFF with several
// pages. It reads only headers, and returns false if the file cannot be read.
func HoldsSeveral(name string) bool {
	file, size, err := safefile.OpenRegular(name)
	if err != nil {
		return false
	}
	defer file.Close()
	return HoldsSeveralAt(file, size)
}

// HoldsSeveralAt is HoldsSeveral for an open file of the given size in bytes.
func HoldsSeveralAt(r io.ReaderAt, size int64) bool {
	head, err := headOf(r, "")
	if err != nil {
		return false
	}
	f, err := sniff(head)
	return err == nil && f.several != nil && f.several(&source{ctx: context.Background(), file: r, size: size})
}
