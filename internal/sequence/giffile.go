package sequence

import (
	"bufio"
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"io"
	"os"

	"github.com/klauspost/compress/flate"

	"superres/internal/metadata"
)

// GIFWriter writes an animation as GIF. All frames share one palette, which is chosen when the last has come. Until
// then the rectangle that has changed of each frame is kept in a file.
type GIFWriter struct {
	w       io.Writer
	plays   int
	comment string

	aside  *os.File
	packer *flate.Writer
	buffer *bufio.Writer

	before *image.NRGBA
	counts *counts
	list   []saved

	// While the file is written:
	palette color.Palette // with the transparent colour at the end
	waiting *gifFrame     // for what comes behind it
	shown   []uint8       // what is seen before the waiting frame
	begun   bool
}

// saved describes a frame that is in the file of intermediate data.
type saved struct {
	rect  image.Rectangle
	delay int // hundredths of a second
}

// gifFrame is a whole frame, as indices of the palette.
type gifFrame struct {
	pix   []uint8
	rect  image.Rectangle // that is to be written
	delay int
}

// NewGIFWriter begins an animation that is played a number of times, 0 for endlessly. An empty comment is left out.
// aside is an empty file for intermediate data, which Close does not close.
func NewGIFWriter(w io.Writer, plays int, comment string, aside *os.File) *GIFWriter {
	g := &GIFWriter{w: w, plays: plays, comment: comment, aside: aside, counts: newCounts()}
	g.buffer = bufio.NewWriterSize(aside, 1<<16)
	g.packer, _ = flate.NewWriter(g.buffer, flate.BestSpeed) // which is a level
	return g
}

// Put takes the next frame, of 8 bits a sample. All frames must be of one size and type. The caller must not change
// one before the next is put. Pixels that are less than half opaque become transparent.
func (g *GIFWriter) Put(img image.Image, delay Delay) error {
	m := toNRGBA(img)
	var before image.Image
	if g.before != nil {
		before = g.before
	}
	r := findChange(before, m)
	g.before = m
	g.list = append(g.list, saved{r, toHundredths(delay)})
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := m.Pix[m.PixOffset(r.Min.X, y):][:4*r.Dx()]
		if _, err := g.packer.Write(row); err != nil {
			return err
		}
		for ; len(row) > 0; row = row[4:] {
			if row[3] >= 128 {
				g.counts.add(row[0], row[1], row[2])
			}
		}
	}
	return nil
}

// toNRGBA returns a picture of type *image.Gray or *image.NRGBA as *image.NRGBA.
func toNRGBA(img image.Image) *image.NRGBA {
	grey, is := img.(*image.Gray)
	if !is {
		return img.(*image.NRGBA)
	}
	m := image.NewNRGBA(grey.Rect)
	for i, v := range grey.Pix {
		copy(m.Pix[4*i:], []uint8{v, v, v, 255})
	}
	return m
}

// toHundredths returns a delay in hundredths of a second, as a GIF has it. A delay in other units is rounded, to two
// at least, since players show a frame of less for ten.
func toHundredths(d Delay) int {
	if d.Den == 0 || d.Den == 100 {
		return int(d.Num)
	}
	n := (200*int(d.Num) + int(d.Den)) / (2 * int(d.Den))
	if d.Num > 0 {
		n = max(n, 2)
	}
	return min(n, 0xffff)
}

// Close chooses the colours and writes the file.
func (g *GIFWriter) Close() error {
	if err := errors.Join(g.packer.Close(), g.buffer.Flush()); err != nil {
		return err
	}
	if _, err := g.aside.Seek(0, io.SeekStart); err != nil {
		return err
	}
	colours := g.counts.palette()
	g.counts = nil
	for _, c := range colours {
		g.palette = append(g.palette, color.RGBA(c))
	}
	transparent := uint8(len(colours))
	g.palette = append(g.palette, color.RGBA{})
	to, size := newMapping(colours), g.before.Rect
	in := flate.NewReader(bufio.NewReaderSize(g.aside, 1<<16))
	now := bytes.Repeat([]uint8{transparent}, size.Dx()*size.Dy())
	g.shown = bytes.Clone(now)
	row := make([]byte, 4*size.Dx())
	for _, s := range g.list {
		for y := s.rect.Min.Y; y < s.rect.Max.Y; y++ {
			pix := row[:4*s.rect.Dx()]
			if _, err := io.ReadFull(in, pix); err != nil {
				return err
			}
			out := now[y*size.Dx()+s.rect.Min.X:]
			for i := 0; len(pix) > 0; i, pix = i+1, pix[4:] {
				if out[i] = transparent; pix[3] >= 128 {
					out[i] = to.index(pix[0], pix[1], pix[2])
				}
			}
		}
		if err := g.frame(now, s.delay); err != nil {
			return err
		}
	}
	if err := g.write(gif.DisposalNone); err != nil {
		return err
	}
	_, err := g.w.Write([]byte{gifTrailer})
	return err
}

// frame writes the waiting frame, and makes now, the indices of the next one, wait. A GIF clears a whole rectangle or
// nothing: where pixels of the waiting frame are transparent in now, its rectangle is enlarged to hold and clear them.
func (g *GIFWriter) frame(now []uint8, delay int) error {
	size := g.before.Rect
	next := &gifFrame{pix: bytes.Clone(now), rect: size, delay: delay}
	if last := g.waiting; last != nil {
		transparent := uint8(len(g.palette) - 1)
		var gone image.Rectangle
		for i, v := range now {
			if v == transparent && last.pix[i] != transparent {
				gone = gone.Union(image.Rect(0, 0, 1, 1).Add(image.Pt(i%size.Dx(), i/size.Dx())))
			}
		}
		if gone.Empty() {
			if err := g.write(gif.DisposalNone); err != nil {
				return err
			}
			g.shown = last.pix
		} else {
			last.rect = last.rect.Union(gone)
			if err := g.write(gif.DisposalBackground); err != nil {
				return err
			}
			g.shown = last.pix
			for y := last.rect.Min.Y; y < last.rect.Max.Y; y++ {
				cleared := g.shown[y*size.Dx():]
				for x := last.rect.Min.X; x < last.rect.Max.X; x++ {
					cleared[x] = transparent
				}
			}
		}
		next.rect = findDifference(g.shown, now, size.Dx(), 1, size)
	}
	g.waiting = next
	return nil
}

// write writes the waiting frame. Pixels that are shown already are transparent in it, which takes fewer bytes.
func (g *GIFWriter) write(disposal byte) error {
	f, size := g.waiting, g.before.Rect
	transparent := uint8(len(g.palette) - 1)
	m := image.NewPaletted(f.rect, g.palette)
	for y := f.rect.Min.Y; y < f.rect.Max.Y; y++ {
		at := y*size.Dx() + f.rect.Min.X
		out := m.Pix[(y-f.rect.Min.Y)*m.Stride:][:f.rect.Dx()]
		for i := range out {
			if out[i] = f.pix[at+i]; out[i] == g.shown[at+i] {
				out[i] = transparent
			}
		}
	}
	var file bytes.Buffer
	err := gif.EncodeAll(&file, &gif.GIF{Image: []*image.Paletted{m}, Delay: []int{f.delay}, Disposal: []byte{disposal},
		Config: image.Config{ColorModel: g.palette, Width: size.Dx(), Height: size.Dy()}})
	if err != nil {
		return err
	}
	data := file.Bytes()
	written, err := metadata.WalkGIF(bytes.NewReader(data))
	if err != nil {
		return err
	}
	start := written.Head.Length
	if !g.begun {
		g.begun = true
		if _, err := g.w.Write(append(bytes.Clone(data[:start]), g.extensions()...)); err != nil {
			return err
		}
	}
	_, err = g.w.Write(data[start : len(data)-1])
	return err
}

// extensions returns the blocks about all frames: how often they are repeated, if they are, and the comment.
func (g *GIFWriter) extensions() (b []byte) {
	if g.plays != 1 {
		again := 0
		if g.plays > 0 {
			again = min(g.plays-1, 0xffff)
		}
		b = append(b, "\x21\xff\x0bNETSCAPE2.0\x03\x01"...)
		b = append(b, byte(again), byte(again>>8), 0)
	}
	if text := g.comment; text != "" {
		b = append(b, gifExtension, 0xfe)
		for len(text) > 0 {
			n := min(len(text), 255)
			b = append(append(b, byte(n)), text[:n]...)
			text = text[n:]
		}
		b = append(b, 0)
	}
	return b
}
