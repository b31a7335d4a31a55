package safefile

import (
	"os"
	"syscall"
)

// Links returns how many names an open file has, hard links counted; 0 where that is not known.
func Links(f *os.File) uint64 {
	var info syscall.ByHandleFileInformation
	if err := syscall.GetFileInformationByHandle(syscall.Handle(f.Fd()), &info); err != nil {
		return 0
	}
	return uint64(info.NumberOfLinks)
}
