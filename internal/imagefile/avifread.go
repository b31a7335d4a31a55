package imagefile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"io"

	"superres/internal/avif"
	"superres/internal/imagefile/foreign"
	"superres/internal/metadata"
	"superres/internal/picture"
	"superres/internal/safefile"
)

// isOtherHEIF reports whether a file that begins like AVIF is of another kind, such as HEIC, and returns its kind.
func isOtherHEIF(r io.ReaderAt, _ string) (foreign.Kind, bool) {
	head, _ := headOf(r, "")
	kind, _ := foreign.Of(head)
	return kind, kind.Title != "AVIF"
}

// configOfAVIF returns the size and the colour model of the AVIF in r, which must be a *source.
func configOfAVIF(r io.Reader) (image.Config, error) {
	s, err := r.(*source).still()
	if err != nil {
		return image.Config{}, err
	}
	width, height := s.Crop[2], s.Crop[3]
	return image.Config{ColorModel: modelOfAVIF(s), Width: int(width), Height: int(height)}, nil
}

// modelOfAVIF returns the colour model for the picture that s describes.
func modelOfAVIF(s *metadata.Still) color.Model {
	switch deep := s.Depth > 8; {
	case s.HasAlpha && deep:
		return color.NRGBA64Model
	case s.HasAlpha:
		return color.NRGBAModel
	case s.Grey && deep:
		return color.Gray16Model
	case s.Grey:
		return color.GrayModel
	case deep:
		return color.RGBA64Model
	}
	return color.RGBAModel
}

// avifBytes returns the bytes of memory, besides file and picture, to decode the AVIF in src, or 0 if that will fail.
func avifBytes(src metadata.Source) int64 {
	s, err := src.(*source).still()
	if err != nil {
		return 0
	}
	return avif.Memory(s.Width*s.Height, src.Size())
}

// decodeAVIF decodes the primary picture of an AVIF, without turning it upright, and, unless lim.Strip is set, stores
// the gain map in src.gains: nil if there is none, if it cannot be decoded, or if it is larger than the picture. It
// decodes transparency and colours separately, because the decoder would multiply colours by alpha if it had both.
func decodeAVIF(src *source, size Size, lim Limits) (image.Image, error) {
	s, err := src.still()
	if err != nil {
		return nil, err
	}
	stored, err := lim.CheckSize(s.Width, s.Height)
	if err != nil {
		return nil, err
	}
	shown, ok := stored.Part(s.Crop[0], s.Crop[1], s.Crop[2], s.Crop[3])
	if !ok || shown != size {
		return nil, refuse(safefile.ErrInput, "has changed while it was read; try again")
	}
	pictures := [][]metadata.Edit{s.Colour}
	if s.HasAlpha {
		pictures = [][]metadata.Edit{s.Alpha, s.Colour}
	}
	memory := make([]byte, avif.Memory(stored.Pixels(), src.size))
	img, err := decodeFrames(src, memory, s, stored, pictures)
	if errors.Is(err, avif.ErrMemory) {
		return nil, refuse(safefile.ErrInput, "takes more memory than its size tells; save it as PNG first")
	}
	if m := s.Map; err == nil && m != nil && !lim.Strip {
		if stored, err := lim.CheckSize(m.Width, m.Height); err == nil && stored.Pixels() <= s.Width*s.Height {
			clear(memory) // as package avif demands
			as := &metadata.Still{Depth: 8, Grey: m.Grey, Crop: [4]int64{0, 0, m.Width, m.Height}}
			src.gains, _ = decodeFrames(src, memory, as, stored, [][]metadata.Edit{m.Edits})
		}
	}
	return img, err
}

// decodeFrames decodes the AVIF in src once for each element of pictures. An element is a list of edits to the file,
// which make the decoder return the colours (the last element) or the transparency (an element before it). memory is
// for the decoder. Each picture must have the size in stored. The result is the part s.Crop of the picture.
func decodeFrames(src *source, memory []byte, s *metadata.Still, stored Size, pictures [][]metadata.Edit) (image.Image,
	error) {
	shown, ok := stored.Part(s.Crop[0], s.Crop[1], s.Crop[2], s.Crop[3])
	if !ok {
		return nil, avif.FormatError("the part that is shown is not in it")
	}
	p := &avifPicture{Still: s, image: picture.New(modelOfAVIF(s), shown.Bounds())}
	err := avif.Decode(src.ctx, src.data, memory, pictures, func(i int, f avif.Frame) error {
		if w, h := stored.Sides(); f.Width != w || f.Height != h {
			return avif.FormatError("its pictures have other sizes than it says")
		}
		p.take(f, i < len(pictures)-1)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return p.image, nil
}

// avifPicture is a picture that is assembled from the results of the decoder.
type avifPicture struct {
	*metadata.Still
	image image.Image
}

// take sets the transparency of the picture to the brightness of f if asAlpha is true, else its colours to the
// colours in f. It divides colours that the file stores multiplied by alpha, so transparency must come first. 16-bit
// samples are rounded for a picture of 8 bits.
func (p *avifPicture) take(f avif.Frame, asAlpha bool) {
	pix, stride, pixel := picture.Samples(p.image)
	sample := 1 // bytes per sample of the picture
	if p.Depth > 8 {
		sample = 2
	}
	put := func(at int, v uint32) {
		if sample == 2 {
			binary.BigEndian.PutUint16(pix[at:], uint16(v))
			return
		}
		pix[at] = byte((v + 128) / 257)
	}
	colours := min(pixel/sample, 3) // 1 for grey
	const stored = 8                // bytes per pixel of f: four samples of 16 bits, the low byte first
	left, top, width, height := int(p.Crop[0]), int(p.Crop[1]), int(p.Crop[2]), int(p.Crop[3])
	for y := range height {
		row := f.Pix[stored*((top+y)*f.Width+left):]
		for x := range width {
			from, to := row[stored*x:], y*stride+x*pixel
			if asAlpha {
				put(to+3*sample, uint32(binary.LittleEndian.Uint16(from)))
				continue
			}
			alpha := uint32(0xffff)
			switch {
			case p.HasAlpha && p.Premultiplied && sample == 2:
				alpha = uint32(binary.BigEndian.Uint16(pix[to+3*sample:]))
			case p.HasAlpha && p.Premultiplied:
				alpha = 257 * uint32(pix[to+3]) // scaled to 16 bits
			case !p.HasAlpha && pixel/sample > 3:
				put(to+3*sample, alpha)
			}
			for c := range colours {
				v := uint32(binary.LittleEndian.Uint16(from[2*c:]))
				put(to+c*sample, DivideByAlpha(v, alpha))
			}
		}
	}
}

// DivideByAlpha returns the colour sample that gives v when multiplied by alpha, or v if alpha is 0, all of 16 bits.
func DivideByAlpha(v, alpha uint32) uint32 {
	if alpha == 0 {
		return v
	}
	return min((v*0xffff+alpha/2)/alpha, 0xffff)
}

// endOfAVIF returns the offset in data where a second file of boxes begins, with a box ftyp, or 0 if there is none.
func endOfAVIF(data []byte) (end uint64) {
	metadata.Piece(bytes.NewReader(data), 0, int64(len(data))).Boxes(func(kind string, body metadata.Body) bool {
		const head = 8
		if kind == "ftyp" && body.At() > head {
			end = uint64(body.At() - head)
		}
		return end == 0
	})
	return end
}

// describeAVIF sets pic.GreyAlpha and pic.gains for an AVIF.
func describeAVIF(src *source, pic *Picture) {
	s, err := src.still()
	pic.GreyAlpha = err == nil && s.Grey && s.HasAlpha
	pic.gains = src.gains
}
