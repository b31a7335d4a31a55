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

// Sequence is the pictures of a source in order, and all that differs between kinds of input. A still picture is a
// sequence of one. A type that embeds *run has the usual Choose, Result and Share.
type Sequence interface {
	// Next reads the next picture, or returns io.EOF after the last.
	Next(ctx context.Context) (*Frame, error)
	// Choose returns the model for the pictures, or for the first of them, given those read in advance.
	Choose(ctx context.Context) (Choice, error)
	// Result returns what is written for f: it enlarges f and calls Finish. It may be called for several frames at a
	// time.
	Result(ctx context.Context, f *Frame) (Result, error)
	// Finish returns what is written for f, given its enlargement.
	Finish(f *Frame, enlarged image.Image, by Choice) (Result, error)
	// Writer begins the output file on w. done frees what to took; after an error it is called without to.Close.
	Writer(w io.Writer) (to Writer, done func(), err error)

	// Describe returns the text of the plan: the input, the choice and the memory.
	Describe() string
	// Noun is what messages call one picture, such as frame; empty: the file is one picture.
	Noun() string
	// Share returns the share of the file, 0 to 1, that a number of pictures make up, or 0 if that is not known.
	Share(pictures int) float64
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
	// Repeated is flaws.Repeated of the picture before its samples were taken once; 0: they were not.
	Repeated int
	// IsDrawn reports that the picture is a drawing of squares of equal pixels.
	IsDrawn bool
	// Salt is the share of samples that flaws.WithoutSalt has replaced in Image.
	Salt float64
	// Unsharp is the mask that flaws.WithoutUnsharp has undone in Image.
	Unsharp flaws.Unsharp
	// Delay is how long the frame is shown; zero for pictures that are not animated.
	Delay sequence.Delay
	// Video is the frame as the stream stores it; nil: the source is not video.
	Video *y4m.Frame
}

func (f *Frame) measure() flaws.Flaws {
	if f.IsDrawn {
		return flaws.Flaws{IsDrawn: true}
	}
	found := flaws.Measure(f.Image, f.About.Quality)
	if f.About.Quantiser > 0 {
		found = found.OutOfWebP(f.About.Quantiser)
	}
	if f.Chroma != nil { // Image is grey: noise of colour is measured in an RGB picture
		found.ColourNoise = flaws.Measure(inColour(f.Image, f.Chroma), 0).ColourNoise
	}
	return found
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
	isStrip bool   // Image is one strip of a picture; false: it is a whole one
	where   string // put before each warning: "page 3: "
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
