package imagefile

import (
	"bufio"
	"compress/lzw"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"io"
	"slices"

	"superres/internal/metadata"
	"superres/internal/safefile"
)

// decodeGIF decodes the first image in a GIF. An image that does not fill the screen is returned at its position on a
// transparent picture of the size screen, and cut off at the edges of the screen. Pixels without an entry in the
// palette are black. Data after the last pixel are not read.
//
// Note: image/gif refuses such files, and reads a whole animation to return its first image. (GIF89a Specification,
// CompuServe 1990. compress/lzw reads the code in its appendix F.)
func decodeGIF(src *source, screen Size, _ Limits) (image.Image, error) {
	in := bufio.NewReader(src)
	var head [13]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return nil, safefile.CutShort(err)
	}
	palette, err := readGIFPalette(in, head[10])
	if err != nil {
		return nil, err
	}
	transparent := -1
	for {
		kind, err := in.ReadByte()
		if err != nil {
			return nil, safefile.CutShort(err)
		}
		switch kind {
		case metadata.GIFImage:
			return decodeGIFImage(in, screen, palette, transparent)
		case metadata.GIFExtension:
			label, err := in.ReadByte()
			if err != nil {
				return nil, safefile.CutShort(err)
			}
			const control, isTransparent = 0xf9, 1
			blocks := &gifBlocks{in: in}
			body, err := io.ReadAll(io.LimitReader(blocks, 4)) // the rest is not needed
			if err == nil {
				_, err = io.Copy(io.Discard, blocks)
			}
			if err != nil {
				return nil, err
			}
			if label == control && len(body) == 4 && body[0]&isTransparent != 0 {
				transparent = int(body[3])
			}
		default:
			return nil, errors.New("gif: it has no image")
		}
	}
}

// readGIFPalette reads a colour table if flags says that one follows; else it returns nil.
func readGIFPalette(in io.Reader, flags byte) (color.Palette, error) {
	if flags&0x80 == 0 {
		return nil, nil
	}
	list := make([]byte, 3<<(1+flags&7))
	if _, err := io.ReadFull(in, list); err != nil {
		return nil, safefile.CutShort(err)
	}
	var palette color.Palette
	for c := range slices.Chunk(list, 3) {
		palette = append(palette, color.RGBA{R: c[0], G: c[1], B: c[2], A: 0xff})
	}
	return palette, nil
}

// decodeGIFImage decodes an image from r, which is positioned after the first byte of the image descriptor. palette is
// the palette of the file, or nil, and transparent the index of the transparent colour, or negative if there is none.
func decodeGIFImage(r *bufio.Reader, screen Size, palette color.Palette, transparent int) (image.Image, error) {
	var head [9]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, safefile.CutShort(err)
	}
	side := func(at int) int { return int(binary.LittleEndian.Uint16(head[at:])) }
	left, top, width, height := side(0), side(2), side(4), side(6)
	own, err := readGIFPalette(r, head[8])
	if err != nil {
		return nil, err
	}
	if own != nil {
		palette = own
	}
	if palette == nil {
		return nil, refuse(safefile.ErrInput, "is a GIF without a palette; save it as PNG first")
	}
	bits, err := r.ReadByte()
	if err != nil {
		return nil, safefile.CutShort(err)
	}
	if bits < 2 || bits > 8 {
		return nil, errors.New("gif: its codes begin with a wrong number of bits")
	}
	for len(palette) < 1<<bits || len(palette) <= transparent {
		palette = append(palette, color.RGBA{A: 0xff})
	}
	if transparent >= 0 {
		palette[transparent] = color.RGBA{}
	}
	sw, sh := screen.Sides()
	part, ok := screen.Part(int64(left), int64(top), int64(min(width, sw-left)), int64(min(height, sh-top)))
	if !ok {
		return nil, refuse(safefile.ErrInput, "has no pixels inside of its canvas; copy or export it again")
	}
	img := image.NewPaletted(part.Bounds(), palette)
	codes := lzw.NewReader(&gifBlocks{in: r}, lzw.LSB, int(bits))
	defer codes.Close()
	const interlaced = 0x40
	line := make([]byte, width)
	for y := range gifRows(height, head[8]&interlaced != 0) {
		if _, err := io.ReadFull(codes, line); err != nil {
			return nil, safefile.CutShort(err)
		}
		if y < img.Rect.Dy() {
			copy(img.Pix[y*img.Stride:][:img.Stride], line)
		}
	}
	if part == screen {
		return img, nil
	}
	canvas := image.NewNRGBA(screen.Bounds())
	draw.Draw(canvas, img.Rect.Add(image.Pt(left, top)), img, image.Point{}, draw.Src)
	return canvas, nil
}

// gifRows yields the numbers of the rows of an image in the order of the file: interlaced rows come in four passes.
func gifRows(height int, interlaced bool) func(yield func(int) bool) {
	passes := [][2]int{{0, 1}} // the first row, and the step to the next
	if interlaced {
		passes = [][2]int{{0, 8}, {4, 8}, {2, 4}, {1, 2}}
	}
	return func(yield func(int) bool) {
		for _, pass := range passes {
			for y := pass[0]; y < height; y += pass[1] {
				if !yield(y) {
					return
				}
			}
		}
	}
}

// gifBlocks reads the data in a sequence of blocks, each after a byte with its length; a block of 0 bytes ends it.
type gifBlocks struct {
	in   *bufio.Reader
	left int // bytes left in the current block
	done bool
}

// Read implements io.Reader over the data of all blocks.
func (b *gifBlocks) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	c, err := b.ReadByte()
	if err != nil {
		return 0, err
	}
	p[0] = c
	n, err := b.in.Read(p[1:min(len(p), 1+b.left)])
	b.left -= n
	return 1 + n, safefile.CutShort(err)
}

// ReadByte returns the next byte of the data; after the last byte of a block, it goes on with the next block.
func (b *gifBlocks) ReadByte() (byte, error) {
	if b.left == 0 && !b.done {
		n, err := b.in.ReadByte()
		if err != nil {
			return 0, safefile.CutShort(err)
		}
		b.left, b.done = int(n), n == 0
	}
	if b.done {
		return 0, io.EOF
	}
	b.left--
	c, err := b.in.ReadByte()
	return c, safefile.CutShort(err)
}

// describeGIF adds a warning if the trailer of the GIF in src is missing.
func describeGIF(src *source, pic *Picture) {
	if _, _, err := gifImages(src, 2); err != nil {
		pic.Warnings = append(pic.Warnings, "has no end marker; all of its pixels are there")
	}
}
