package serve

import (
	"os"
	"os/exec"
	"runtime"

	"superres/internal/safefile"
)

// passesAside tells whether a worker gets a file for what is put aside while a result is made,
// because it can make none where it is confined. On Windows it can, and no file can be passed on.
const passesAside = runtime.GOOS != "windows"

// asideDescriptor is that of the file in a worker: the first behind the standard streams.
const asideDescriptor = 3

// passAside gives a worker that is to be started a file without a name, which is gone when the
// worker ends. The file is returned to be closed behind the start; nil where none is passed.
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

// openAside returns, in a worker, the file that it was given, nil if it makes its own, and how
// many files were passed on to it.
func openAside() (f *os.File, files int) {
	if !passesAside {
		return nil, 0
	}
	return os.NewFile(asideDescriptor, "aside"), 1
}
