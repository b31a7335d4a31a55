package safefile

import (
	"io/fs"
	"time"
)

// Origin is the file that another file is made from. The zero value is none.
type Origin struct {
	// Info describes the file; nil: there is none. The new file gets at most the mode ModeOfInfo(Info).
	Info fs.FileInfo
	// KeepDates gives the new file the times of the last modification and access in Info. False: it gets the times of
	// its own making.
	KeepDates bool
}

// times are the times of the last access and modification of a file. The zero value is none.
type times struct{ accessed, modified time.Time }

// times returns the times that a file made from o gets, or none.
func (o Origin) times() times {
	if o.Info == nil || !o.KeepDates {
		return times{}
	}
	return times{accessTime(o.Info), o.Info.ModTime()}
}
