package safefile

import (
	"io/fs"
	"time"
)

// Origin is the file that another file is made from. The zero value is none.
type Origin struct {
	// Info describes the file; nil: there is none. The new file gets at most the mode ModeOfInfo(Info).
	Info fs.FileInfo
	// KeepDates gives the new file the time of the last modification in Info. False: it gets that of its own making.
	KeepDates bool
}

// modified returns the time of the last modification that a file made from o gets. The zero time is that of its making.
func (o Origin) modified() time.Time {
	if o.Info == nil || !o.KeepDates {
		return time.Time{}
	}
	return o.Info.ModTime()
}
