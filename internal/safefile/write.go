package safefile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// WriteAtomic creates the file called name with the bytes that the function write writes, completely or not at all:
// until the last byte is on the disk, the name keeps its old file or stays free. After an error or a panic in write,
// the temporary file is removed. Only a kill or a crash leaves it behind, for RemoveLeftovers.
//
// A new file gets the mode that the umask allows. With overwrite, an existing regular file is replaced and its mode
// kept, unless the file is write-protected. Without overwrite, an existing name is refused, even if it appears while
// write runs. Links, folders and devices are never replaced or followed.
//
// write must not keep its writer. If write returns a Fault, or the error of a context, its class is kept; all other
// errors become an ErrOutput.
func WriteAtomic(name string, overwrite bool, write func(io.Writer) error) error {
	return writeAtomic(osDisk{}, name, AnyMode, time.Time{}, overwrite, fillNamed(name, write))
}

// WriteAtomicMode is WriteAtomic, but a new file gets at most the mode given, from its first byte on. See ModeOf.
func WriteAtomicMode(mode fs.FileMode, name string, overwrite bool, write func(io.Writer) error) error {
	return writeAtomic(osDisk{}, name, mode, time.Time{}, overwrite, fillNamed(name, write))
}

// WriteAtomicFrom is WriteAtomic for a file made from origin, which decides the mode and the time: see Origin.
func WriteAtomicFrom(origin Origin, name string, overwrite bool, write func(io.Writer) error) error {
	return writeAtomic(osDisk{}, name, ModeOfInfo(origin.Info), origin.modified(), overwrite, fillNamed(name, write))
}

// MakeAtomicFrom is WriteAtomicFrom, with mode and time by origin, for a file that another program writes: run gets the
// path of the temporary file, which exists and is empty, and runs the program, which must not replace the file.
func MakeAtomicFrom(origin Origin, name string, overwrite bool, run func(temp string) error) error {
	return writeAtomic(osDisk{}, name, ModeOfInfo(origin.Info), origin.modified(), overwrite, func(f file) error {
		err := run(f.Name())
		if err == nil {
			return nil
		}
		return asOutput(err, name)
	})
}

// AnyMode is the greatest mode of a new file that is not made from other files: only the umask restricts it.
const AnyMode fs.FileMode = 0o666

// ModeOf returns the greatest mode, at most AnyMode, for a file made from the files called names: group and others get
// only the permissions that they have for all these files. Names of no existing regular file, such as "-", are ignored.
func ModeOf(names ...string) fs.FileMode {
	most := AnyMode
	for _, name := range names {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			most &= ModeOfInfo(info)
		}
	}
	return most
}

// ModeOfInfo is ModeOf for info, the description of a file of any kind; nil: no file.
func ModeOfInfo(info fs.FileInfo) fs.FileMode {
	if info == nil {
		return AnyMode
	}
	return AnyMode & (info.Mode().Perm() | 0o600)
}

// CheckWritable fails, with an ErrOutput, if WriteAtomic would refuse name and overwrite. It examines the existing
// file, and creates and removes a temporary file. The result may change before the file is written.
func CheckWritable(name string, overwrite bool) error {
	d := osDisk{}
	mode, _, err := outputMode(d, name, overwrite)
	if err != nil {
		return err
	}
	dir, _ := filepath.Split(name)
	return tryTemp(d, dir, mode, name)
}

// CheckFolder fails, with an ErrOutput, if no file can be created in dir. It creates and removes a temporary file.
func CheckFolder(dir string) error {
	return tryTemp(osDisk{}, dir+string(filepath.Separator), 0o666, dir)
}

// tryTemp creates and removes a temporary file with this mode in dir. It reports a failure as an error about name.
func tryTemp(d disk, dir string, mode fs.FileMode, name string) error {
	temp, err := createTemp(d, dir, mode)
	if err != nil {
		return Unwritable(name, err)
	}
	defer temp.Release()
	temp.Close()
	if err := d.Remove(temp.Name()); err != nil {
		return Unwritable(name, err)
	}
	return nil
}

// writeAtomic does the work of WriteAtomic on the file system d. most is the greatest mode for a new file. modified is
// the modification time for the file; zero: the current time. write fills the temporary file.
func writeAtomic(d disk, name string, most fs.FileMode, modified time.Time, overwrite bool,
	write func(file) error) error {
	mode, replaces, err := outputMode(d, name, overwrite)
	if err != nil {
		return err
	}
	if !replaces {
		mode = most
	}
	dir, _ := filepath.Split(name) // not cleaned: cleaning a/../b is wrong if a is a link
	temp, err := createTemp(d, dir, mode)
	if errors.Is(err, fs.ErrNotExist) {
		return &Fault{Name: name, Class: ErrOutput, Cause: err,
			Reason: fmt.Sprintf("there is no folder %s; make it first", printable(filepath.Clean(dir)))}
	}
	if err != nil {
		return Unwritable(name, err)
	}
	// After success, Close and Remove have no effect: the file is closed, and has another name.
	defer func() {
		temp.Close()
		d.Remove(temp.Name())
		temp.Release()
	}()

	if err := write(temp); err != nil {
		return err
	}
	if err := temp.Sync(); err != nil {
		return Unwritable(name, err)
	}
	if replaces {
		// This fails where files have no modes. It adds no permission to those with which the file was created.
		_ = temp.Chmod(mode)
	}
	if err := temp.Close(); err != nil {
		return Unwritable(name, err)
	}
	if !modified.IsZero() { // after Close, which on some systems sets the time of the last write
		if err := d.Chtimes(temp.Name(), modified); err != nil {
			return Unwritable(name, err)
		}
	}
	if err := giveName(d, temp.Name(), name, mode, overwrite); err != nil {
		return Unwritable(name, err)
	}
	d.SyncDir(dir)
	return nil
}

// outputMode returns the mode of the file that name replaces, or AnyMode if there is no such file; replaces reports
// whether there is one. It fails as WriteAtomic does.
func outputMode(d disk, name string, overwrite bool) (mode fs.FileMode, replaces bool, err error) {
	no := func(reason string, remedy Remedy) (fs.FileMode, bool, error) {
		return 0, false, &Fault{Name: name, Reason: reason, Remedy: remedy, Class: ErrOutput}
	}
	if name == "" {
		return no("the output has no name", NameOutput)
	}
	info, err := d.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return AnyMode, false, nil
	case err != nil:
		return 0, false, Unwritable(name, err)
	case info.IsDir():
		return no("is a folder; give the name of a file", "")
	case info.Mode()&fs.ModeSymlink != 0:
		return no("is a symbolic link; give the name of the file itself", "")
	case !info.Mode().IsRegular():
		return no("is a device or pipe, not a file", StandardOutput)
	case !overwrite:
		return 0, false, Unwritable(name, fs.ErrExist)
	case info.Mode().Perm()&0o200 == 0:
		return no("is write-protected; change its mode or use another name", "")
	}
	return info.Mode().Perm(), true, nil
}

// fillNamed returns a function for writeAtomic that calls fill with name and write.
func fillNamed(name string, write func(io.Writer) error) func(file) error {
	return func(f file) error { return fill(f, name, write) }
}

// fill calls write with a buffered writer to f, and returns errors as faults about name.
func fill(f io.Writer, name string, write func(io.Writer) error) error {
	out := &Watched{Writer: f}
	buf := bufio.NewWriterSize(out, 1<<16)
	err := write(buf)
	if err == nil {
		err = buf.Flush()
	}
	switch {
	case out.Err != nil:
		return Unwritable(name, out.Err) // the error of f itself; write may have reworded it
	case err == nil:
		return nil
	}
	return asOutput(err, name)
}

// asOutput returns err, which ended the writing of name, as a Fault about name: its own, a stop, or Unwritable.
func asOutput(err error, name string) error {
	if err, ok := Named(err, name); ok {
		return err
	}
	if err, ok := Stopped(err, name); ok {
		return err
	}
	return Unwritable(name, err)
}

// Watched is a writer that remembers its first error, for callers that reword or lose errors.
type Watched struct {
	io.Writer
	// Err is the first error of Write; nil: none.
	Err error
}

func (w *Watched) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	if w.Err == nil {
		w.Err = err
	}
	return n, err
}

// giveName gives the finished file temp its final name.
//
// Note: renaming replaces an existing file, so without overwrite the name is created as a link, which fails if the name
// exists. Where links cannot be made, an empty file with this mode takes the name first; a crash then leaves it there.
func giveName(d disk, temp, name string, mode fs.FileMode, overwrite bool) error {
	if overwrite {
		return d.Rename(temp, name)
	}
	if err := d.Link(temp, name); err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	reserved, err := d.Create(name, mode)
	if err != nil {
		return err
	}
	reserved.Close()
	if err := d.Rename(temp, name); err != nil {
		d.Remove(name)
		return err
	}
	return nil
}
