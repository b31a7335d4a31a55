package safefile

import (
	"os"
	"syscall"
)

// Links returns the number of names (hard links) of the open file f, or 0 if unknown.
func Links(f *os.File) uint64 {
	var info syscall.ByHandleFileInformation
	if err := syscall.GetFileInformationByHandle(syscall.Handle(f.Fd()), &info); err != nil {
		return 0
	}
	return uint64(info.NumberOfLinks)
}
