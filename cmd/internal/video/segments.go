package video

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"superres/internal/safefile"
)

// segmentFrames is the number of frames in each segment but the last: 2 or more, since --resume decodes the first two
// frames again to choose the model. An interruption loses one segment.
var segmentFrames = 250

// segments are the pieces of a result that were encoded so far: files without sound in a hidden folder beside the
// result. A file in the folder, the record, lists the complete segments.
type segments struct {
	folder string
	record segmentRecord
}

// segmentRecord is the record of the segments in a folder.
type segmentRecord struct {
	// Key is a hash of everything that decides the segments. Segments with another key are not used.
	Key string `json:"key"`
	// Parts lists the segments in the order of their frames.
	Parts []segment `json:"parts"`
}

// segment is one segment: Begin is the time of its first frame, in units of tick from the beginning of the video.
type segment struct {
	Begin  int64 `json:"begin"`
	Frames int   `json:"frames"`
}

const recordName = "record.json"

// segmentFolder returns the path of the folder for the segments of the result at the path out.
func segmentFolder(out string) string {
	sum := sha256.Sum256([]byte(filepath.Base(out)))
	return filepath.Join(filepath.Dir(out), ".superres-parts-"+hex.EncodeToString(sum[:8]))
}

// key returns a hash of everything that decides the content of the segments of c. info describes the input file.
func (c *clip) key(info fs.FileInfo) string {
	sum := sha256.New()
	fmt.Fprintln(sum, c.Settings, info.Size(), info.ModTime().UnixNano(), c.tools.version, c.by.name, c.by.args,
		c.alpha, c.decodeArgs(0))
	return hex.EncodeToString(sum.Sum(nil))
}

// openSegments returns the segments of the result at path out, up to the first without a file; none if the key differs.
func openSegments(out, key string) *segments {
	s := &segments{folder: segmentFolder(out), record: segmentRecord{Key: key}}
	const most = 16 << 20 // bytes: enough for more segments than a file can have
	var found segmentRecord
	data, err := safefile.ReadRegular(filepath.Join(s.folder, recordName), most)
	if err != nil || json.Unmarshal(data, &found) != nil || found.Key != key {
		return s
	}
	for i, part := range found.Parts {
		info, err := os.Lstat(s.path(i))
		if err != nil || !info.Mode().IsRegular() || info.Size() == 0 || part.Frames < 1 {
			break
		}
		s.record.Parts = append(s.record.Parts, part)
	}
	return s
}

func (s *segments) path(i int) string { return filepath.Join(s.folder, segmentName(i)) }

func segmentName(i int) string { return fmt.Sprintf("%06d.part", i) }

// done returns the number of frames in all segments together.
func (s *segments) done() (frames int) {
	for _, part := range s.record.Parts {
		frames += part.Frames
	}
	return frames
}

// begin creates the folder if it does not exist, and returns the path at which the caller is to write the next segment.
func (s *segments) begin() (temp string, err error) {
	if err := os.Mkdir(s.folder, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", safefile.Unwritable(s.folder, err)
	}
	if info, err := os.Lstat(s.folder); err != nil || !info.IsDir() {
		return "", safefile.Unwritable(s.folder, errors.New("is not a folder"))
	}
	return filepath.Join(s.folder, "new.part"), nil
}

// add turns the complete file at temp, a path from begin, into the next segment, and writes part to the record.
func (s *segments) add(temp string, part segment) error {
	f, err := os.OpenFile(temp, os.O_RDWR, 0)
	if err == nil {
		err = errors.Join(f.Sync(), f.Close())
	}
	if err == nil {
		err = os.Rename(temp, s.path(len(s.record.Parts)))
	}
	if err != nil {
		return safefile.Unwritable(s.folder, err)
	}
	s.record.Parts = append(s.record.Parts, part)
	return safefile.WriteAtomicMode(0o600, filepath.Join(s.folder, recordName), true, func(w io.Writer) error {
		return json.NewEncoder(w).Encode(s.record)
	})
}

// list writes a file that lists all segments, for ffmpeg's demuxer concat, and returns its path. It states a duration
// in seconds after each segment but the last, so that the next segment begins at the time of its first frame.
func (s *segments) list() (path string, err error) {
	var text strings.Builder
	for i, part := range s.record.Parts {
		fmt.Fprintf(&text, "file %s\n", segmentName(i))
		if i+1 < len(s.record.Parts) {
			micros := s.record.Parts[i+1].Begin - part.Begin // a tick is a microsecond
			fmt.Fprintf(&text, "duration %d.%06d\n", micros/1e6, micros%1e6)
		}
	}
	path = filepath.Join(s.folder, "list.txt")
	return path, safefile.WriteAtomicMode(0o600, path, true, func(w io.Writer) error {
		_, err := io.WriteString(w, text.String())
		return err
	})
}

// removeSegments removes the segments of the result out, if there are any.
func removeSegments(out string) {
	folder := segmentFolder(out)
	if info, err := os.Lstat(folder); err == nil && info.IsDir() {
		_ = os.RemoveAll(folder) // what remains is hidden, and the next run finds it
	}
}
