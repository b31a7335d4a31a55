package safefile

import (
	"archive/zip"
	"fmt"
	"io"

	"github.com/klauspost/compress/flate" // takes half the time that compress/flate takes for weights
)

// The directory of a zip archive may have leastDirectory bytes or, if that is more, 1/directoryShare of the file, but
// at most mostDirectory: read, it takes ten times as much memory. 20,000 members with short names have one of 2 MB.
const (
	leastDirectory = 1 << 20
	directoryShare = 16
	mostDirectory  = 8 << 20
)

// OpenZip reads the directory of the zip archive in r, of the given size in bytes. It fails if r is not a zip archive,
// or if its directory is larger than in any file that superres reads.
func OpenZip(r io.ReaderAt, size int64) (*zip.Reader, error) {
	most := min(max(leastDirectory, size/directoryShare), mostDirectory)
	d := &directoryReader{ReaderAt: r, size: size, most: most, left: most}
	z, err := zip.NewReader(d, size)
	d.isOpen = true // members may be read without this limit
	if err == nil {
		z.RegisterDecompressor(zip.Deflate, flate.NewReader)
	}
	return z, err
}

// directoryReader is a ReaderAt of size bytes that fails if more than `most` bytes are read before isOpen is set.
type directoryReader struct {
	io.ReaderAt
	size, most, left int64 // left: how many of the most bytes may still be read
	isOpen           bool
}

// ReadAt implements io.ReaderAt: see directoryReader. Bytes beyond the end of the archive do not count.
func (r *directoryReader) ReadAt(b []byte, offset int64) (int, error) {
	if !r.isOpen {
		if r.left -= min(int64(len(b)), max(r.size-offset, 0)); r.left < 0 {
			return 0, fmt.Errorf("the directory of the archive has more than %d bytes", r.most)
		}
	}
	return r.ReaderAt.ReadAt(b, offset)
}
