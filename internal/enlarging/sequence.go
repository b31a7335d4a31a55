package enlarging

import (
	"context"
	"image"
	"io"
	"slices"

	"superres/internal/imagefile"
	"superres/internal/parallel"
	"superres/internal/sequence"
	"superres/internal/y4m"
	"superres/superres"
	"superres/superres/flaws"
)

// Sequence is the pictures of a source in order. A still picture is a sequence of one.
type Sequence interface {
	// Next reads the next picture, or returns io.EOF after the last.
	Next(ctx context.Context) (*Frame, error)
	// Finish returns what is written for f, given its enlargement. It may be called for several frames at once.
	Finish(f *Frame, enlarged image.Image, by Choice) (Result, error)
	// Writer begins the output file on w. done frees what to took; after an error it is called without to.Close.
	Writer(w io.Writer) (to Writer, done func(), err error)
}

// Frame is one picture of a sequence.
type Frame struct {
	// Number is the position of the frame in its sequence, from 1.
	Number int
	// Image is the picture to enlarge; of video, its brightness alone.
	Image image.Image
	// Chroma is the colour of a frame of video; nil: colour is part of Image.
	Chroma *superres.Chroma
	// About is what the file says of the picture, such as its metadata.
	About *imagefile.Picture
	// Delay is how long the frame is shown; zero for pictures that are not animated.
	Delay sequence.Delay
	// Video is the frame as the stream stores it; nil: the source is not video.
	Video *y4m.Frame
}

// examination returns the examination of the frame.
func (f *Frame) examination() *flaws.Examination {
	x := &flaws.Examination{Picture: f.Image, Quality: f.About.Quality, WebP: f.About.Quantiser}
	if f.Chroma != nil {
		x.Coloured = inColour(f.Image, f.Chroma)
	}
	return x
}

// Result is an enlarged frame, ready to be written.
type Result struct {
	// Number and Delay are copied from the frame.
	Number int
	Delay  sequence.Delay
	// Image is the enlarged picture, and How its encoding; for video, Video is used instead.
	Image image.Image
	How   imagefile.EncodeOptions
	Video *y4m.Frame
	// Warnings list what the result lacks of the frame, each worded to follow the name of the file.
	Warnings []string

	// strips computes the picture while it is written and passes each strip to put; nil: Image is the whole picture.
	strips  func(put func(Result) error) error
	isStrip bool // Image is one strip of a picture; false: it is a whole one
	// report says how the enlargement went, once all strips are there; nil: nobody asked.
	report *superres.Report
}

// Writer writes the results of a sequence, in order.
type Writer interface {
	Put(Result) error
	// Close writes what the format needs after the last result.
	Close() error
}

// writer is a Writer made of two functions.
type writer struct {
	put   func(Result) error
	close func() error
}

// Put implements Writer.
func (w writer) Put(r Result) error { return w.put(r) }

// Close implements Writer.
func (w writer) Close() error { return w.close() }

// lookahead is a sequence whose first frames, read, were read in advance to choose the model.
type lookahead struct {
	Sequence
	read []made[*Frame]
}

// fill reads count frames in advance, or fewer if an error comes first; without any frame it returns the error.
func (l *lookahead) fill(ctx context.Context, count int) error {
	for len(l.read) < count {
		var m made[*Frame]
		if m.frame, m.err = l.Sequence.Next(ctx); m.err != nil && len(l.read) == 0 {
			return m.err
		}
		if l.read = append(l.read, m); m.err != nil {
			break
		}
	}
	return nil
}

// Next implements Sequence. An error met while reading in advance is returned at its place, and again by later calls.
func (l *lookahead) Next(ctx context.Context) (*Frame, error) {
	if len(l.read) == 0 {
		return l.Sequence.Next(ctx)
	}
	m := l.read[0]
	if m.err == nil {
		l.read = l.read[1:]
	}
	return m.frame, m.err
}

// drop leaves out the frames that were read in advance, which an earlier run has enlarged.
func (l *lookahead) drop() {
	l.read = slices.DeleteFunc(l.read, func(m made[*Frame]) bool { return m.err == nil })
}

// second returns the second frame, or nil if there is none or it was not read.
func (l *lookahead) second() *Frame {
	if len(l.read) < 2 {
		return nil
	}
	return l.read[1].frame
}

// workers makes together frames in work at a time share the processors, until end is called. The caller itself counts
// as the first.
func workers(together int) (end func()) {
	var ends []func()
	for range together - 1 {
		ends = append(ends, parallel.Task())
	}
	return func() {
		for _, end := range ends {
			end()
		}
	}
}
