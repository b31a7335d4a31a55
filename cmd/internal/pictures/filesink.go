package pictures

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"superres/cmd/internal/console"
	"superres/cmd/internal/paths"
	"superres/internal/enlarging"
	"superres/internal/safefile"
)

// FileSink is an enlarging.Sink that writes a file.
type FileSink struct {
	// Path is the file to write, and Root the folder that the path must not leave through a symbolic link.
	Path, Root string
	// Original is the new name for the file that was at Path before; empty: that file is not kept.
	Original string
	// Keep calls write and stores the bytes written as the file. info describes the input file; nil for a pipe.
	Keep func(info fs.FileInfo, write func(io.Writer) error) error
}

// Deliver implements enlarging.Sink. It creates the folder of the file if necessary. With s.Original, the file that
// was at s.Path gets this second name (a hard link) just before the result replaces it, and loses it if that fails.
func (s FileSink) Deliver(p *enlarging.Plan, write func(io.Writer) error) error {
	dir := filepath.Dir(s.Path)
	if link, is := paths.ThroughLink(s.Root, dir); is {
		return console.Failf(console.ExitOutput, "%s is a link out of %s; nothing is written through it", link, s.Root)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return safefile.Unwritable(dir, err)
	}
	kept := false
	err := s.Keep(p.Info, func(w io.Writer) error {
		if err := write(w); err != nil || s.Original == "" {
			return err
		}
		// The result is complete. From here on the original has both names, until the result takes over the first name.
		err := os.Link(s.Path, s.Original)
		if kept = err == nil; err != nil && !safefile.SameFile(s.Path, s.Original) { // the same: linked earlier
			return safefile.Unwritable(s.Original, err)
		}
		return nil
	})
	if err != nil && kept {
		_ = os.Remove(s.Original) // the original still has its own name
	}
	if errors.Is(err, fs.ErrExist) { // the file did not exist when the work was planned
		return console.Failf(console.ExitOutput, "%s has been made by another program since this one began; "+
			"if that is another superres in %s, wait for it, or use another -o", s.Path, filepath.Clean(s.Root))
	}
	return err
}

// Aside implements enlarging.Sink: the temporary file has no name, and is in the folder of the result.
func (s FileSink) Aside() (*os.File, func(), error) { return enlarging.Scratch(filepath.Dir(s.Path)) }
