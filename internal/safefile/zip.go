package safefile

import (
	"archive/zip"
	"fmt"
	"io"
)

// The directory of a zip archive has leastDirectory bytes, or 1/directoryShare of a larger file, mostDirectory at the
// most: a member takes ten times the bytes in memory that it takes there. 20,000 members with short names take 2 MB.
const (
	leastDirectory = 1 << 20
	directoryShare = 16
	mostDirectory  = 8 << 20
)

// OpenZip reads the directory of the zip archive in r, of size bytes. It fails for a file that is none, and for one
// with a larger directory than any file has that superres reads.
func OpenZip(r io.ReaderAt, size int64) (*zip.Reader, error) {
	most := min(max(leastDirectory, size/directoryShare), mostDirectory)
	d := &directoryReader{ReaderAt: r, size: size, most: most, left: most}
	z, err := zip.NewReader(d, size)
	d.isOpen = true
	return z, err
}

// directoryReader fails when more than left bytes are read before isOpen is set.
type directoryReader struct {
	io.ReaderAt
	size, most, left int64
	isOpen           bool
}

func (r *directoryReader) ReadAt(b []byte, offset int64) (int, error) {
	if !r.isOpen {
		if r.left -= min(int64(len(b)), max(r.size-offset, 0)); r.left < 0 {
			return 0, fmt.Errorf("the directory of the archive has more than %d bytes", r.most)
		}
	}
	return r.ReaderAt.ReadAt(b, offset)
}
