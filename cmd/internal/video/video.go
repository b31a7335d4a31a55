// Package video enlarges video files, such as MP4, by the programs of FFmpeg: one ffmpeg takes the frames out of a
// file, package enlarging enlarges them as those of a Y4M stream, and another ffmpeg packs them again, with the sound
// and the subtitles of the file, which are copied. Frames keep their times, and colours their meaning.
//
// Read it in this order: tools.go, the programs and encoders that there are; probe.go, what a file holds; video.go, the
// job for package enlarging; source.go, the frames of a file, with times.go, when they are shown; sink.go, the result,
// with arguments.go, how ffmpeg is called, copies.go, what is copied, and segments.go, the parts that --resume keeps;
// frames.go, alpha.go and matroska.go, the streams between superres and ffmpeg; and process.go, a run of a program.
package video

import (
	"context"
	"io"
	"io/fs"
	"sync"

	"superres/cmd/internal/pictures"
	"superres/internal/enlarging"
)

// File is a video file to enlarge.
type File struct {
	// In is the path of the file, Out that of the result, and Root the folder that Out must not leave through a link.
	In, Out, Root string
	// Keep makes the file Out: it calls make with the path of a temporary file, which gets the name Out when it is
	// whole. info describes the input file.
	Keep func(info fs.FileInfo, make func(temp string) error) error
	// Strip leaves out all that is said of the video, such as its title and place; false: it is kept.
	Strip bool
	// Settings is a hash of all that decides the result besides the input. If it is not empty, the video is encoded in
	// parts, which an interruption leaves beside Out, and with which a job of the same Settings goes on.
	Settings string
}

// Job returns the job that enlarges f by the programs t; a nil t refuses all files. It can be done once, and ends when
// ctx does. Nothing is opened before it is done.
func (t *Tools) Job(ctx context.Context, f File) enlarging.Job {
	c := &clip{File: f, tools: t, ctx: ctx}
	keep := func(info fs.FileInfo, write func(io.Writer) error) error {
		return f.Keep(info, func(temp string) error { return c.encode(temp, write) })
	}
	return enlarging.Job{Source: source{c}, Format: pictures.Video,
		Sink: sink{pictures.FileSink{Path: f.Out, Root: f.Root, Keep: keep}, c}}
}

// clip is a file in work.
type clip struct {
	File
	tools *Tools
	ctx   context.Context // of the job, which has one life: its processes end with it

	probed   probed
	video    *stream // of probed
	by       encoder
	alpha    bool // the result keeps the transparency of the video
	parts    *segments
	times    *times
	decoder  *process
	warnings []string
	once     sync.Once // guards that people are told once of a long wait
}

// warn keeps text, which follows the name of the file, for the report.
func (c *clip) warn(text string) { c.warnings = append(c.warnings, text) }

// local returns path in the form of an address, so that ffmpeg takes no part of it for an option or a protocol.
func local(path string) string { return "file:" + path }
