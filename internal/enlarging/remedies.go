package enlarging

import "superres/internal/safefile"

// The remedies of this package (safefile and imagefile have others): what the user can change after a refusal.
const (
	MoreTime                 safefile.Remedy = "allow more time, or do less"
	SmallerScale             safefile.Remedy = "ask for a smaller scale"
	SmallerSize              safefile.Remedy = "ask for a smaller size"
	MoreMemoryOrSmallerScale safefile.Remedy = "allow more memory, or ask for a smaller scale"
	MoreMemoryOrSmallerSize  safefile.Remedy = "allow more memory, or ask for a smaller size"
	PNGOrSmallerScale        safefile.Remedy = "write a PNG, or ask for a smaller scale"
	PNGOrSmallerSize         safefile.Remedy = "write a PNG, or ask for a smaller size"
	AnimationFormat          safefile.Remedy = "write a PNG or a GIF, or take the first frame"
	PageFormat               safefile.Remedy = "write a TIFF, or take the first page"
)
