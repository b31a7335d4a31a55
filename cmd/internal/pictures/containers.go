package pictures

import (
	"bytes"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"superres/cmd/internal/console"
	"superres/cmd/internal/paths"
	"superres/internal/imagefile"
	"superres/internal/safefile"
)

// Container is the format of video files, such as MP4, which are read and written by FFmpeg: see package video.
const Container imagefile.Format = "container"

// containers are the extensions of the video files that are written. All of them hold H.264, but .webm, and .mkv holds
// any sound.
var containers = []string{".mp4", ".mov", ".m4v", ".mkv", ".webm"}

// readContainers are the extensions of video files that are read, apart from those that are written.
var readContainers = []string{".avi", ".wmv", ".flv", ".mpg", ".mpeg", ".ts", ".mts", ".m2ts", ".ogv", ".3gp", ".vob"}

func isNamedContainer(name string) bool {
	return slices.Contains(containers, strings.ToLower(filepath.Ext(name)))
}

// MarkContainers sets Format to Container for each file in list that was named itself and is a video file, by its
// content or, where that is no picture, its name. Videos in folders are left alone: one takes as long as a thousand
// pictures.
func MarkContainers(list []Input) {
	for i := range list {
		in := &list[i]
		if in.Root != "" || in.Format != "" || paths.IsStandard(in.Path) || imagefile.NamedFormat(in.Path) != "" ||
			IsNamedVideo(in.Path) {
			continue
		}
		named := isNamedContainer(in.Path) || slices.Contains(readContainers, strings.ToLower(filepath.Ext(in.Path)))
		if !named {
			named = CheckContainer(in.Path) == nil
		}
		if named {
			in.Format = Container
		}
	}
}

// CheckContainer returns an ErrInput if the file path cannot be read or does not begin like a video file.
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

// HeadBytes is how many bytes BeginsContainer looks at.
const HeadBytes = 4 + 2*192 + 1

// BeginsContainer reports whether head, the first bytes of a file, are those of a video file.
func BeginsContainer(head []byte) bool {
	has := func(at int, text string) bool { return len(head) > at && bytes.HasPrefix(head[at:], []byte(text)) }
	for _, box := range []string{"ftyp", "moov", "mdat", "wide", "free", "skip", "pnot"} { // MP4, QuickTime
		if has(4, box) {
			return !slices.ContainsFunc([]string{"heic", "heix", "hevc", "heim", "heis", "mif1", "msf1", "avif", "avis",
				"crx ", "M4A ", "M4B "}, func(brand string) bool { return has(8, brand) })
		}
	}
	packets := func(first, size int) bool { return has(first, "G") && has(first+size, "G") && has(first+2*size, "G") }
	return has(0, "\x1a\x45\xdf\xa3") || // Matroska, WebM
		has(0, "RIFF") && has(8, "AVI ") || has(0, "FLV\x01") || has(0, "OggS") ||
		has(0, "\x30\x26\xb2\x75\x8e\x66\xcf\x11") || // ASF, WMV
		has(0, "\x00\x00\x01\xba") || has(0, "\x00\x00\x01\xb3") || // MPEG program stream, MPEG video
		packets(0, 188) || packets(4, 192) // MPEG transport stream
}

// container is Output for an input that is a video file.
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
		return Output{Path: filepath.Clean(n.out), Format: Container, Root: filepath.Dir(n.out)}, nil
	case !n.single && isNamedContainer(n.out) && !paths.IsFolder(n.out):
		return Output{}, console.Usage("-o %s: several videos need a folder; write %s%c for a folder of this name",
			n.out, n.out, filepath.Separator)
	}
	base := n.base(in, ext)
	if !isNamedContainer(base) {
		if !isNamedContainer(ext) {
			ext = ".mkv" // holds whatever sound the other containers have
		}
		base += ext
	}
	if slices.Contains(containers, base) || base != filepath.Base(base) {
		return Output{}, console.Usage("--name %s makes the file name %q; expected a name without folders", n.template,
			base)
	}
	return n.outputIn(in, base, Container)
}
