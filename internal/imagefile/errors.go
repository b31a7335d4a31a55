package imagefile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"unicode"
)

// Every error of this package wraps at most one of these; a caller branches on
// them with errors.Is. Their own text is never part of a message.
var (
	// ErrInput: the input is missing, unreadable, damaged or not an image.
	ErrInput = errors.New("unusable input")
	// ErrOutput: the output exists, cannot be written, or the disk is full.
	ErrOutput = errors.New("unusable output")
	// ErrLimit: more pixels, bytes, scans or time than allowed.
	ErrLimit = errors.New("limit exceeded")
)

// fault is a refusal with a one-line text.
type fault struct {
	name  string // the file, or "" where it is not known yet
	text  string // what, why, what to do
	class error  // one of the sentinels, or nil for an interruption
	cause error  // the error underneath, or nil
}

func (f *fault) Error() string {
	if f.name == "" {
		return OneLine(f.text)
	}
	return printable(f.name) + ": " + OneLine(f.text)
}

func (f *fault) Unwrap() []error {
	var errs []error
	if f.class != nil {
		errs = append(errs, f.class)
	}
	if f.cause != nil {
		errs = append(errs, f.cause)
	}
	return errs
}

// Refuse returns an error of one of the classes about a file.
func Refuse(class error, name, format string, args ...any) error {
	return &fault{name: name, class: class, text: fmt.Sprintf(format, args...)}
}

// refuse returns a fault without a name and without a cause.
func refuse(class error, format string, args ...any) *fault {
	return &fault{class: class, text: fmt.Sprintf(format, args...)}
}

// named returns the first fault in err under the given name, unless it has one
// already; ok is false when there is no fault in err.
func named(err error, name string) (_ error, ok bool) {
	var f *fault
	if !errors.As(err, &f) {
		return nil, false
	}
	if f.name != "" {
		return err, true
	}
	n := *f
	n.name = name
	return &n, true
}

// stopped reports a context's error; ok is false when err is none.
func stopped(err error, name string) (_ error, ok bool) {
	switch {
	case errors.Is(err, context.Canceled):
		return &fault{name: name, text: "interrupted", cause: err}, true
	case errors.Is(err, context.DeadlineExceeded):
		return &fault{name: name, text: "ran out of time; use a larger --timeout", class: ErrLimit, cause: err}, true
	}
	return nil, false
}

// bare returns err's reason without the operation and the path that the
// packages os and io/fs put in front of it.
func bare(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

// unreadable reports an input that the operating system will not give.
func unreadable(name string, err error) error {
	f := &fault{name: name, class: ErrInput, cause: err}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		f.text = "does not exist; check the name"
	case errors.Is(err, fs.ErrPermission):
		f.text = fmt.Sprintf("cannot be read: %v; check its mode", bare(err))
	default:
		f.text = fmt.Sprintf("cannot be read: %v; check the name and the disk", bare(err))
	}
	return f
}

// Unwritable words an error of the operating system about an output.
func Unwritable(name string, err error) error {
	advice := "try another name or folder"
	switch {
	case errors.Is(err, fs.ErrExist):
		return &fault{name: name, class: ErrOutput, cause: err,
			text: "already exists; use --on-exist overwrite or another name"}
	case errors.Is(err, syscall.ENOSPC):
		advice = "free some space or write elsewhere"
	case errors.Is(err, fs.ErrPermission):
		advice = "check the mode of the folder or write elsewhere"
	}
	return &fault{name: name, class: ErrOutput, cause: err,
		text: fmt.Sprintf("cannot be written: %v; %s", bare(err), advice)}
}

// printable returns a file name fit for one line: as it is, or quoted when it
// holds anything that is not a visible character or a space.
func printable(name string) string {
	if strings.ContainsFunc(name, func(r rune) bool { return !strconv.IsPrint(r) || r == unicode.ReplacementChar }) {
		return strconv.Quote(name)
	}
	return name
}

// OneLine replaces whatever in s is not a visible character by spaces.
func OneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if !strconv.IsPrint(r) {
			return ' '
		}
		return r
	}, s)
}
