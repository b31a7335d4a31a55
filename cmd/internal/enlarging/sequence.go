package enlarging

import (
	"context"
	"image"
	"io"

	"superres/internal/imagefile"
	"superres/internal/parallel"
	"superres/internal/sequence"
	"superres/internal/y4m"
	"superres/superres"
	"superres/superres/flaws"
)

// Sequence is the pictures of a source, in their order. A still picture is a sequence of one.
type Sequence interface {
	// Next reads the next picture, or returns io.EOF behind the last.
	Next(ctx context.Context) (*Frame, error)
	// Finish makes of the enlargement of a frame what is written. It may be called for several at once.
	Finish(f *Frame, enlarged image.Image, by Choice) (Result, error)
	// Writer begins a file of results. It may be closed without an end, by done, after an error.
	Writer(w io.Writer) (to Writer, done func(), err error)
}

// Frame is one picture of a sequence.
type Frame struct {
	// Number is that of the frame, from 1.
	Number int
	// Image is what is enlarged; of video, brightness.
	Image image.Image
	// Chroma is the colour of video; nil: it is in Image.
	Chroma *superres.Chroma
	// About is what the file says of the picture.
	About *imagefile.Picture
	// Delay is how long it is seen; zero for what does not move.
	Delay sequence.Delay
	// Video is a frame of video as the stream has it; nil: it is none.
	Video *y4m.Frame
}

// measure finds the flaws of a frame.
func (f *Frame) measure() flaws.Flaws {
	found := flaws.Measure(f.Image, f.About.Quality)
	if f.About.Quantiser > 0 {
		found = found.OutOfWebP(f.About.Quantiser)
	}
	if f.Chroma != nil { // brightness alone tells the rest, as no colour has been rounded into it
		found.ColourNoise = flaws.Measure(inColour(f.Image, f.Chroma), 0).ColourNoise
	}
	return found
}

// Result is what became of a frame.
type Result struct {
	// Number and Delay are those of the frame.
	Number int
	Delay  sequence.Delay
	// Image is what is written, as How says; of video, Video is.
	Image image.Image
	How   imagefile.EncodeOptions
	Video *y4m.Frame
	// Warnings are what it lacks of the frame, each fit to follow the name of the file.
	Warnings []string

	// strips makes the picture while it is written, strip by strip; nil: Image is all of it.
	strips  func(put func(Result) error) error
	isStrip bool // Image is one of those
}

// Writer writes the results of a sequence, one after the other.
type Writer interface {
	Put(Result) error
	// Close writes what comes after the last.
	Close() error
}

// writer is a Writer of two functions.
type writer struct {
	put   func(Result) error
	close func() error
}

// Put implements Writer.
func (w writer) Put(r Result) error { return w.put(r) }

// Close implements Writer.
func (w writer) Close() error { return w.close() }

// lookahead is a sequence of which the beginning was read already, to choose what enlarges all of it.
type lookahead struct {
	Sequence
	read []made[*Frame]
}

// fill reads n frames, or fewer if an error comes first. It fails only if there is no first frame.
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

// Next implements Sequence. An error that was read ahead stays.
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

// second is the second frame; nil: there is none, or it was not read.
func (l *lookahead) second() *Frame {
	if len(l.read) < 2 {
		return nil
	}
	return l.read[1].frame
}

// workers counts the frames of a sequence that are in work beside the first among the pictures in work.
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
