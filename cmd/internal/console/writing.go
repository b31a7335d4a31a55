package console

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"path/filepath"

	"superres/cmd/internal/paths"
	"superres/internal/safefile"
)

// Interruptible returns a writer that fails once ctx ends.
func Interruptible(ctx context.Context, w io.Writer) io.Writer { return stopped{ctx, w} }

type stopped struct {
	context.Context
	io.Writer
}

func (w stopped) Write(p []byte) (int, error) {
	if err := w.Err(); err != nil {
		return 0, err
	}
	return w.Writer.Write(p)
}

// WriteOutput writes an output to standard output where its name is -, else to a file, as
// safefile.WriteAtomicMode does. It returns the stream for what is said of the output: standard output, or
// standard error where that is taken.
func (s *Streams) WriteOutput(name string, most fs.FileMode, overwrite bool, write func(io.Writer) error) (io.Writer,
	error) {
	if !paths.IsStandard(name) {
		return s.Out, safefile.WriteAtomicMode(most, name, overwrite, write)
	}
	w := bufio.NewWriter(s.Out)
	if err := write(w); err != nil {
		return nil, err
	}
	return s.Err, w.Flush()
}

// ReportFile is a file of a report, and what writes it.
type ReportFile struct {
	name  string
	write func(io.Writer) error
}

// ReportAs makes a file of a report.
func ReportAs(name string, write func(io.Writer) error) ReportFile { return ReportFile{name, write} }

// WriteReports writes the files to the folder, in this order, over those of an earlier run. New ones get no more than
// the mode most: see safefile.ModeOf.
func WriteReports(dir string, most fs.FileMode, files ...ReportFile) error {
	for _, f := range files {
		if err := safefile.WriteAtomicMode(most, filepath.Join(dir, f.name), true, f.write); err != nil {
			return err
		}
	}
	return nil
}

// Writes returns what writes data, for safefile.WriteAtomic.
func Writes(data []byte) func(io.Writer) error {
	return func(w io.Writer) error { _, err := w.Write(data); return err }
}

// WriteJSON writes a value as JSON for people, indented by two spaces.
func WriteJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
