package imagefile

import (
	"io"

	"superres/internal/metadata"
	"superres/internal/safefile"
)

// SoftwareBegins reports whether the file called name is a picture whose record of its program, written from
// EncodeOptions.Software, begins with prefix. It reads only the start of the file. It is false for unreadable files.
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
