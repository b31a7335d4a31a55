package safefile

import (
	"io/fs"
	"syscall"
	"time"
)

// accessTime returns the time of the last access to the file that info describes, or the zero time if it is not known.
func accessTime(info fs.FileInfo) time.Time {
	if s, is := info.Sys().(*syscall.Stat_t); is {
		return time.Unix(s.Atim.Unix())
	}
	return time.Time{}
}
