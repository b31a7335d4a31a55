package safefile

import (
	"io/fs"
	"time"
)

// Origin is the file that another file is made from. The zero value is none.
type Origin struct {
	// Info describes the file; nil: there is none. The new file gets at most the mode ModeOfInfo(Info).
	Info fs.FileInfo
	// KeepDates gives the new file the time of the last modification in Info. False: it gets its own.
	KeepDates bool
}

// modified returns the time that a file made from o gets as its last modification. Zero: the time of its making.
func (o Origin) modified() time.Time {
	if o.Info == nil || !o.KeepDates {
		return time.Time{}
	}
	return o.Info.ModTime()
}
