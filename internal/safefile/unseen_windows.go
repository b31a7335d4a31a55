package safefile

import (
	"os"

	"golang.org/x/sys/windows"
)

// openUnseen creates a file that the system removes when it is closed or the program ends.
func openUnseen(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL|windows.O_FILE_FLAG_DELETE_ON_CLOSE, 0o600)
}
