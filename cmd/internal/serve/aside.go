package serve

import (
	"os"
	"os/exec"
	"runtime"

	"superres/internal/safefile"
)

// passesAside says that a worker gets a temporary file from the server, as it cannot create one once it is confined.
// On Windows it can, and no file can be passed to it.
const passesAside = runtime.GOOS != "windows"

// asideDescriptor is the descriptor of that file in a worker: the first after the standard streams.
const asideDescriptor = 3

// passAside passes an unnamed file to the worker that cmd will start; it is gone when the worker ends. The caller
// closes the returned file after the start; nil: none is passed.
func passAside(cmd *exec.Cmd) (*os.File, error) {
	if !passesAside {
		return nil, nil
	}
	f, err := safefile.Scratch("")
	if err != nil {
		return nil, err
	}
	cmd.ExtraFiles = []*os.File{f}
	return f, nil
}

// openAside returns, in a worker, the file that the server passed to it, or nil if there is none, and the number of
// files passed.
func openAside() (f *os.File, files int) {
	if !passesAside {
		return nil, 0
	}
	return os.NewFile(asideDescriptor, "aside"), 1
}
