package enlarging

import "superres/internal/safefile"

// The remedies of this package (safefile and imagefile have others): what the user can change after a refusal.
const (
	MoreTime            safefile.Remedy = "allow more time, or do less"
	Smaller             safefile.Remedy = "ask for a smaller result"
	MoreMemoryOrSmaller safefile.Remedy = "allow more memory, or ask for a smaller result"
	AnimationFormat     safefile.Remedy = "write a PNG or a GIF, or take the first frame"
	PageFormat          safefile.Remedy = "write a TIFF, or take the first page"
)
