package train

import (
	"errors"
	"io/fs"
	"os"

	"superres/cmd/internal/console"
	"superres/internal/safefile"
)

// partial is the name of the file that an interrupted training of a convolutional stage goes on from. It lies beside
// the model; the empty name is that of a training which keeps nothing.
type partial string

// partial returns the name of the file of this training. A coupled model is learned at once and has none.
func (opt Options) partial() partial {
	if !opt.Convolutional {
		return ""
	}
	return partial(opt.Output + ".partial")
}

// read returns what an interrupted training kept: nil when there is nothing.
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

// writer returns a function that replaces the file by the state of a training. The file has no more permissions than
// the mode most.
func (p partial) writer(most fs.FileMode) func(state []byte) error {
	return func(state []byte) error {
		return safefile.WriteAtomicMode(most, string(p), true, console.Writes(state))
	}
}

// remove takes the file away once the model is there: nothing is lost when it stays.
func (p partial) remove() {
	if p != "" {
		_ = os.Remove(string(p))
	}
}
