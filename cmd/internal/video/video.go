// Package video enlarges video files, such as MP4, with the programs of FFmpeg: one ffmpeg decodes the frames of a
// file, package enlarging enlarges them like frames of a Y4M stream, and another ffmpeg encodes them again, and copies
// the sound and the subtitles of the file. Frames keep their times, and colours their meaning.
//
// Read it in this order: tools.go, the programs and encoders found; probe.go, the streams of a file; video.go, the job
// for package enlarging; source.go, the frames of a file, with times.go, their times; sink.go, the result, with
// arguments.go, the arguments of ffmpeg, copies.go, streams that are copied, and segments.go, the parts that --resume
// keeps; frames.go, alpha.go, matroska.go, the streams between superres and ffmpeg; process.go, a run of a program.
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
	// In is the path of the input. Out is the path of the result, which must lie in Root once links are followed.
	In, Out, Root string
	// Keep makes the file Out: it calls write with the path of a temporary file, which becomes Out. info describes In.
	Keep func(info fs.FileInfo, write func(temp string) error) error
	// Strip leaves out the metadata of the video, such as its title and place.
	Strip bool
	// Settings is a hash of everything that decides the result besides the input. If it is not empty, the video is
	// encoded in segments, which stay beside Out after an interruption, for a later job with the same Settings.
	Settings string
}

// Job returns the job that enlarges f with the programs t; if t is nil, the job refuses every file. The job can be done
// only once, and stops when ctx ends. Job itself opens no file.
func (t *Tools) Job(ctx context.Context, f File) enlarging.Job {
	c := &clip{File: f, tools: t, ctx: ctx}
	keep := func(info fs.FileInfo, write func(io.Writer) error) error {
		return f.Keep(info, func(temp string) error { return c.encode(temp, write) })
	}
	return enlarging.Job{Source: source{c}, Format: pictures.Video,
		Sink: sink{pictures.FileSink{Path: f.Out, Root: f.Root, Keep: keep}, c}}
}

// clip is a video file that is being enlarged.
type clip struct {
	File
	tools *Tools
	ctx   context.Context // context of the job; the processes end when it ends

	probed   probed
	video    *stream // the stream of probed that is enlarged
	by       encoder
	alpha    bool      // the result keeps the transparency of the video
	parts    *segments // the segments of the result; nil: it is encoded in one go
	times    *times
	decoder  *process // the ffmpeg that decodes the input
	warnings []string
	once     sync.Once // ensures that the note about a long wait is printed only once
}

// warn adds text to the warnings of the report, where it follows the name of the file.
func (c *clip) warn(text string) { c.warnings = append(c.warnings, text) }

// local returns path as an address, so that ffmpeg does not take a part of it for an option or a protocol.
func local(path string) string { return "file:" + path }
