package safefile

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// OpenRegular opens the file called name, which must be regular, and returns its size in bytes. Errors are an ErrInput.
//
// Note: a FIFO or device is refused before opening, since opening some of them has effects, and again after opening,
// since the name may refer to another file by then. Opening never blocks.
func OpenRegular(name string) (*os.File, int64, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, 0, Unreadable(name, err)
	}
	if info.IsDir() { // for a folder without permission, report the error of the system
		dir, err := os.Open(name)
		if err != nil {
			return nil, 0, Unreadable(name, err)
		}
		dir.Close()
	}
	if err := mustBeRegular(name, info.Mode()); err != nil {
		return nil, 0, err
	}
	f, err := openWithoutWaiting(name)
	if err != nil {
		return nil, 0, Unreadable(name, err)
	}
	if info, err = f.Stat(); err != nil {
		f.Close()
		return nil, 0, Unreadable(name, err)
	}
	if err := mustBeRegular(name, info.Mode()); err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// ReadRegular reads the file called name, which must be regular and have at most limit bytes. Bytes appended meanwhile
// are not read. Its errors are of the class ErrInput or ErrLimit, without the remedies of OpenRegular.
func ReadRegular(name string, limit int64) ([]byte, error) {
	f, size, err := OpenRegular(name)
	if err != nil {
		if fault, ok := errors.AsType[*Fault](err); ok {
			err = fault.With("")
		}
		return nil, err
	}
	defer f.Close()
	if size > limit {
		return nil, Refuse(ErrLimit, name, "has %d bytes, expected at most %d", size, limit)
	}
	data, err := io.ReadAll(io.LimitReader(f, size))
	if err != nil {
		return nil, Unreadable(name, err)
	}
	return data, nil
}

// mustBeRegular returns nil for the mode of a regular file, else a Fault about name.
func mustBeRegular(name string, mode fs.FileMode) error {
	f := &Fault{Name: name, Class: ErrInput}
	switch {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		f.Reason = "is a folder, not a file; name a file in it"
	case mode&fs.ModeNamedPipe != 0:
		f.Reason, f.Remedy = "is a pipe, not a file", StandardInput
	default:
		f.Reason = "is a device or socket, not a file; copy its data to a file first"
	}
	return f
}
