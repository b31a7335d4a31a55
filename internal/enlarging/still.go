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
	*run
	title string             // the kind of file: "JPEG of quality 80"
	pic   *imagefile.Picture // nil after Next has returned it
}

// openPicture opens a still picture, an animation or a file with pages, and sets the sizes and memory of r for it.
func openPicture(ctx context.Context, r *run) (Sequence, error) {
	limits := r.limits()
	pipe := r.content.At == nil
	if pipe { // the number of bytes is known only at the end of the pipe, so all memory is reserved
		const twice = 2 // the buffer is copied while it grows; 8/11 is the share without garbage: see WithGarbage
		limits.Bytes = min(imagefile.MaxBytes, r.Limits.Memory*8/11/twice)
		r.Memory = r.Limits.Memory
		if err := r.admit(ctx); err != nil {
			return nil, err
		}
	}
	// Decoding calls Several first if the file has several pictures, then Accept, before it takes memory for pixels.
	several, fileBytes, header := imagefile.Format(""), int64(0), image.Config{}
	limits.Several = func(kind imagefile.Format) { several = kind }
	limits.Accept = func(cfg image.Config, heldBytes int64) (err error) {
		r.Input, fileBytes, header = image.Pt(cfg.Width, cfg.Height), heldBytes, cfg
		if several != "" && r.Map != nil {
			return usage.Errorf("a map of what is sure is for a still picture, and this file has several")
		} else if several != "" {
			err = r.measureSeries(several, cfg, heldBytes)
		} else {
			err = r.measureStill(cfg, heldBytes)
		}
		switch {
		case err != nil:
			return err
		case r.start == nil && several == "" && (r.choosing == nil || r.Denoise >= 0):
			return errEnough
		case !pipe:
			err = r.admit(ctx)
		}
		if r.start != nil {
			r.start()
		}
		return err
	}
	pic, err := r.content.decode(ctx, r.Source.Name(), limits)
	switch {
	case err != nil:
		return nil, err
	case several != "":
		return openSeries(ctx, r, pic, fileBytes)
	}
	if r.wrap == "auto" && r.Region.Empty() && pic.Metadata.IsPanorama() {
		need := r.Memory
		if r.panorama = true; r.measureStill(header, fileBytes) != nil { // too little memory for the margin: no wrap
			r.panorama, r.Memory = false, need
		}
	}
	s := &still{r, strings.ToUpper(string(pic.Format)), pic}
	if pic.Quality > 0 {
		s.title += fmt.Sprintf(" of quality %d", pic.Quality)
	}
	r.Input = pic.Image.Bounds().Size()
	return s, r.fill(ctx, s, 1)
}

// measureStill sets sizes and memory of r from cfg, the header of a picture; its file and metadata take heldBytes.
func (r *run) measureStill(cfg image.Config, heldBytes int64) error {
	size, d, err := r.measure(cfg, true, heldBytes, 0) // true: the result may be written in strips
	if err != nil {
		return err
	}
	r.takeSize(size)
	r.Memory = d.total(1)
	if !r.Region.Empty() {
		part, err := r.partOf(r.clean.model.Reach, r.Input, true) // transparency does not change the size of the region
		if err != nil {
			return err
		}
		r.Output = part.keep.Size()
	}
	if most := r.Format.MostSide(); max(r.Output.X, r.Output.Y) > most {
		return safefile.Refuse(safefile.ErrLimit, "", "output %d×%d: a side of %s has at most %d pixels", r.Output.X,
			r.Output.Y, r.Format.Title(), most).With(imagefile.PNGOrSmaller)
	}
	return nil
}

// Next implements Sequence: the first call returns the picture, later calls return io.EOF.
func (s *still) Next(context.Context) (*Frame, error) {
	if s.pic == nil {
		return nil, io.EOF
	}
	f := &Frame{Number: 1, Image: s.pic.Image, About: s.pic}
	s.pic = nil
	return f, nil
}

// Writer implements Sequence. Put of the returned Writer is called once, or once for each strip; the returned function
// frees the temporary file that the first strip may open.
func (s *still) Writer(w io.Writer) (Writer, func(), error) {
	var strips *imagefile.Stream // nil until the first strip
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
	return Writer{put, end}, func() { free() }, nil
}
