package video

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"

	"superres/cmd/internal/pictures"
	"superres/internal/enlarging"
	"superres/internal/safefile"
)

// source is the frames of a clip, as a Y4M stream.
type source struct{ *clip }

// Name implements enlarging.Source.
func (s source) Name() string { return s.In }

// Open implements enlarging.Source. It starts ffmpeg, which the content ends when it is closed.
func (s source) Open() (*enlarging.Content, error) {
	if err := pictures.CheckContainer(s.In); err != nil {
		return nil, err
	}
	if s.tools == nil {
		return nil, s.refuse("was no video when it was looked at first")
	}
	info, err := os.Stat(s.In)
	if err != nil {
		return nil, safefile.Unreadable(s.In, err)
	}
	if err := s.probe(); err != nil {
		return nil, err
	}
	s.times = newTimes(s.probed.start(), s.video.rate())
	unwatch := context.AfterFunc(s.ctx, s.times.end)
	s.decoder = newProcess(s.ctx, s.times.take, s.tools.ffmpeg, s.decodeArgs()...)
	out, err := s.decoder.stream()
	if err != nil {
		s.decoder.kill()
		return nil, s.refuse("ffmpeg cannot be started: %v", err)
	}
	frames := bufio.NewReaderSize(reader{out, s.decoder, s.times.end}, 1<<16)
	if _, err := frames.Peek(1); err != nil {
		s.decoder.stop()
		if s.ctx.Err() != nil {
			return nil, s.ctx.Err()
		}
		return nil, s.refuse("has no frame that can be read: %v", err)
	}
	return &enlarging.Content{Reader: frames, Info: info, Title: s.title(), Frames: s.probed.frames(s.video),
		Close: func() {
			unwatch()
			s.decoder.stop()
			s.times.end()
		}}, nil
}

func (c *clip) refuse(format string, args ...any) error {
	return safefile.Refuse(safefile.ErrInput, c.In, format, args...)
}

// probe reads what the file holds. It fails if there is no video in it.
func (c *clip) probe() error {
	p := newProcess(c.ctx, nil, c.tools.ffprobe, probeArgs(c.In)...)
	data, err := p.output()
	if c.ctx.Err() != nil {
		return c.ctx.Err()
	}
	if err != nil {
		return c.refuse("FFmpeg cannot read it: %s", p.words(err))
	}
	if c.probed, err = parseProbe(data); err != nil {
		return c.refuse("ffprobe says what cannot be understood: %v", err)
	}
	if c.video = c.probed.video(); c.video == nil {
		return c.refuse("has no video in it")
	}
	return nil
}

// title says in a few words what the video is.
func (c *clip) title() string {
	text := fmt.Sprintf("video, %s as %s", c.video.Codec, c.video.PixFmt)
	if rate := c.video.rate(); rate > 0 {
		text += fmt.Sprintf(", %.4g frames a second", rate)
	}
	return strings.TrimSpace(text)
}
