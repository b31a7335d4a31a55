package video

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"superres/cmd/internal/pictures"
	"superres/internal/enlarging"
	"superres/internal/safefile"
	"superres/internal/y4m"
)

// sink writes the enlarged frames of a clip to a temporary file beside the result, renamed once it is complete.
type sink struct {
	pictures.FileSink
	*clip
}

// Deliver implements enlarging.Sink. It adds the clip's warnings to p, and sets p.Output to the even sides that encoded
// frames have. If the video is cut short, it delivers the frames that exist and returns an error.
func (s sink) Deliver(p *enlarging.Plan, write func(io.Writer) error) error {
	p.Output = image.Pt(even(p.Output.X), even(p.Output.Y))
	err := s.FileSink.Deliver(p, write)
	p.Warnings = append(p.Warnings, s.warnings...)
	if err != nil {
		return err
	}
	removeSegments(s.Out)
	return s.checkLength(p.Written)
}

// checkLength returns an error if the input ended too early, because ffmpeg said so, or because written, the number of
// frames, is smaller than its header states. Two frames, and one in 50, may be missing for other reasons.
func (c *clip) checkLength(written int) error {
	promised, _ := strconv.Atoi(c.video.Frames) // 0 if the header does not state it
	switch {
	case promised-written > 2+promised/50:
		return c.refuse("is cut short: it has %d of %d frames, which are in %s", written, promised, c.Out)
	case c.decoder.log.cut:
		return c.refuse("is cut short; the %d frames that it has are in %s", written, c.Out)
	}
	return nil
}

// encode makes ffmpeg write the file temp: the frames that write passes on, and the sound and subtitles of the input.
// With segments, the frames first make new segments, which are then joined with the segments of an earlier run.
func (c *clip) encode(temp string, write func(io.Writer) error) error {
	list, err := c.copies(extension(c.Out))
	if err != nil {
		return err
	}
	w := &encoding{clip: c, list: list, temp: temp}
	if c.parts != nil {
		w.frames = c.parts.done()
	}
	err = write(w)
	if w.process != nil {
		switch {
		case err != nil && !w.failed: // the work on a frame failed, not ffmpeg
			w.stop()
		case c.parts != nil && err == nil:
			err = w.endSegment()
		default: // all frames are written, or ffmpeg refused one
			err = w.close(err)
		}
	}
	if err == nil && c.parts != nil {
		err = c.join(temp, list)
	}
	if err != nil {
		return err
	}
	if err := c.check(temp, w.frames); err != nil {
		return err
	}
	if tracks := c.probed.unwanted(list); len(tracks) > 0 && isMP4(extension(c.Out)) {
		if err := hideTracks(temp, tracks); err != nil {
			c.warn(fmt.Sprintf("players may choose other tracks by themselves: %v", err))
		}
	}
	if n := c.decoder.log.count; n > 0 {
		c.warn(fmt.Sprintf("FFmpeg found damage in it, in %d places; the last: %s", n, c.decoder.explain(nil)))
	}
	return nil
}

// check returns an error if the file at the path made holds no video, though ffmpeg reported no error: a script that
// starts ffmpeg can lose its exit code. It warns if the file does not hold as many frames as the argument frames says.
func (c *clip) check(made string, frames int) error {
	found, err := c.ask(made)
	switch {
	case c.ctx.Err() != nil:
		return c.ctx.Err()
	case err != nil:
		return safefile.Refuse(safefile.ErrOutput, c.Out, "ffmpeg ended well, but made no video that can be read (%v)",
			strings.ReplaceAll(err.Error(), made, "it"))
	}
	if n, err := strconv.Atoi(found.video().Frames); err == nil && n != frames {
		c.warn(fmt.Sprintf("ffmpeg put %d frames into %s, of %d", n, c.Out, frames))
	}
	return nil
}

// encoding is a writer that passes a Y4M stream to ffmpeg. With segments, a new ffmpeg writes each segment.
type encoding struct {
	muxer
	*clip
	*process // the ffmpeg that runs; nil: none
	list     []copied
	temp     string // the file that ffmpeg writes
	head     string // header of the stream, as text; empty: not written yet
	stdin    io.WriteCloser
	segment  segment // the segment that is being written
	frames   int     // number of frames of the result so far
}

// Write takes the header of the stream in the first call and a frame in each later call, as muxer does. Without
// segments, the first call starts ffmpeg. With them, frame 1 of each starts one, and frame segmentFrames ends it.
func (w *encoding) Write(p []byte) (n int, err error) {
	if w.head == "" {
		w.head = string(p)
		in, err := readHeader(w.head)
		if err != nil {
			return 0, err
		}
		w.checkFormat(in)
		if w.parts != nil {
			return len(p), nil
		}
		return len(p), w.begin(in, w.resultArgs(framesArgs, w.pictureArgs(in, w.head), w.list))
	}
	if w.process == nil { // only with segments
		if err := w.beginSegment(); err != nil {
			return 0, err
		}
	}
	if n, err = w.muxer.Write(p); err != nil {
		return n, err
	}
	if w.frames++; w.parts == nil {
		return n, nil
	}
	if w.segment.Frames++; w.segment.Frames == segmentFrames {
		err = w.endSegment()
	}
	return n, err
}

// begin starts ffmpeg with args, to write w.temp, and sends it the start of the stream; in is the header of the frames.
func (w *encoding) begin(in y4m.Header, args []string) error {
	p := newProcess(w.ctx, nil, w.tools.ffmpeg, append(args, local(w.temp))...)
	p.log.hidden = local(w.temp)
	var err error
	if w.stdin, err = p.feed(); err != nil {
		return fmt.Errorf("ffmpeg cannot be started: %w", err)
	}
	w.process = p
	w.muxer = muxer{out: taking{w.stdin, w.clip}, next: w.next, duration: 1e9 / max(w.video.rate(), 1e-3),
		started: true} // Write gets only frames. 1000 s a frame if the rate is unknown
	return w.muxer.start(in)
}

// next returns the time of the next frame, in units of tick: from the first frame of its segment or, without segments,
// from the beginning of the video. For the first frame of a segment it also sets w.segment.Begin.
func (w *encoding) next() int64 {
	now := w.times.next()
	if w.parts != nil && w.segment.Frames == 0 {
		w.segment.Begin = now
	}
	return now - w.segment.Begin
}

// beginSegment starts an ffmpeg that writes a segment: an MP4 file, with times as fine as in the video, or, for
// transparency, which MP4 lacks, a Matroska file.
func (w *encoding) beginSegment() (err error) {
	in, err := readHeader(w.head)
	if err == nil {
		w.temp, err = w.parts.begin()
	}
	if err != nil {
		return err
	}
	w.segment = segment{}
	kind := "mp4"
	if w.alpha {
		kind = "matroska"
	}
	return w.begin(in, slices.Concat(quietArgs, []string{"-copyts"}, framesArgs, []string{"-map", "0:0"},
		w.pictureArgs(in, w.head), w.tools.keepTimes(), []string{"-fflags", "+bitexact", "-f", kind, "-y"}))
}

// endSegment waits until ffmpeg has written the present segment, and adds the segment to w.parts.
func (w *encoding) endSegment() error {
	err := w.close(nil)
	w.process = nil
	if err != nil {
		return err
	}
	return w.parts.add(w.temp, w.segment)
}

// close ends the stream to ffmpeg and waits until ffmpeg has written its file. err is the error of the last write, or
// nil. If it is not nil, ffmpeg ended before it had all frames, and its messages say why.
func (w *encoding) close(err error) error {
	_ = w.stdin.Close() // loses nothing: the pipe holds what was written
	ended := w.end()
	if ended == nil && err != nil {
		ended = errEarly
	}
	return w.failure(w.process, ended)
}

// failure returns the error of the job after p, an ffmpeg that writes a result, ended with err; nil if p succeeded. If
// the context of the job has ended, it returns the context's error.
func (c *clip) failure(p *process, err error) error {
	const full = 256 - 28 // the exit code of ffmpeg 6.0 and later for ENOSPC, which is 28
	switch {
	case err == nil || c.ctx.Err() != nil:
		return c.ctx.Err()
	case p.log.full || p.ProcessState != nil && p.ProcessState.ExitCode() == full:
		return safefile.Unwritable(c.Out, syscall.ENOSPC)
	}
	return safefile.Refuse(safefile.ErrOutput, c.Out, "ffmpeg could not make it: %s", p.explain(err))
}

// join makes ffmpeg write the file temp: it copies the video of all segments, at their times, and the streams in list.
func (c *clip) join(temp string, list []copied) error {
	path, err := c.parts.list()
	if err != nil {
		return err
	}
	frames := []string{"-f", "concat", "-i", local(path)}
	if all := c.parts.record.Parts; len(all) > 0 && all[0].Begin > 0 { // else concat would begin at 0
		frames = append([]string{"-itsoffset", fmt.Sprintf("%.6f", float64(all[0].Begin)*tick/1e9)}, frames...)
	}
	pictures := []string{"-c:v:0", "copy"}
	if c.alpha {
		pictures = append(pictures, "-metadata:s:v:0", "alpha_mode=1")
	}
	p := newProcess(c.ctx, nil, c.tools.ffmpeg, append(c.resultArgs(frames, pictures, list), local(temp))...)
	p.log.hidden = local(temp)
	if err := p.start(nil, nil); err != nil {
		return fmt.Errorf("ffmpeg cannot be started: %w", err)
	}
	return c.failure(p, p.end())
}

// checkFormat warns if the result has less depth or less colour resolution than the frames, whose header is in.
func (c *clip) checkFormat(in y4m.Header) {
	switch depth := c.video.depth(); {
	case c.alpha: // prepare has warned
	case depth > 8 && !c.by.deep:
		c.warn(fmt.Sprintf("has %d bits a sample, and gets 8: this ffmpeg has no encoder for more", depth))
	case depth > 10:
		c.warn(fmt.Sprintf("has %d bits a sample, and gets 10", depth))
	}
	format := streamFormat(in) // such as yuv422p10le
	if !in.Layout.Grey && !c.alpha && !strings.HasPrefix(c.pixFmt(in), format[:len("yuv420p")]) {
		c.warn(fmt.Sprintf("has more colour than %s keeps, 4:%c:%c, and gets 4:2:0", c.by.name, format[4], format[5]))
	}
}

// copies returns the streams of the input, other than its video, to copy to a file with the extension ext. Streams of
// kinds that such a file cannot hold are left out with a warning. A trial by ffmpeg shows whether it can hold the
// others; if not, all but the sound are left out with a warning, and if it cannot hold the sound either, copies fails.
func (c *clip) copies(ext string) (list []copied, err error) {
	list, lost := c.probed.copies(c.video, ext)
	for _, text := range lost {
		c.warn(text)
	}
	for _, onlySound := range []bool{false, true} {
		if onlySound {
			var kept []copied
			for _, s := range list {
				if s.Type == "audio" {
					kept = append(kept, s)
				}
			}
			if len(kept) == len(list) { // the same trial would fail again
				break
			}
			if list = kept; err != nil {
				c.warn("its subtitles and pictures are left out: " + ext + " does not take them")
			}
		}
		if len(list) == 0 {
			return nil, nil
		}
		p := newProcess(c.ctx, nil, c.tools.ffmpeg, c.trialArgs(ext, list)...)
		if _, err = p.output(); err == nil || errors.Is(err, errTooLong) || errors.Is(err, errTooMuch) {
			return list, nil // the format takes them, or ffmpeg would have said so
		}
		if c.ctx.Err() != nil {
			return nil, context.Cause(c.ctx)
		}
		if len(p.log.errors) == 0 { // ffmpeg said nothing about the sound
			return nil, c.failure(p, err)
		}
		err = safefile.Refuse(safefile.ErrOutput, c.Out, "%s files do not take the sound of %s (%s) as it is: %s; "+
			"use -o NAME.mkv, which takes all", ext, c.In, sounds(list), p.explain(err))
	}
	return nil, err
}

// sounds returns the names of the codecs of the audio streams in list, joined by commas.
func sounds(list []copied) string {
	var names []string
	for _, s := range list {
		if s.Type == "audio" {
			names = append(names, s.Codec)
		}
	}
	return strings.Join(names, ", ")
}
