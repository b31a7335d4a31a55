package video

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"superres/cmd/internal/pictures"
	"superres/internal/enlarging"
	"superres/internal/safefile"
)

// source provides the frames of a clip as a Y4M stream.
type source struct{ *clip }

func (s source) Name() string { return s.In }

// Open implements enlarging.Source. It starts the ffmpeg that decodes the video; closing the content ends this ffmpeg.
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
	if err := s.prepare(); err != nil {
		return nil, err
	}
	done := 0
	if s.Settings != "" {
		s.parts = openSegments(s.Out, s.key(info))
		done = s.parts.done()
	}
	s.times = newTimes(s.probed.start(), s.video.rate())
	if done > 0 {
		s.times.toSkip = 2 // the first two frames are decoded to choose the model, and not written
	}
	s.decoder = newProcess(s.ctx, s.times.take, s.tools.ffmpeg, s.decodeArgs(done)...)
	out, err := s.decoder.stream()
	if err != nil {
		return nil, s.refuse("ffmpeg cannot be started: %v", err)
	}
	go func() { // no more times come once its messages have ended
		<-s.decoder.logged
		s.times.end()
	}()
	frames := bufio.NewReaderSize(reader{waiting{out, s.clip}, s.decoder}, 1<<16)
	if s.alpha {
		frames = bufio.NewReaderSize(&alphaReader{in: frames}, 1<<16)
	}
	if _, err := frames.Peek(1); err != nil {
		s.decoder.stop()
		if s.ctx.Err() != nil {
			return nil, s.ctx.Err()
		}
		if errors.Is(err, io.EOF) {
			return nil, s.refuse("has no frame that can be read: ffmpeg gave none; %s", s.decoder.explain(nil))
		}
		return nil, s.refuse("has no frame that can be read: %v", err)
	}
	return &enlarging.Content{Reader: frames, Info: info, Title: s.title(), Frames: s.probed.frames(s.video),
		Siting: s.video.location(), Done: done, Close: s.decoder.stop}, nil
}

func (c *clip) refuse(format string, args ...any) error {
	return safefile.Refuse(safefile.ErrInput, c.In, format, args...)
}

// ask returns ffprobe's description of the file at path. It fails if there is no video. Its errors are to follow path.
func (c *clip) ask(path string) (found probed, err error) {
	p := newProcess(c.ctx, nil, c.tools.ffprobe, probeArgs(path, "-show_format", "-show_streams")...)
	data, err := p.output()
	if err != nil {
		return found, fmt.Errorf("FFmpeg cannot read it: %s", p.explain(err))
	}
	if err = json.Unmarshal(data, &found); err != nil {
		return found, fmt.Errorf("%s says of it what cannot be understood (%w): it is not the ffprobe of FFmpeg, or a "+
			"script that loses its output", c.tools.ffprobe, err)
	}
	if found.video() == nil {
		return found, errors.New("has no video in it")
	}
	return found, nil
}

// probe sets c.probed and c.video by what ffprobe says of c.In and its first 8 frames. It fails if there is no video.
func (c *clip) probe() (err error) {
	c.probed, err = c.ask(c.In)
	if c.ctx.Err() != nil {
		return c.ctx.Err()
	}
	if err != nil {
		return c.refuse("%v", err)
	}
	c.video = c.probed.video()
	data, err := newProcess(c.ctx, nil, c.tools.ffprobe, probeArgs(c.In, "-select_streams", fmt.Sprint(c.video.Index),
		"-read_intervals", "%+#8", "-show_frames")...).output()
	if err == nil {
		_ = c.video.addFrames(data) // after an error, properties stay unknown, and decoding will fail, too
	}
	return c.ctx.Err()
}

// prepare calls probe, sets the encoder c.by and c.alpha, and warns of losses that are known before any frame is read.
// It fails if this ffmpeg has no encoder for the result. Transparency is kept if the encoder supports it and ffmpeg can
// read it; if not, an encoder is chosen as for a video without it.
func (c *clip) prepare() (err error) {
	if err = c.probe(); err != nil {
		return err
	}
	deep, hasAlpha := c.video.isDeep(), c.video.hasAlpha()
	if c.by, err = c.tools.encoderFor(extension(c.Out), deep, hasAlpha); err != nil {
		return err
	}
	decoder := c.video.alphaBy()
	c.alpha = hasAlpha && c.by.alpha && (decoder == "" || c.tools.has(c.ctx, decoder))
	switch {
	case c.alpha && deep:
		c.warn("has more than 8 bits a sample, and gets 8, as all that has transparency in VP9")
	case hasAlpha && c.by.alpha && !c.alpha:
		c.warn("its transparency is left out: this ffmpeg was built without " + decoder + ", which reads it")
	case hasAlpha && !c.alpha:
		c.warn(fmt.Sprintf("its transparency is left out: %s files are made without; -o NAME.webm keeps it",
			extension(c.Out)))
	}
	if hasAlpha && !c.alpha {
		c.by, _ = c.tools.encoderFor(extension(c.Out), deep, false) // an encoder exists, as above
	}
	if c.video.isInterlaced() {
		c.warn("is interlaced; its frames are made of their two fields by FFmpeg's bwdif")
	}
	for _, text := range c.video.lost() {
		c.warn(text)
	}
	return nil
}

// title describes the video in a few words.
func (c *clip) title() string {
	text := fmt.Sprintf("video, %s as %s", c.video.Codec, c.video.PixFmt)
	if rate := c.video.rate(); rate > 0 {
		text += fmt.Sprintf(", %.4g frames a second", rate)
	}
	return strings.TrimSpace(text)
}
