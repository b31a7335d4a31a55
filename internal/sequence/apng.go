package sequence

import (
	"bytes"
	"encoding/binary"
	"image"
	"io"

	"superres/internal/imagefile"
	"superres/internal/metadata"
)

// An animated PNG (APNG) has three more kinds of chunks: acTL says how many frames there are and how often they are
// played; fcTL precedes the pixels of each frame and says where and how long the frame is shown; fdAT holds the
// pixels of a frame. The first frame may have its pixels in the chunks IDAT, the still picture, instead. (Portable
// Network Graphics, third edition, W3C 2025, sections 11.3.6 and 13.)

// PNGWriter writes an animation as an animated PNG.
type PNGWriter struct {
	w        io.Writer
	opt      imagefile.EncodeOptions
	frames   int
	plays    int
	before   image.Image // the previous frame; nil before the first
	sequence uint32      // the number of the next chunk fcTL or fdAT
}

// NewPNGWriter returns a writer for an animation. frames is the number of frames, and plays how often they are played,
// 0 for endlessly. opt is used as in imagefile.Encode; colour frames may have transparency only with opt.Alpha.
func NewPNGWriter(w io.Writer, frames, plays int, opt imagefile.EncodeOptions) *PNGWriter {
	return &PNGWriter{w: w, opt: opt, frames: frames, plays: plays}
}

// Put writes the rectangle of img, the next frame, that differs from the frame before. All frames must have the same
// size and type. The caller must not change img before the next call returns. Put fails as imagefile.Encode does.
func (p *PNGWriter) Put(img image.Image, delay Delay) error {
	r := findChange(p.before, img)
	var still bytes.Buffer
	if err := imagefile.Encode(&still, crop(img, r), imagefile.PNG, p.opt); err != nil {
		return err
	}
	p.opt.Metadata, p.opt.Software = metadata.Metadata{}, "" // only the first frame carries metadata
	first := p.before == nil
	p.before = img
	var out []byte
	pixels := false
	data := still.Bytes()
	if first {
		out = append(out, pngSignature...)
	}
	// The chunks of the encoded rectangle become chunks of the animation. Only the first frame keeps all of them.
	_ = metadata.Chunks(bytes.NewReader(data), func(c metadata.Chunk) bool {
		whole := data[c.At()-8 : c.At()+c.Len+4] // with length and kind before the body, and the checksum after it
		switch kind := string(c.Kind); {
		case kind == "IEND":
		case kind == "IDAT":
			if !pixels {
				pixels = true
				if first {
					out = metadata.AppendChunk(out, "acTL",
						binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(p.frames)),
							uint32(p.plays)))
				}
				out = metadata.AppendChunk(out, "fcTL", p.control(r, delay))
			}
			if first {
				out = append(out, whole...)
			} else {
				out = metadata.AppendChunk(out, "fdAT", append(p.appendNumber(nil), whole[8:8+c.Len]...))
			}
		case first:
			out = append(out, whole...)
		}
		return true
	})
	_, err := p.w.Write(out)
	return err
}

// appendNumber appends the number of the next chunk fcTL or fdAT, 4 bytes, to b, and increments that number.
func (p *PNGWriter) appendNumber(b []byte) []byte {
	p.sequence++
	return binary.BigEndian.AppendUint32(b, p.sequence-1)
}

// control returns the body of a chunk fcTL for a frame that replaces the pixels in r for good and is shown for delay.
func (p *PNGWriter) control(r image.Rectangle, delay Delay) []byte {
	b := p.appendNumber(make([]byte, 0, controlLength))
	for _, v := range []int{r.Dx(), r.Dy(), r.Min.X, r.Min.Y} {
		b = binary.BigEndian.AppendUint32(b, uint32(v))
	}
	b = binary.BigEndian.AppendUint16(b, delay.Num)
	b = binary.BigEndian.AppendUint16(b, delay.Den)
	return append(b, 0, 0) // after the delay, the frame stays; its pixels replace the old ones, transparent or not
}

// Close writes the end of the file. It does not close the underlying writer.
func (p *PNGWriter) Close() error {
	_, err := p.w.Write(metadata.AppendChunk(nil, "IEND", nil))
	return err
}
