package train

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"superres/cmd/internal/console"
	"superres/internal/safefile"
)

// partial is the file beside a model that is being learned which has the stages that are
// whole, or the steps. Empty is none: nothing is kept.
type partial string

// partial returns the file of this training. What has one stage has nothing to keep, but
// for the steps of a convolutional one.
func (opt Options) partial() partial {
	if opt.Stages < 2 && !opt.Convolutional {
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
		return nil, console.Fail(console.ExitOutput, fmt.Errorf("%s is in the way of what is kept of the training; move it, or use another -o", name))
	}
	data, err := safefile.ReadRegular(name, memory/2)
	if err != nil {
		return nil, console.Fail(console.ExitOutput, err)
	}
	return data, nil
}

// writer returns what keeps the stages, in place of what was kept before, in a file that gets
// no more than the mode most.
func (p partial) writer(most fs.FileMode) func(stages []byte) error {
	return func(stages []byte) error {
		return safefile.WriteAtomicMode(most, string(p), true, console.Writes(stages))
	}
}

// remove takes the file away once the model is there: nothing is lost when it stays.
func (p partial) remove() {
	if p != "" {
		_ = os.Remove(string(p))
	}
}
