package decoders

import (
	"encoding/binary"
	"image"
	"io"

	"superres/internal/enlarging"
	"superres/internal/imagefile"
	"superres/internal/metadata"
	"superres/internal/picture"
)

// Way is how a program has made a picture of a file. It is sent to workers.
type Way struct {
	Kind    string // as in --decoder; empty: no program has
	Upright bool   // the pixels lie upright; false: as the metadata of the result say
}

// Of returns the way for a file whose bytes are in original.
func (w Way) Of(original io.ReaderAt, size int64) enlarging.Made {
	if w.Kind == "" {
		return enlarging.Made{}
	}
	return enlarging.Made{Upright: w.Upright, Amend: func(pic *imagefile.Picture) {
		amend(pic, w.Kind, io.NewSectionReader(original, 0, size))
	}}
}

// amend gives pic what belongs to the picture in original, and corrects the pixels where programs are known to be
// wrong: libheif's shift samples of 10 and 12 bits up, so that white is 65472 and 65520, leave colours multiplied by
// alpha where the file has them so, and grey from 16 to 235 where the file says so.
func amend(pic *imagefile.Picture, name string, original metadata.Source) {
	format := map[string]string{"heic": "avif", "jxl": "jxl"}[name]
	if format == "" {
		return
	}
	own, warnings := metadata.Read(format, original)
	pic.Warnings = append(pic.Warnings, warnings...)
	if own.ICC == nil {
		own.ICC = pic.Metadata.ICC
	}
	own.Format, own.Orientation, pic.Metadata = pic.Metadata.Format, 1, own
	if still, err := metadata.ReadStill(original); name == "heic" && err == nil {
		correct(pic.Image, still)
	}
}

// correct corrects the samples that a program has made of the picture in still.
func correct(img image.Image, still *metadata.Still) {
	pix, _, pixel := picture.Samples(img)
	alpha := 0 // the sample of a pixel that is alpha; 0: none
	sample, channels := 1, pixel
	switch img.(type) {
	case *image.Gray16, *image.RGBA64, *image.NRGBA64:
		sample, channels = 2, pixel/2
	case *image.Gray, *image.RGBA, *image.NRGBA:
	default:
		return
	}
	if channels == 4 {
		alpha = 3
	}
	depth := min(max(still.Depth, 8), 16)
	if sample == 1 {
		depth = 8
	}
	black, white := uint32(16)<<(depth-8), uint32(235)<<(depth-8) // of limited range
	stretches := still.Grey && still.Limited
	divides := still.Premultiplied && still.HasAlpha
	if !stretches && !divides && depth == 8 {
		return
	}
	get := func(at int) uint32 {
		if sample == 1 {
			return uint32(pix[at]) * 257
		}
		v := uint32(binary.BigEndian.Uint16(pix[at:]))
		if depth > 8 {
			v &^= 1<<(16-depth) - 1
			v |= v >> depth
		}
		return v
	}
	put := func(at int, v uint32) {
		if sample == 1 {
			pix[at] = byte((v + 128) / 257)
			return
		}
		binary.BigEndian.PutUint16(pix[at:], uint16(v))
	}
	for at := 0; at+pixel <= len(pix); at += pixel {
		a := uint32(0xffff)
		if alpha > 0 {
			a = get(at + alpha*sample)
			put(at+alpha*sample, a)
		}
		for c := range channels - min(alpha, 1) {
			v := get(at + c*sample)
			if stretches {
				v = (min(max(v>>(16-depth), black), white) - black) * 0xffff / (white - black)
			}
			if divides {
				v = imagefile.DivideByAlpha(v, a)
			}
			put(at+c*sample, v)
		}
	}
}
