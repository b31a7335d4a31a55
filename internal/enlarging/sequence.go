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

// Sequence reads the pictures in a source in order, and contains everything that differs between kinds of input. A
// still picture is a sequence of one. A type that embeds *run inherits the usual Choose, Result and Share.
type Sequence interface {
	// Next reads the next picture, or returns io.EOF after the last.
	Next(ctx context.Context) (*Frame, error)
	// Choose returns the model for all pictures, or only for the first, given the pictures read in advance.
	Choose(ctx context.Context) (Choice, error)
	// Result returns the result to write for f: it enlarges f and calls Finish. Calls may run at the same time.
	Result(ctx context.Context, f *Frame) (Result, error)
	// Finish returns the result to write for f, from the picture that was enlarged with the choice by.
	Finish(f *Frame, enlarged image.Image, by Choice) (Result, error)
	// Writer begins the output file on w. done frees the resources of to, also if an error prevents to.Close.
	Writer(w io.Writer) (to Writer, done func(), err error)

	// Describe returns the text of the plan: the input, the choice and the memory.
	Describe() string
	// Noun is the word for one picture in messages, such as frame; empty: the file is one picture.
	Noun() string
	// Share returns how much of the file, 0 to 1, is done after the given number of pictures; 0 if unknown.
	Share(pictures int) float64
}

// Frame is one picture of a sequence.
type Frame struct {
	// Number is the position of the frame in its sequence, from 1.
	Number int
	// Image is the picture to enlarge; for video, only its brightness.
	Image image.Image
	// Chroma is the colour of a frame of video; nil: colour is part of Image.
	Chroma *superres.Chroma
	// About holds what the file says about the picture, such as metadata.
	About *imagefile.Picture
	// Delay is how long the frame is shown; zero for pictures that are not animated.
	Delay sequence.Delay
	// Video is the frame as it is stored in the video stream; nil: the source is not video.
	Video *y4m.Frame
}

// examination returns the frame in the form that package flaws examines.
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
	// Image is the enlarged picture, and How says how to encode it. For video, the result is Video instead.
	Image image.Image
	How   imagefile.EncodeOptions
	Video *y4m.Frame
	// Warnings list what the frame has but the result lacks, each worded to follow the name of the file.
	Warnings []string

	// strips computes the picture while it is written, and passes each strip to put; nil: Image is all of the picture.
	strips  func(put func(Result) error) error
	isStrip bool   // Image is one strip of a picture; false: all of it
	where   string // text before each warning: "page 3: "
	// report says how the enlargement went; it is complete after the last strip. nil: no report was requested.
	report *superres.Report
}

// put passes r to write, as one picture or strip by strip.
func (r Result) put(write func(Result) error) error {
	if r.strips == nil {
		return write(r)
	}
	return r.strips(write)
}

// Writer writes the results of a sequence, in order. Put writes one result, or one strip of a result.
type Writer struct {
	Put func(Result) error
	// Close writes the bytes that the format requires after the last result.
	Close func() error
}

// shareProcessors divides the processors among a number of frames enlarged at the same time, until end is called. The
// caller itself counts as the work on the first frame.
func shareProcessors(frames int) (end func()) {
	var ends []func()
	for range frames - 1 {
		ends = append(ends, parallel.Task())
	}
	return func() {
		for _, end := range ends {
			end()
		}
	}
}
