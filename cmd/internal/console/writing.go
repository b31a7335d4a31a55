package console

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"runtime"

	"superres/cmd/internal/paths"
	"superres/internal/report"
	"superres/internal/safefile"
)

// WriteOutput calls write with standard output if name is "-", else for the file called name, which is written
// completely or not at all, with at most the mode most. An existing file is an error unless overwrite is true.
// The result is the stream for messages about the output: standard error if name is "-", else standard output.
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

// Facts returns the facts for a report: the command with all settings, the program's version, and then those in more.
func Facts(command string, more ...report.Fact) []report.Fact {
	return append([]report.Fact{
		{Name: "command with all settings", Value: command},
		{Name: "version", Value: fmt.Sprintf("superres %s, %s %s/%s, %d processors", Build(), runtime.Version(),
			runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0))},
	}, more...)
}

// Writes returns a function that writes data to its argument, for use with safefile.WriteAtomic.
func Writes(data []byte) func(io.Writer) error {
	return func(w io.Writer) error { _, err := w.Write(data); return err }
}

// WriteJSON writes v as JSON, indented by two spaces.
func WriteJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
