package pictures

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"superres/cmd/internal/console"
	"superres/cmd/internal/paths"
	"superres/internal/imagefile"
	"superres/internal/safefile"
)

// Container is the format of video files, such as MP4, which FFmpeg reads and writes: see package video.
const Container imagefile.Format = "container"

// containers are the extensions of the video files that can be written. All but .webm hold H.264; .mkv holds any sound.
var containers = []string{".mp4", ".mov", ".m4v", ".mkv", ".webm"}

// readContainers are the extensions of video files that can be read but not written.
var readContainers = []string{".avi", ".wmv", ".flv", ".mpg", ".mpeg", ".ts", ".mts", ".m2ts", ".ogv", ".3gp", ".vob",
	".264", ".h264", ".265", ".h265", ".hevc", ".dv", ".mxf", ".ivf"}

// isNamedContainer reports whether name has the extension of a video file that can be written.
func isNamedContainer(name string) bool {
	return slices.Contains(containers, strings.ToLower(filepath.Ext(name)))
}

// isReadContainer reports whether name has the extension of a video file that can be read.
func isReadContainer(name string) bool {
	return isNamedContainer(name) || slices.Contains(readContainers, strings.ToLower(filepath.Ext(name)))
}

// IsVideoName reports whether name has the extension of a video, either a file for FFmpeg or a stream.
func IsVideoName(name string) bool { return isReadContainer(name) || IsNamedVideo(name) }

// isVideo reports whether the file at path is a video by name and content: a file called .ts may also be text.
func isVideo(path string) bool {
	return isReadContainer(path) && CheckContainer(path) == nil || IsNamedVideo(path)
}

// TellVideos returns a line that says how many videos, those in list, were left out of folders, and how to name them.
func TellVideos(list []Input) string {
	if first := list[0].Path; len(list) > 1 {
		return fmt.Sprintf("%d videos in folders are left out; name them to enlarge them, as in %s", len(list),
			filepath.Join(filepath.Dir(first), "*"+filepath.Ext(first)))
	}
	return "1 video in a folder is left out; name it to enlarge it: " + list[0].Path
}

// MarkContainers sets Format to Container for each video file in list that the user named. It decides by the extension
// or, if neither the extension nor Format says what a file is, by the content. Streams stay unmarked, and so do videos
// found in folders, as one video takes as long as a thousand pictures.
func MarkContainers(list []Input) {
	for i := range list {
		in := &list[i]
		if in.Root != "" || in.Format != "" || paths.IsStandard(in.Path) || imagefile.NamedFormat(in.Path) != "" ||
			IsNamedVideo(in.Path) {
			continue
		}
		if isReadContainer(in.Path) || CheckContainer(in.Path) == nil {
			in.Format = Container
		}
	}
}

// CheckContainer returns an ErrInput if the file at path cannot be read or does not begin like a video file.
func CheckContainer(path string) error {
	f, _, err := safefile.OpenRegular(path)
	if err != nil {
		return err
	}
	defer f.Close()
	head := make([]byte, HeadBytes)
	n, _ := io.ReadFull(f, head)
	if head = head[:n]; n == 0 {
		return safefile.Refuse(safefile.ErrInput, path, "is empty")
	} else if !BeginsContainer(head) {
		return safefile.Refuse(safefile.ErrInput, path, "is not a video (starts with %q; known: MP4 MOV MKV WebM AVI "+
			"and other files that FFmpeg reads)", head[:min(8, n)])
	}
	return nil
}

// HeadBytes is how many bytes at the start of a file BeginsContainer needs: up to the mark of a third packet of 192.
const HeadBytes = 4 + 2*192 + 1

// BeginsContainer reports whether head, the first bytes of a file, begins a video file.
func BeginsContainer(head []byte) bool {
	has := func(at int, text string) bool { return len(head) > at && bytes.HasPrefix(head[at:], []byte(text)) }
	for _, box := range []string{"ftyp", "moov", "mdat", "wide", "free", "skip", "pnot"} { // MP4, QuickTime
		if has(4, box) { // but no brand of pictures (HEIF, CR3) or of sound (M4A)
			return !slices.ContainsFunc([]string{"heic", "heix", "hevc", "heim", "heis", "mif1", "msf1", "avif", "avis",
				"crx ", "M4A ", "M4B "}, func(brand string) bool { return has(8, brand) })
		}
	}
	// Whether three packets of size bytes have the sync byte of transport streams, 0x47 or G, the first one at first.
	packets := func(first, size int) bool { return has(first, "G") && has(first+size, "G") && has(first+2*size, "G") }
	return has(0, "\x1a\x45\xdf\xa3") || // Matroska, WebM
		has(0, "RIFF") && has(8, "AVI ") || has(0, "FLV\x01") || has(0, "OggS") ||
		has(0, "\x30\x26\xb2\x75\x8e\x66\xcf\x11") || // ASF, WMV
		has(0, "\x00\x00\x01\xba") || has(0, "\x00\x00\x01\xb3") || // MPEG program stream, MPEG video
		packets(0, 188) || packets(4, 192) || // MPEG transport stream, also with a time of 4 bytes before each packet
		has(0, "DKIF\x00\x00") || // IVF
		has(0, "\x06\x0e\x2b\x34\x02\x05\x01\x01\x0d\x01\x02\x01\x01") || // MXF, SMPTE ST 377-1
		has(0, "\x1f\x07\x00") && len(head) > 3 && head[3]&0x7f == 0x3f || // DV, IEC 61834-2; top bit: 525 or 625 lines
		beginsUnits(head)
}

// beginsUnits reports whether head begins a raw stream of H.264 or HEVC: a start code of Annex B, followed by a
// delimiter or a parameter set, which begin an access unit (ITU-T H.264, 7.4.1.2.3; H.265, 7.4.2.4.4).
func beginsUnits(head []byte) bool {
	unit, is := bytes.CutPrefix(head, []byte{0, 0, 0, 1})
	if !is {
		unit, is = bytes.CutPrefix(head, []byte{0, 0, 1})
	}
	if !is || len(unit) < 2 {
		return false
	}
	kind, next := unit[0], unit[1]
	// H.264: 1 bit is 0, 2 are nal_ref_idc, 5 the type. A sequence parameter set has type 7, and a nal_ref_idc above 0.
	// A delimiter has type 9 and nal_ref_idc 0, and the byte after it has 3 bits of any value and the end mark 10000.
	avc := kind&0x9f == 7 && kind != 7 || kind == 9 && next&0x1f == 0x10
	// HEVC: 1 bit is 0, 6 are the type (32: video parameters, 33: sequence parameters, 35: delimiter), 6 the layer,
	// here 0, and 3 the temporal layer plus 1, here 1.
	hevc := (kind == 32<<1 || kind == 33<<1 || kind == 35<<1) && next == 1
	return avc || hevc
}

// container returns the Output for a video file. It fails if the options ask for anything but a writable video.
func (n Namer) container(in Input) (Output, error) {
	ext := filepath.Ext(in.Place)
	switch asFile := n.asFile(); {
	case n.format != "":
		return Output{}, console.Usage("--format %s: %s is a video, and becomes one; leave it out", n.format, in.Path)
	case paths.IsStandard(n.out):
		return Output{}, console.Usage("%s: a video goes to a file, not to standard output; use -o NAME.mp4", in.Path)
	case asFile && !isNamedContainer(n.out) && filepath.Ext(n.out) != "":
		return Output{}, console.Usage("-o %s: a video is written as %s; use one of these", n.out,
			strings.Join(containers, " "))
	case asFile && !isNamedContainer(n.out):
		return Output{}, console.Usage("-o %s: no extension says which format; write %s.mp4, or %s%c for a folder",
			n.out, n.out, n.out, filepath.Separator)
	case asFile:
		return n.outputFile(Container), nil
	case !n.single && isNamedContainer(n.out) && !paths.IsFolder(n.out):
		return Output{}, console.Usage("-o %s: several videos need a folder; write %s%c for a folder of this name",
			n.out, n.out, filepath.Separator)
	}
	base := n.base(in, ext)
	if !isNamedContainer(base) {
		if !isNamedContainer(ext) {
			ext = ".mkv" // can hold the sound of every other container
		}
		base += ext
	}
	return n.outputIn(in, base, strings.ToLower(filepath.Ext(base)), Container)
}
