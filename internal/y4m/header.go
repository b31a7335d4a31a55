// Package y4m reads and writes YUV4MPEG2, uncompressed video as programs hand it to one another in pipes: a line
// about the stream, and for each frame a line and its samples, brightness and then Cb and Cr.
//
// header.go is the line about the stream, stream.go the frames, planes.go their samples. Nothing
// in a stream is trusted: lines are bounded, and a header is known, and can be refused by its
// size, before memory is taken for a frame.
package y4m

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"superres/internal/imagefile"
	"superres/internal/safefile"
)

// Magic is what a stream begins with.
const Magic = "YUV4MPEG2 "

// MaxSide is how many samples a side of a frame has at most.
const MaxSide = 1<<16 - 1

// Header is what a stream says of all its frames.
type Header struct {
	// Width and Height are the sides of a frame in samples of brightness, 1 to MaxSide.
	Width, Height int
	// Depth is how many bits a sample has, 8 to 16.
	Depth int
	// Layout is where samples of colour lie.
	Layout Layout

	params []string // all, as they were, in their order
}

// Layout is where the samples of colour of a frame lie.
type Layout struct {
	// Name is that of the layout in a header, such as 420jpeg.
	Name string
	// Grey tells that there are none.
	Grey bool
	// Across and Down are how many samples of brightness one of colour is for: 1, 2 or 4.
	Across, Down int
	// Left and Top tell that it lies on the first of them, in a row and in a column; else it is in their middle.
	Left, Top bool
}

// layouts are those that are known, at 8 bits a sample.
//
// Note: the two colours of paldv lie on alternate lines of a field; whole frames are taken to
// have both on the first, as FFmpeg does.
var layouts = []Layout{
	{Name: "420jpeg", Across: 2, Down: 2},
	{Name: "420mpeg2", Across: 2, Down: 2, Left: true},
	{Name: "420paldv", Across: 2, Down: 2, Left: true, Top: true},
	{Name: "420", Across: 2, Down: 2},
	{Name: "411", Across: 4, Down: 1, Left: true},
	{Name: "422", Across: 2, Down: 1, Left: true},
	{Name: "444", Across: 1, Down: 1},
	{Name: "mono", Grey: true, Across: 1, Down: 1},
}

// layoutOf finds a layout and a depth by its name.
func layoutOf(name string) (Layout, int, error) {
	for _, l := range layouts {
		if l.Name == name {
			return l, 8, nil
		}
	}
	for _, base := range []string{"420p", "422p", "444p", "mono"} {
		text, ok := strings.CutPrefix(name, base)
		if depth, err := strconv.Atoi(text); ok && err == nil && slices.Contains([]int{9, 10, 12, 14, 16}, depth) {
			l, _, err := layoutOf(strings.TrimSuffix(base, "p"))
			l.Name = name
			if base == "420p" { // no siting is told: that of nearly all video so deep
				l.Left = true
			}
			return l, depth, err
		}
	}
	return Layout{}, 0, refuse("has colour as %q; known are 420jpeg, 420mpeg2, 420paldv, 411, 422, 444 and mono, "+
		"and 420p10 and the like up to 16 bits", name)
}

// parse reads the line about the stream, without Magic, and checks the size of its frames.
func parse(line string, lim imagefile.Limits) (h Header, err error) {
	name, other := "", ""
	seen := map[byte]bool{}
	for _, p := range strings.Fields(line) {
		key, value := p[0], p[1:]
		if key != 'X' {
			if seen[key] {
				return h, refuse("has the header %q twice", key)
			}
			seen[key] = true
		}
		switch key {
		case 'W':
			h.Width, err = side(value)
		case 'H':
			h.Height, err = side(value)
		case 'C':
			name = value
		case 'I':
			err = interlacing(value)
		case 'X':
			if alike, ok := strings.CutPrefix(value, "YSCSS="); ok {
				other = strings.ToLower(alike)
			}
		}
		if err != nil {
			return h, err
		}
		h.params = append(h.params, p)
	}
	if h.Width == 0 || h.Height == 0 {
		return h, refuse("has no width or no height in its header")
	}
	if _, err = lim.CheckSize(int64(h.Width), int64(h.Height)); err != nil {
		return h, err
	}
	if name == "" {
		if name = other; name == "" {
			name = "420jpeg"
		}
	}
	h.Layout, h.Depth, err = layoutOf(name)
	return h, err
}

func side(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > MaxSide {
		return 0, refuse("has a side of %q in its header, expected 1 to %d", text, MaxSide)
	}
	return n, nil
}

// interlacing refuses frames of two fields, whose lines are of two times.
func interlacing(text string) error {
	switch text {
	case "p", "?":
		return nil
	case "t", "b", "m":
		return refuse("is interlaced, and lines of two moments cannot be enlarged together; " +
			"deinterlace it first, as ffmpeg does with -vf bwdif")
	}
	return refuse("has the interlacing %q, expected p, t, b, m or ?", text)
}

// Sized returns the header of a stream of another size that is the same but for that.
func (h Header) Sized(width, height int) Header {
	h.Width, h.Height, h.params = width, height, slices.Clone(h.params)
	for i, p := range h.params {
		switch p[0] {
		case 'W':
			h.params[i] = fmt.Sprint("W", width)
		case 'H':
			h.params[i] = fmt.Sprint("H", height)
		}
	}
	return h
}

// String is the line about the stream.
func (h Header) String() string { return Magic + strings.Join(h.params, " ") }

// refuse makes the error of a stream that cannot be read; whoever knows its name gives it.
func refuse(format string, args ...any) error {
	return safefile.Refuse(safefile.ErrInput, "", format, args...)
}
