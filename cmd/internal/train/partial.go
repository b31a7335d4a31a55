package train

import (
	"errors"
	"io/fs"
	"os"

	"superres/cmd/internal/console"
	"superres/internal/safefile"
)

// partial is the path of the state file: it lies beside the model and holds the state of an unfinished training of a
// convolutional stage, from which the next run continues. The path is empty for a training that keeps no state.
type partial string

// partial returns the path of the state file: "" for a coupled model, which is learned in one go.
func (opt Options) partial() partial {
	if !opt.Convolutional {
		return ""
	}
	return partial(opt.Output + ".partial")
}

// read returns the state in the file, nil if it is missing. It refuses more than memory/2 bytes, and irregular files.
func (p partial) read(memory int64) ([]byte, error) {
	name := string(p)
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, console.Fail(console.ExitOutput, err)
	case !info.Mode().IsRegular() || info.Size() > memory/2:
		return nil, console.Failf(console.ExitOutput, "%s is in the way of what is kept of the "+
			"training; move it, or use another -o", name)
	}
	data, err := safefile.ReadRegular(name, memory/2)
	if err != nil {
		return nil, console.Fail(console.ExitOutput, err)
	}
	return data, nil
}

// refuse returns the error to report if the file holds the state of another training.
func (p partial) refuse() error {
	return console.Failf(console.ExitOutput, "%s is of a training with other flags or pictures, or by another "+
		"version of superres, or it is damaged; remove it to start over, or use another -o", string(p))
}

// writer returns a function that replaces the file's content with state. A new file gets no permission that most lacks.
func (p partial) writer(most fs.FileMode) func(state []byte) error {
	return func(state []byte) error {
		return safefile.WriteAtomicMode(most, string(p), true, console.Writes(state))
	}
}

// remove removes the file, after the model was written. Errors are ignored, since a file that remains does no harm.
func (p partial) remove() {
	if p != "" {
		_ = os.Remove(string(p))
	}
}
