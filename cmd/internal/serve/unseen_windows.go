package serve

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// unseen makes a file that the system removes when it is closed, or the program ends.
func unseen() (*os.File, error) {
	name := filepath.Join(os.TempDir(), "superres-"+newToken())
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL|windows.O_FILE_FLAG_DELETE_ON_CLOSE, 0o600)
}
