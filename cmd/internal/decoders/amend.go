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

// Way says how another program made a picture from a file. The server sends it to workers.
type Way struct {
	Kind    string // the kind of the file, as in --decoder; empty: no program made the picture
	Upright bool   // the pixels are upright; false: the picture's metadata says how to turn them
}

// Of returns the enlarging.Made for a picture that was made in way w from the first size bytes of original.
func (w Way) Of(original io.ReaderAt, size int64) enlarging.Made {
	if w.Kind == "" {
		return enlarging.Made{}
	}
	return enlarging.Made{Upright: w.Upright, Amend: func(pic *imagefile.Picture) {
		amend(pic, w.Kind, io.NewSectionReader(original, 0, size))
	}}
}

// amend gives pic, which another program has made from original and which is upright by now, the metadata of
// original, a file of the kind called name. pic keeps its own format, and its profile if original has none. Only
// pictures from heic, which has the same boxes as AVIF, and jxl are amended. For heic, amend also corrects pixels:
// programs of libheif widen 10 and 12 bits to 16 by a shift, so that white is 65472 or 65520; they leave colours
// multiplied by alpha if the file stores them so, and grey in 16 to 235 if the file stores it so.
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

// correct changes the samples of img as amend says; still describes the picture from which a program made img. Images
// of other types than the six below stay as they are.
func correct(img image.Image, still *metadata.Still) {
	pix, _, pixel := picture.Samples(img)
	alpha := 0                   // index of alpha among the samples of a pixel; 0: no alpha
	sample, channels := 1, pixel // bytes of a sample, and samples of a pixel
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
	depth := min(max(still.Depth, 8), 16) // bits of a sample in the file, of which pix has the values
	if sample == 1 {
		depth = 8
	}
	black, white := uint32(16)<<(depth-8), uint32(235)<<(depth-8) // of limited range, in depth bits
	stretches := still.Grey && still.Limited
	divides := still.Premultiplied && still.HasAlpha
	if !stretches && !divides && depth == 8 {
		return
	}
	get := func(at int) uint32 { // the sample at byte at, as 0..65535
		if sample == 1 {
			return uint32(pix[at]) * 257
		}
		v := uint32(binary.BigEndian.Uint16(pix[at:]))
		if depth > 8 { // repeat the depth bits in the low bits, so that white is 65535
			v &^= 1<<(16-depth) - 1
			v |= v >> depth
		}
		return v
	}
	put := func(at int, v uint32) { // stores v, 0..65535, as the sample at byte at
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
