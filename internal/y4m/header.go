// Package y4m reads and writes YUV4MPEG2, the format of uncompressed video in pipes between programs: a line of text
// about the stream; then, for each frame, a line, the samples of brightness, and the samples of Cb and Cr.
//
// header.go reads the line about the stream, stream.go the frames, and planes.go converts samples. Nothing in a stream
// is trusted: lines have a greatest length, and the size in the header is checked before memory is allocated.
package y4m

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"superres/internal/imagefile"
	"superres/internal/safefile"
)

// Magic is the text at the start of every stream.
const Magic = "YUV4MPEG2 "

// MaxSide is the greatest width or height of a frame, in samples.
const MaxSide = 1<<16 - 1

// Header is the first line of a stream, which describes all frames.
type Header struct {
	Width, Height int // sides of a frame in samples of brightness, 1 to MaxSide
	Depth         int // bits of a sample, 8 to 16
	Layout        Layout

	params []string // all fields of the line, in the order of the stream
}

// Layout describes how many samples of colour a frame has, and where they lie.
type Layout struct {
	Name string // in a header, such as 420jpeg
	Grey bool   // there are no samples of colour; false: there are Cb and Cr
	// Across and Down are how many brightness samples in a row and in a column share a sample of colour: 1, 2 or 4.
	Across, Down int
	// Left, Top and Bottom say where a sample of colour lies among the samples of brightness that share it: on the
	// first in a row, the first in a column, or the last in a column. Where they are false, it lies in the middle.
	Left, Top, Bottom bool
	// Alpha says that a plane of opacity, as large as plane 0, follows the planes of colour; false: all is opaque.
	Alpha bool
}

// Sited returns l with its samples of colour at location: left, center, topleft, top, bottomleft or bottom, FFmpeg's
// names for types 0 to 5 of ITU-T H.273, ChromaLocType. For any other text it returns l unchanged.
func (l Layout) Sited(location string) Layout {
	switch location {
	case "left", "center", "topleft", "top", "bottomleft", "bottom":
		l.Left = l.Across > 1 && strings.HasSuffix(location, "left")
		l.Top = l.Down > 1 && strings.HasPrefix(location, "top")
		l.Bottom = l.Down > 1 && strings.HasPrefix(location, "bottom")
	}
	return l
}

// Offset returns the position of a sample of colour: its distance from the left and upper edges of the block of
// brightness samples that share it, in widths and heights of a brightness sample.
func (l Layout) Offset() (x, y float64) {
	x, y = float64(l.Across)/2, float64(l.Down)/2
	switch {
	case l.Top:
		y = 0.5
	case l.Bottom:
		y = float64(l.Down) - 0.5
	}
	if l.Left {
		x = 0.5
	}
	return x, y
}

// layouts are the layouts that can be read, with their names for 8 bits a sample.
//
// Note: in paldv, Cb and Cr lie on alternate lines of a field; here, as in FFmpeg, both lie on the first line.
var layouts = []Layout{
	{Name: "420jpeg", Across: 2, Down: 2},
	{Name: "420mpeg2", Across: 2, Down: 2, Left: true},
	{Name: "420paldv", Across: 2, Down: 2, Left: true, Top: true},
	{Name: "420", Across: 2, Down: 2},
	{Name: "411", Across: 4, Down: 1, Left: true},
	{Name: "422", Across: 2, Down: 1, Left: true},
	{Name: "444", Across: 1, Down: 1},
	{Name: "444alpha", Across: 1, Down: 1, Alpha: true},
	{Name: "mono", Grey: true, Across: 1, Down: 1},
}

// layoutOf returns the layout called name, and the depth in bits: 8, or the end of name. It fails for unknown names.
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
			if base == "420p" { // the name does not say it, but in nearly all deep video, colour lies on the left
				l.Left = true
			}
			return l, depth, err
		}
	}
	return Layout{}, 0, refuse("has colour as %q; known are 420jpeg, 420mpeg2, 420paldv, 411, 422, 444, 444alpha "+
		"and mono, and 420p10 and the like up to 16 bits", name)
}

// parse returns the header in line, the first line without Magic. It fails for a broken rule or a size above lim. If
// the line names no layout, the extension XYSCSS= may name it, and the default is 420jpeg.
func parse(line string, lim imagefile.Limits) (h Header, err error) {
	name, extension := "", "" // the layout, from the field C and from the extension
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
			h.Width, err = parseSide(value)
		case 'H':
			h.Height, err = parseSide(value)
		case 'C':
			name = value
		case 'I':
			err = checkInterlacing(value)
		case 'X':
			if layout, ok := strings.CutPrefix(value, "YSCSS="); ok {
				extension = strings.ToLower(layout)
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
		if name = extension; name == "" {
			name = "420jpeg"
		}
	}
	h.Layout, h.Depth, err = layoutOf(name)
	return h, err
}

func parseSide(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > MaxSide {
		return 0, refuse("has a side of %q in its header, expected 1 to %d", text, MaxSide)
	}
	return n, nil
}

// checkInterlacing fails for frames of two fields, taken at different times. text is the value of the parameter I: p
// for progressive, ? for unknown, t or b for the top or bottom field first, and m for a mixture.
func checkInterlacing(text string) error {
	switch text {
	case "p", "?":
		return nil
	case "t", "b", "m":
		return refuse("is interlaced, and lines of two moments cannot be enlarged together; " +
			"deinterlace it first, as ffmpeg does with -vf bwdif")
	}
	return refuse("has the interlacing %q, expected p, t, b, m or ?", text)
}

// Sized returns h with a different width and height, in samples of brightness, also in the fields of its line.
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

// String returns the first line of the stream, including Magic, without the newline.
func (h Header) String() string { return Magic + strings.Join(h.params, " ") }

// refuse returns an ErrInput without the name of the stream. Callers add the name: see safefile.Named.
func refuse(format string, args ...any) error {
	return safefile.Refuse(safefile.ErrInput, "", format, args...)
}
