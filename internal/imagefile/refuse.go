package imagefile

import "superres/internal/safefile"

// The remedies of this package; safefile has others. A remedy is what the user of a program can change so that a
// picture can be read or written.
const (
	MorePixels   safefile.Remedy = "allow more pixels"
	MoreMemory   safefile.Remedy = "allow more memory"
	FirstFrame   safefile.Remedy = "take the first frame, or save one as a picture"
	FirstPage    safefile.Remedy = "take the first page, or save one as a file"
	FirstPicture safefile.Remedy = "give the pictures as files, or take the first"
	KnownFormat  safefile.Remedy = "choose a format that can be written"
	KnownName    safefile.Remedy = "choose a format that can be written, or a name that tells one"
	KnownQuality safefile.Remedy = "choose a quality from 1 to 100"
	LargerScale  safefile.Remedy = "enlarge more"
	FewerPages   safefile.Remedy = "enlarge less, or fewer pages"
	PNGOrSmaller safefile.Remedy = "write a PNG, or enlarge less"
)

// refuse returns a fault of a class of safefile, without a file's name, which callers add: see safefile.Named.
func refuse(class error, format string, args ...any) *safefile.Fault {
	return safefile.Refuse(class, "", format, args...)
}
