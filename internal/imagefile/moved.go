package imagefile

import "superres/internal/safefile"

// What has moved, until its users have followed.
var (
	ErrInput  = safefile.ErrInput
	ErrOutput = safefile.ErrOutput
	ErrLimit  = safefile.ErrLimit

	Refuse        = safefile.Refuse
	Unwritable    = safefile.Unwritable
	OneLine       = safefile.OneLine
	WriteAtomic   = safefile.WriteAtomic
	CheckWritable = safefile.CheckWritable
	CheckFolder   = safefile.CheckFolder
	OpenRegular   = safefile.OpenRegular
	Sweep         = safefile.Sweep
	SameFile      = safefile.SameFile
	Lock          = safefile.Lock
)
