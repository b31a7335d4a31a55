package safefile

import (
	"io/fs"
	"time"
)

// Origin is the file from which another file is made. The zero value stands for no file.
type Origin struct {
	// Info describes the file; nil: there is none. The new file gets at most the mode ModeOfInfo(Info).
	Info fs.FileInfo
	// KeepDates gives the new file the modification time in Info. False: it gets the time when it is written.
	KeepDates bool
}

// modified returns the modification time for a file made from o; zero: the time when it is written.
func (o Origin) modified() time.Time {
	if o.Info == nil || !o.KeepDates {
		return time.Time{}
	}
	return o.Info.ModTime()
}
