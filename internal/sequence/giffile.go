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
	"slices"

	"github.com/klauspost/compress/flate"

	"superres/internal/metadata"
)

// GIFWriter writes an animation as GIF. All frames share one palette, which is chosen after the last frame. Until then,
// the changed rectangle of each frame is stored in the file aside.
type GIFWriter struct {
	w       io.Writer
	plays   int
	comment string
	aside   *os.File
	packer  *flate.Writer // writes to buffer, and buffer to aside
	buffer  *bufio.Writer
	before  *image.NRGBA // the frame that Put got last; nil: none yet
	counts  *counts      // of the colours in the changed rectangles
	list    []saved      // one for each frame

	// Used while the file is written:
	palette color.Palette // the transparent colour is the last
	waiting *gifFrame     // the last frame, which is written once the next frame is known
	shown   []uint8       // palette index of each pixel shown before the waiting frame
	begun   bool
}

// saved describes a frame; its changed rectangle is in the file GIFWriter.aside.
type saved struct {
	rect  image.Rectangle
	delay int // hundredths of a second
}

// gifFrame is a frame with all pixels of the canvas, as indices of the palette.
type gifFrame struct {
	pix   []uint8
	rect  image.Rectangle // the part of pix to write
	delay int
}

// NewGIFWriter returns a writer for an animation that is played plays times; 0: endlessly. An empty comment is left
// out. aside is an empty file for intermediate data, which the caller closes.
func NewGIFWriter(w io.Writer, plays int, comment string, aside *os.File) *GIFWriter {
	g := &GIFWriter{w: w, plays: plays, comment: comment, aside: aside,
		counts: &counts{exact: map[uint32]bool{}, bins: make([]bin, 1<<(3*cellBits))}}
	g.buffer = bufio.NewWriterSize(aside, 1<<16)
	g.packer, _ = flate.NewWriter(g.buffer, flate.BestSpeed) // fails only for an invalid level
	return g
}

// Put adds img as the next frame: it stores the rectangle that differs from the frame before. All frames must have
// the same size and type, *image.Gray or *image.NRGBA. The caller must not change img before the next call returns.
// Pixels less than half opaque become transparent; the colours of all others count for the palette.
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

// toNRGBA returns img, an *image.NRGBA or an *image.Gray without gaps between its rows, as *image.NRGBA.
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

// toHundredths returns d in hundredths of a second, the unit of a GIF. Delays in other units are rounded and limited
// to 65,535, and to at least 2 unless they are 0, since players show a frame with a smaller delay for 10.
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

// Close chooses the palette and writes the whole file to g.w. It leaves g.w and g.aside open.
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
	to, size := &mapping{colours, make([]mapped, 1<<knownBits)}, g.before.Rect
	in := flate.NewReader(bufio.NewReaderSize(g.aside, 1<<16))
	now := bytes.Repeat([]uint8{transparent}, size.Dx()*size.Dy()) // the canvas, as indices of the palette
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
		if err := g.queue(now, s.delay); err != nil {
			return err
		}
	}
	if err := g.writeWaiting(gif.DisposalNone); err != nil {
		return err
	}
	_, err := g.w.Write([]byte{gifTrailer})
	return err
}

// queue writes the waiting frame, if any; then the next frame, a copy of indices, waits. To remove visible pixels, a
// GIF can only clear the whole rectangle of a frame. So if visible pixels become transparent in indices, the
// rectangle of the waiting frame is enlarged to contain these pixels, and cleared afterwards.
func (g *GIFWriter) queue(indices []uint8, delay int) error {
	size := g.before.Rect // of the whole picture
	next := &gifFrame{pix: bytes.Clone(indices), rect: size, delay: delay}
	if last := g.waiting; last != nil {
		transparent := uint8(len(g.palette) - 1)
		var gone image.Rectangle
		for i, v := range indices {
			if v == transparent && last.pix[i] != transparent {
				gone = gone.Union(image.Rect(0, 0, 1, 1).Add(image.Pt(i%size.Dx(), i/size.Dx())))
			}
		}
		if gone.Empty() {
			if err := g.writeWaiting(gif.DisposalNone); err != nil {
				return err
			}
			g.shown = last.pix
		} else {
			last.rect = last.rect.Union(gone)
			if err := g.writeWaiting(gif.DisposalBackground); err != nil {
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
		next.rect = findDifference(g.shown, indices, size.Dx(), 1, size)
	}
	g.waiting = next
	return nil
}

// writeWaiting writes the waiting frame with the given disposal method, after the header if it is the first frame.
// Pixels that do not change the picture shown are written as transparent, which takes fewer bytes.
func (g *GIFWriter) writeWaiting(disposal byte) error {
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
	_, err = g.w.Write(data[start : len(data)-1]) // without the trailer, which Close writes once
	return err
}

// extensions returns the blocks after the header: about repetition, unless g.plays is 1, and with the comment, if any.
func (g *GIFWriter) extensions() (b []byte) {
	if g.plays != 1 {
		again := 0 // how often after the first time; 0: endlessly
		if g.plays > 0 {
			again = min(g.plays-1, 0xffff)
		}
		b = append(b, "\x21\xff\x0bNETSCAPE2.0\x03\x01"...)
		b = append(b, byte(again), byte(again>>8), 0)
	}
	if text := g.comment; text != "" {
		b = append(b, metadata.GIFExtension, 0xfe) // 0xfe: the label of a comment
		for block := range slices.Chunk([]byte(text), 255) {
			b = append(append(b, byte(len(block))), block...)
		}
		b = append(b, 0)
	}
	return b
}
