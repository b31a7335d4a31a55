package imagefile

import (
	"io"

	"superres/internal/metadata"
	"superres/internal/safefile"
)

// SoftwareBegins reports whether the named file is a picture with a record of what made it, as EncodeOptions.Software
// is one, that begins with prefix. It reads the start of the file alone. It is false for a file that cannot be read.
func SoftwareBegins(name, prefix string) bool {
	file, size, err := safefile.OpenRegular(name)
	if err != nil {
		return false
	}
	defer file.Close()
	head, err := headOf(file, name)
	if err != nil {
		return false
	}
	f, err := sniff(head)
	return err == nil && metadata.SoftwareBegins(string(f.format), io.NewSectionReader(file, 0, size), prefix)
}
