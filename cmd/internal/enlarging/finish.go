package enlarging

import (
	"image"
	"image/color"
	"image/draw"

	"github.com/disintegration/imaging"

	"superres/internal/imagefile"
)

// Fidelity says what an output takes over from its input, beside the pixels.
type Fidelity struct {
	// Strip leaves out colour profile, EXIF, XMP and resolution: --metadata, keep.
	Strip bool
	// FirstFrame takes only the first picture of a file with several: --first-frame, false.
	FirstFrame bool
	// Depth is the number of bits a sample of the output has, 8 or 16: --depth. 0 is that of the input.
	Depth int
	// Record writes the provenance into the output: --provenance; by default, where nothing is stripped.
	Record bool
}

// deepened is the header of a picture as if it had the depth of its output, for estimates.
func (f Fidelity) deepened(cfg image.Config) image.Config {
	if f.Depth == 16 {
		switch cfg.ColorModel {
		case color.GrayModel, color.Gray16Model:
			cfg.ColorModel = color.Gray16Model
		default:
			cfg.ColorModel = color.NRGBA64Model
		}
	}
	return cfg
}

// finish makes of the enlargement of a picture what the format of the plan can have, and says how it is to be
// written, and what is lost.
func (p *Plan) finish(f *Frame, enlarged image.Image, by Choice) Result {
	pic, grey := f.About, f.About.GreyAlpha
	if !p.Format.CanAlpha() {
		enlarged = onWhite(enlarged)
		if grey {
			flat := image.NewGray(enlarged.Bounds())
			draw.Draw(flat, flat.Rect, enlarged, enlarged.Bounds().Min, draw.Src)
			enlarged, grey = flat, false
		}
	}
	isGrey := grey && p.Format.CanGreyAlpha()
	switch enlarged.(type) {
	case *image.Gray, *image.Gray16:
		isGrey = true
	}
	_, lost := pic.Metadata.For(string(p.Format), isGrey)
	return Result{
		Number: f.Number, Delay: f.Delay, Image: enlarged,
		How:      imagefile.EncodeOptions{Quality: p.Quality, Metadata: pic.Metadata, Software: by.provenance, GreyAlpha: grey},
		Warnings: append(pic.Warnings[:len(pic.Warnings):len(pic.Warnings)], lost...),
	}
}

// onWhite puts a picture with transparency on a white ground, for formats that have none.
func onWhite(img image.Image) image.Image {
	if o, ok := img.(interface{ Opaque() bool }); ok && o.Opaque() {
		return img
	}
	return imaging.OverlayCenter(imaging.New(img.Bounds().Dx(), img.Bounds().Dy(), color.White), img, 1)
}
