package safefile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// The classes of Faults. A Fault wraps at most one, which errors.Is finds. No message contains the text of a class.
var (
	// ErrInput: the input is missing, unreadable, damaged or of another kind.
	ErrInput = errors.New("unusable input")
	// ErrOutput: the output exists, cannot be written, or the disk is full.
	ErrOutput = errors.New("unusable output")
	// ErrLimit: more bytes, time or other resources than allowed.
	ErrLimit = errors.New("limit exceeded")
)

// Fault is a refusal in one line. A caller that needs more than the class finds the Fault with errors.As.
type Fault struct {
	// Name is the name of the file. Empty means not known yet: see Named.
	Name string
	// Reason says what is wrong, why, and, without naming a flag, what to do.
	Reason string
	// Remedy is what the user can change so that the operation succeeds; empty: nothing.
	Remedy Remedy
	// Class is ErrInput, ErrOutput or ErrLimit; nil: an interruption.
	Class error
	// Cause is the underlying error, or nil.
	Cause error
}

// Remedy says what the user of a program can change to avoid a Fault. Its text is for programmers: the program has its
// own words for each remedy, as only it knows its flags. Every package that refuses files defines its own remedies.
type Remedy string

// The remedies of this package.
const (
	Overwrite      Remedy = "overwrite, or another name"
	NameOutput     Remedy = "give the output a name"
	StandardInput  Remedy = "read from standard input"
	StandardOutput Remedy = "write to standard output"
	MoreTime       Remedy = "allow more time"
)

func (f *Fault) Error() string {
	if f.Name == "" {
		return OneLine(f.Reason)
	}
	return printable(f.Name) + ": " + OneLine(f.Reason)
}

// Unwrap returns the class and the cause, if they are not nil.
func (f *Fault) Unwrap() []error {
	var errs []error
	if f.Class != nil {
		errs = append(errs, f.Class)
	}
	if f.Cause != nil {
		errs = append(errs, f.Cause)
	}
	return errs
}

// CutShort returns err or, instead of io.EOF, io.ErrUnexpectedEOF: for a file that ends too early.
func CutShort(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Refuse returns a Fault of class about the file called name; "": not known yet. format and args make up the reason.
func Refuse(class error, name, format string, args ...any) *Fault {
	return &Fault{Name: name, Class: class, Reason: fmt.Sprintf(format, args...)}
}

// With returns a copy of the fault with the remedy r.
func (f *Fault) With(r Remedy) *Fault {
	n := *f
	n.Remedy = r
	return &n
}

// Named returns err if the first Fault in err has a name, else a copy of the Fault with this name. If there is no Fault
// in err, it returns nil and false.
func Named(err error, name string) (_ error, ok bool) {
	f, ok := errors.AsType[*Fault](err)
	if !ok {
		return nil, false
	}
	if f.Name != "" {
		return err, true
	}
	n := *f
	n.Name = name
	return &n, true
}

// Stopped returns err, the error of a context that has ended, as a Fault about name; for other errors, nil and false.
func Stopped(err error, name string) (_ error, ok bool) {
	switch {
	case errors.Is(err, context.Canceled):
		return &Fault{Name: name, Reason: "interrupted", Cause: err}, true
	case errors.Is(err, context.DeadlineExceeded):
		return &Fault{Name: name, Reason: "ran out of time", Remedy: MoreTime, Class: ErrLimit, Cause: err}, true
	}
	return nil, false
}

// Unreadable returns err, an error of the operating system about the input called name, as an ErrInput.
func Unreadable(name string, err error) error {
	f := &Fault{Name: name, Class: ErrInput, Cause: err}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.Reason = "does not exist; check the name"
	case errors.Is(err, fs.ErrPermission):
		f.Reason = fmt.Sprintf("cannot be read: %v; check its mode", bareReason(err))
	default:
		f.Reason = fmt.Sprintf("cannot be read: %v; check the name and the disk", bareReason(err))
	}
	return f
}

// Unwritable returns err, an error of the operating system about the output called name, as an ErrOutput.
func Unwritable(name string, err error) error {
	advice := "try another name or folder"
	switch {
	case errors.Is(err, fs.ErrExist):
		return &Fault{Name: name, Class: ErrOutput, Cause: err, Reason: "already exists", Remedy: Overwrite}
	case errors.Is(err, syscall.ENOSPC):
		advice = "free some space or write elsewhere"
	case errors.Is(err, fs.ErrPermission):
		advice = "check the mode of the folder or write elsewhere"
	}
	return &Fault{Name: name, Class: ErrOutput, Cause: err,
		Reason: fmt.Sprintf("cannot be written: %v; %s", bareReason(err), advice)}
}

// bareReason returns the reason in err, without the operation and the path that packages os and io/fs put before it.
func bareReason(err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		return link.Err
	}
	return err
}

// printable returns name as one line: Shortened, and quoted if it contains anything but visible characters and spaces.
func printable(name string) string {
	name = Shortened(name)
	if strings.ContainsFunc(name, func(r rune) bool { return !strconv.IsPrint(r) || r == unicode.ReplacementChar }) {
		return strconv.Quote(name)
	}
	return name
}

// longestName is the greatest number of characters of a name in a message.
const longestName = 200

// Shortened returns name for a message: if it has over 200 characters, dots replace the middle, so that 200 are left.
func Shortened(name string) string {
	if utf8.RuneCountInString(name) <= longestName {
		return name
	}
	const dots = "..."
	begin, end := 0, len(name)
	for range (longestName - len(dots)) / 2 {
		_, size := utf8.DecodeRuneInString(name[begin:])
		begin += size
	}
	for range (longestName - len(dots) + 1) / 2 {
		_, size := utf8.DecodeLastRuneInString(name[:end])
		end -= size
	}
	return name[:begin] + dots + name[end:]
}

// PlainASCII returns text, which is JSON, with an escape such as \u00e9 for each character that is not ASCII. Headers
// of HTTP cannot hold such characters, and some languages decode their input by the encoding of the system.
func PlainASCII(text []byte) []byte {
	var out []byte
	for _, r := range string(text) {
		switch {
		case r < utf8.RuneSelf:
			out = append(out, byte(r))
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}

// OneLine returns s with spaces instead of characters that are not visible.
func OneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if !strconv.IsPrint(r) {
			return ' '
		}
		return r
	}, s)
}
