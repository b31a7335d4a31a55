package enlarging

import (
	"context"
	"fmt"
	"image"
	"io"
	"os"
	"strings"

	"superres/internal/imagefile"
	"superres/internal/safefile"
	"superres/internal/usage"
)

// still is the sequence of a still picture.
type still struct {
	*Plan
	pic *imagefile.Picture // nil: Next has returned it
}

// openPicture opens a file that package imagefile can read: a still picture, an animation or a file with pages.
func openPicture(ctx context.Context, p *Plan) error {
	limits := p.limits()
	pipe := p.content.At == nil
	if pipe { // its size is known only once all of it is in memory, so it waits for all memory
		const twice = 2 // the buffer is copied while it grows
		limits.Bytes = min(imagefile.MaxBytes, p.Limits.Memory*8/11/twice)
		p.Memory = p.Limits.Memory
		if err := p.admit(); err != nil {
			return err
		}
	}
	// The format of a file of several pictures, "" for one picture, and the bytes of the file with its metadata.
	several, fileBytes := imagefile.Format(""), int64(0)
	limits.Several = func(kind imagefile.Format) { several = kind }
	limits.Accept = func(cfg image.Config, held int64) (err error) {
		p.Input, fileBytes = image.Pt(cfg.Width, cfg.Height), held
		if several != "" && p.Map != nil {
			return usage.Errorf("a map of what is sure is for a still picture, and this file has several")
		} else if several != "" {
			err = p.measureSeries(several, cfg, held)
		} else {
			err = p.measureStill(cfg, held)
		}
		switch {
		case err != nil:
			return err
		case p.trial && several == "" && (p.choosing == nil || p.Denoise >= 0):
			return errEnough
		case !pipe:
			err = p.admit()
		}
		p.start()
		return err
	}
	pic, err := p.content.decode(ctx, p.Source.Name(), limits)
	switch {
	case err != nil:
		return err
	case several != "":
		return openSeries(ctx, p, pic, fileBytes)
	}
	p.single = true
	p.title = strings.ToUpper(string(pic.Format))
	if pic.Quality > 0 {
		p.title += fmt.Sprintf(" of quality %d", pic.Quality)
	}
	p.Input = pic.Image.Bounds().Size()
	p.seq.Sequence = &still{p, pic}
	return p.seq.fill(ctx, 1)
}

// measureStill sets sizes and memory from cfg, the header of a picture; held are the bytes of its file and metadata.
func (p *Plan) measureStill(cfg image.Config, held int64) error {
	size, d, err := p.measure(cfg, true, held, 0)
	if err != nil {
		return err
	}
	p.worked, p.Output, p.Memory = size, size, d.of(1)
	if !p.Region.Empty() {
		of, err := p.partOf(p.clean.model.Reach, p.Input, true)
		if err != nil {
			return err
		}
		p.Output = of.keep.Size()
	}
	if most := p.Format.MostSide(); max(p.Output.X, p.Output.Y) > most {
		return p.tooLarge(safefile.ErrLimit, PNGOrSmallerScale, PNGOrSmallerSize,
			"output %d×%d: a side of %s has at most %d pixels", p.Output.X, p.Output.Y, p.Format.Title(), most)
	}
	return nil
}

// Next implements Sequence.
func (s *still) Next(context.Context) (*Frame, error) {
	if s.pic == nil {
		return nil, io.EOF
	}
	f := &Frame{Number: 1, Image: s.pic.Image, About: s.pic}
	s.pic = nil
	return f, nil
}

// Finish implements Sequence.
func (s *still) Finish(f *Frame, enlarged image.Image, by Choice) (Result, error) {
	return s.finish(f, enlarged, by), nil
}

// Writer implements Sequence. Put of its result is called once, or once for each strip.
func (s *still) Writer(w io.Writer) (Writer, func(), error) {
	var strips *imagefile.Stream // nil: no strip has been put
	free := func() {}
	put := func(r Result) error {
		if !r.isStrip {
			return imagefile.Encode(w, r.Image, s.Format, r.How)
		}
		if strips == nil {
			var aside *os.File
			if s.Format.NeedsAside(r.How) {
				f, done, err := s.Sink.Aside()
				if err != nil {
					return err
				}
				aside, free = f, done
			}
			strips = imagefile.NewStream(w, s.Output.X, s.Output.Y, s.Format, r.How, aside)
		}
		return strips.Put(r.Image)
	}
	end := func() error {
		if strips == nil {
			return nil
		}
		return strips.Close()
	}
	return writer{put, end}, func() { free() }, nil
}
