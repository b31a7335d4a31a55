package video

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"strings"

	"superres/cmd/internal/pictures"
	"superres/internal/enlarging"
	"superres/internal/safefile"
)

// sink is the video file that becomes of the frames of a clip. It is made under another name in the folder of the
// result, and gets its name when it is whole.
type sink struct {
	pictures.FileSink
	*clip
}

// Deliver implements enlarging.Sink.
func (s sink) Deliver(p *enlarging.Plan, write func(io.Writer) error) error {
	p.Output = image.Pt(even(p.Output.X), even(p.Output.Y))
	err := s.FileSink.Deliver(p, write)
	p.Warnings = append(p.Warnings, s.warnings...)
	return err
}

// encode has ffmpeg make the file temp of the frames that write writes, and of the sound of the clip.
func (c *clip) encode(temp string, write func(io.Writer) error) error {
	w := &encoding{clip: c, temp: temp}
	w.next, w.duration = c.times.next, 1e9/max(c.video.rate(), 1e-3)
	err := write(w)
	if w.process == nil {
		return err
	}
	if err != nil && !w.failed {
		w.stop()
		return err
	}
	// If ffmpeg refused a frame, it has ended, or is about to; its own messages say why.
	closed := w.stdin.Close()
	ended := w.end()
	switch {
	case c.ctx.Err() != nil:
		return c.ctx.Err()
	case ended != nil || err != nil:
		return safefile.Refuse(safefile.ErrOutput, c.Out, "ffmpeg could not make it: %s",
			w.words(errors.Join(ended, err)))
	case closed != nil && !errors.Is(closed, os.ErrClosed):
		return closed
	}
	if info, err := os.Stat(temp); err != nil || info.Size() == 0 {
		return safefile.Refuse(safefile.ErrOutput, c.Out, "ffmpeg made an empty file: %s", w.words(nil))
	}
	if n := c.decoder.log.count; n > 0 {
		c.warn(fmt.Sprintf("FFmpeg found damage in it, in %d places; the last: %s", n, c.decoder.words(nil)))
	}
	return nil
}

// encoding is the stream to the ffmpeg that makes the result, which the header starts.
type encoding struct {
	muxer
	*clip
	*process
	temp  string
	stdin io.WriteCloser
}

// Write implements io.Writer, as muxer does.
func (w *encoding) Write(p []byte) (int, error) {
	if w.process == nil {
		if err := w.begin(string(p)); err != nil {
			return 0, err
		}
	}
	return w.muxer.Write(p)
}

// begin starts ffmpeg for a stream with the header head.
func (w *encoding) begin(head string) error {
	in, err := readHeader(head)
	if err != nil {
		return err
	}
	copied, err := w.copies(extension(w.Out))
	if err != nil {
		return err
	}
	args, err := w.encodeArgs(in, head, copied)
	if err != nil {
		return err
	}
	p := newProcess(w.ctx, nil, w.tools.ffmpeg, append(args, local(w.temp))...)
	if w.stdin, err = p.feed(); err != nil {
		p.kill()
		return fmt.Errorf("ffmpeg cannot be started: %w", err)
	}
	w.process, w.out = p, w.stdin
	return nil
}

// copies returns what of the file, beside its pictures, goes into a file with the extension ext. What ext cannot hold
// is left out with a warning, but for sound: without its sound no video is made.
func (c *clip) copies(ext string) (list []copied, err error) {
	list, lost := c.probed.copies(c.video, ext)
	for _, text := range lost {
		c.warn(text)
	}
	for _, only := range []string{"", "audio"} {
		if only != "" {
			var kept []copied
			for _, s := range list {
				if s.Type == only {
					kept = append(kept, s)
				}
			}
			if len(kept) == len(list) {
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
		if _, err = p.output(); err == nil {
			return list, nil
		}
		if c.ctx.Err() != nil {
			return nil, context.Cause(c.ctx)
		}
		err = safefile.Refuse(safefile.ErrOutput, c.Out, "%s files do not take the sound of %s (%s) as it is: %s; "+
			"use -o NAME.mkv, which takes all", ext, c.In, sounds(list), p.words(err))
	}
	return nil, err
}

// sounds returns the codecs of the sound in list.
func sounds(list []copied) string {
	var names []string
	for _, s := range list {
		if s.Type == "audio" {
			names = append(names, s.Codec)
		}
	}
	return strings.Join(names, ", ")
}
