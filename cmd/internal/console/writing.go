package console

import (
	"bufio"
	"encoding/json"
	"io"
	"io/fs"
	"path/filepath"

	"superres/cmd/internal/paths"
	"superres/internal/safefile"
)

// WriteOutput calls write for standard output if name is "-", else for the file name, whole or not at all, with no more
// permissions than most. An existing file is an error unless overwrite. It returns the stream for messages about the
// output: standard error if the output went to standard output, else standard output.
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

// ReportFile is a file of a report: its name within the folder and the function that writes its content.
type ReportFile struct {
	name  string
	write func(io.Writer) error
}

// ReportAs returns the file called name, whose content write writes.
func ReportAs(name string, write func(io.Writer) error) ReportFile { return ReportFile{name, write} }

// WriteReports writes the files to the folder dir, in this order, and replaces those of an earlier run. New files get
// no more permissions than most. It stops at the first error.
func WriteReports(dir string, most fs.FileMode, files ...ReportFile) error {
	for _, f := range files {
		if err := safefile.WriteAtomicMode(most, filepath.Join(dir, f.name), true, f.write); err != nil {
			return err
		}
	}
	return nil
}

// Writes returns a function that writes data, for safefile.WriteAtomic.
func Writes(data []byte) func(io.Writer) error {
	return func(w io.Writer) error { _, err := w.Write(data); return err }
}

// WriteJSON writes v as JSON, indented by two spaces.
func WriteJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
