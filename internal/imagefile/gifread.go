package imagefile

import (
	"compress/lzw"
	"context"
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
// Note: image/gif refuses such files. (GIF89a Specification, CompuServe 1990; compress/lzw reads its appendix F.)
func decodeGIF(src *source, screen Size, _ Limits) (image.Image, error) {
	walk, err := metadata.WalkGIF(src)
	if err != nil {
		return nil, err
	}
	const flags, head = 10, 13
	palette, _, err := cutGIFPalette(src.data[head:], src.data[flags])
	if err != nil {
		return nil, err
	}
	transparent := -1
	for {
		kind, err := walk.Next()
		switch {
		case err == io.ErrUnexpectedEOF:
			return nil, err
		case err != nil:
			return nil, errors.New("gif: it has no image")
		}
		block := src.data[walk.At():]
		if kind == metadata.GIFImage {
			return decodeGIFImage(src.ctx, block[1:], screen, palette, transparent)
		}
		const control, isTransparent = 0xf9, 1 // a graphic control extension, before the image
		if len(block) > 6 && block[1] == control && block[2] >= 4 && block[3]&isTransparent != 0 {
			transparent = int(block[6])
		}
	}
}

// cutGIFPalette returns the colour table at the start of data, or nil if flags says that there is none, and the rest.
func cutGIFPalette(data []byte, flags byte) (palette color.Palette, rest []byte, err error) {
	if flags&0x80 == 0 {
		return nil, data, nil
	}
	n := 3 << (1 + flags&7)
	if len(data) < n {
		return nil, nil, io.ErrUnexpectedEOF
	}
	for c := range slices.Chunk(data[:n], 3) {
		palette = append(palette, color.RGBA{R: c[0], G: c[1], B: c[2], A: 0xff})
	}
	return palette, data[n:], nil
}

// decodeGIFImage decodes an image from data, which begins after the first byte of the image descriptor. palette is the
// palette of the file, or nil, and transparent the index of the transparent colour, or negative if there is none.
func decodeGIFImage(ctx context.Context, data []byte, screen Size, palette color.Palette, transparent int) (image.Image,
	error) {
	const flags, descriptor = 8, 9
	if len(data) < descriptor {
		return nil, io.ErrUnexpectedEOF
	}
	head := data[:descriptor]
	side := func(at int) int { return int(binary.LittleEndian.Uint16(head[at:])) }
	left, top, width, height := side(0), side(2), side(4), side(6)
	own, data, err := cutGIFPalette(data[descriptor:], head[flags])
	if err != nil {
		return nil, err
	}
	if own != nil {
		palette = own
	}
	if palette == nil {
		return nil, refuse(safefile.ErrInput, "is a GIF without a palette; save it as PNG first")
	}
	if len(data) == 0 {
		return nil, io.ErrUnexpectedEOF
	}
	bits := data[0]
	if bits < 2 || bits > 8 {
		return nil, errors.New("gif: its codes begin with a wrong number of bits")
	}
	for len(palette) < 1<<bits || len(palette) <= transparent { // black for entries that the file lacks
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
	codes := lzw.NewReader(&gifBlocks{ctx: ctx, rest: data[1:]}, lzw.LSB, int(bits))
	defer codes.Close()
	const interlaced = 0x40
	line := make([]byte, width)
	for y := range gifRows(height, head[flags]&interlaced != 0) {
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
	ctx         context.Context
	block, rest []byte // what is left of the current block, and the bytes after it
}

// Read implements io.Reader over the data of all blocks.
func (b *gifBlocks) Read(p []byte) (int, error) {
	if len(b.block) == 0 {
		switch {
		case len(b.rest) == 0:
			return 0, io.ErrUnexpectedEOF
		case b.rest[0] == 0:
			return 0, io.EOF
		}
		end := min(1+int(b.rest[0]), len(b.rest))
		b.block, b.rest = b.rest[1:end], b.rest[end:]
	}
	n := copy(p, b.block)
	b.block = b.block[n:]
	return n, b.ctx.Err()
}

// describeGIF adds a warning if the trailer of the GIF in src is missing.
func describeGIF(src *source, pic *Picture) {
	if _, _, err := gifImages(src, 2); err != nil {
		pic.Warnings = append(pic.Warnings, "has no end marker; all of its pixels are there")
	}
}
