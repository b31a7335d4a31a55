package enlarging

import (
	"cmp"
	"image"
	"runtime"

	"superres/internal/imagefile"
	"superres/internal/safefile"
	"superres/internal/usage"
	"superres/superres"
)

// limits returns the limits for reading a picture.
func (s Settings) limits() imagefile.Limits {
	return imagefile.Limits{Pixels: s.Limits.Pixels, Time: s.DecodeTime, FirstFrame: s.Keep.FirstFrame,
		Strip: s.Keep.Strip}
}

// demand is the memory in bytes that enlarging several pictures of one kind takes: shared, however many are in work at
// a time, and each for every one of them.
type demand struct{ shared, each int64 }

// of returns the bytes for together pictures in work at a time.
func (d demand) of(together int) int64 { return d.shared + int64(together)*d.each }

// most returns how many pictures can be in work at a time within memory bytes: at least 1, at most one per processor.
func (d demand) most(memory int64) int {
	return max(1, min(runtime.GOMAXPROCS(0), int((memory-d.shared)/max(d.each, 1))))
}

// robustBytes is the memory of the robust model, which may be mixed with the one for clean pictures.
const robustBytes = 9 << 20

// mixtureBytes is what a mixture takes more for each pixel of a result, of up to ten megapixels, than one model.
const mixtureBytes = 3

// regionPixelBytes is the most bytes that a pixel takes of the whole picture of which a region, or a copy with a
// margin, is enlarged.
const regionPixelBytes = 8

// measure returns the size of the enlargement of a picture with header cfg, or, for a region, of the part that the
// region is cut from, and the memory d for it. shared and each are the bytes of its reader and writer, in all and for
// every picture in work. strips says that the result may be written while it is made. It refuses sizes and memory
// beyond the limits; p.Memory then holds the memory that would be needed.
func (r *run) measure(cfg image.Config, strips bool, shared, each int64) (size image.Point, d demand, err error) {
	model := r.clean.model
	w, h, err := model.ResultSize(cfg.Width, cfg.Height, r.Size)
	if err != nil {
		return size, d, err
	}
	if w == cfg.Width && h == cfg.Height && r.choosing != nil { // the model for clean pictures does nothing
		restoring, err := r.robust()
		if err != nil {
			return size, d, err
		}
		model = restoring.model
	}
	worked, of := cfg, image.Pt(w, h) // what is worked on, and its enlargement
	in := image.Pt(cfg.Width, cfg.Height)
	if margin := model.Margin(in, of, r.size()); r.Region.Empty() && margin != (image.Point{}) {
		shared += int64(cfg.Width) * int64(cfg.Height) * regionPixelBytes
		worked.Width, worked.Height = worked.Width+2*margin.X, worked.Height+2*margin.Y
		of = image.Pt(worked.Width*w/cfg.Width, worked.Height*h/cfg.Height)
	}
	if !r.Region.Empty() {
		part, err := r.partOf(model.Reach, in, !mayHide(cfg.ColorModel))
		if err != nil {
			return size, d, err
		}
		shared += int64(cfg.Width) * int64(cfg.Height) * regionPixelBytes
		w, h, worked.Width, worked.Height = part.size.X, part.size.Y, part.from.Dx(), part.from.Dy()
		of = image.Pt(w, h)
	}
	const mostResult = 4000e6 // pixels: what is meant to be so large is rarer than a scale that is mistyped
	if most := cmp.Or(r.Limits.Result, mostResult); int64(w)*int64(h) > most {
		return size, d, r.tooLarge(safefile.ErrLimit, SmallerScale, SmallerSize,
			"output %d×%d is more than %d megapixels", w, h, most/1e6)
	}
	d.shared, d.each = model.MemoryEach(r.Keep.deepened(worked), of.X, of.Y, r.Size, strips && r.inStrips(w, h))
	d.shared += superres.WithGarbage(shared + r.Format.EncoderBytes(w, h))
	if r.choosing != nil {
		d.shared += robustBytes
		d.each += superres.WithGarbage(mixtureBytes * min(int64(w)*int64(h), 10e6))
	}
	d.each += superres.WithGarbage(each)
	if r.Map != nil {
		d.each += superres.WithGarbage(superres.BoundsBytes * int64(w) * int64(h))
	}
	if need := d.of(1); need > r.Limits.Memory {
		r.Memory = need
		return size, d, r.tooLarge(safefile.ErrLimit, MoreMemoryOrSmallerScale, MoreMemoryOrSmallerSize,
			"output %d×%d needs %s, the limit is %s", w, h, usage.Bytes(need), usage.Bytes(r.Limits.Memory))
	}
	return image.Pt(w, h), d, nil
}

// tooLarge returns a fault about a result that is too large, with the remedy scale or, if the size of the result was
// given, size.
func (r *run) tooLarge(class error, scale, size safefile.Remedy, format string, args ...any) error {
	if r.Size.Scale == 0 {
		scale = size
	}
	return safefile.Refuse(class, "", format, args...).With(scale)
}

// resultSize returns the size in pixels of the enlargement of a whole picture of size in. It fails with a usage error.
func (r *run) resultSize(in image.Point) (out image.Point, err error) {
	out.X, out.Y, err = r.clean.model.ResultSize(in.X, in.Y, r.Size)
	return out, err
}

// inStrips reports whether a result of w×h is made and written in strips; false means that it is whole in memory.
func (r *run) inStrips(w, h int) bool {
	const mostWhole = 64e6 // pixels of the largest result that is made whole
	return r.Region.Empty() && r.Map == nil && r.Format.CanStream() &&
		(float64(w)*float64(h) > mostWhole || r.Size.BandRows > 0)
}

// takeSize sets the size of the result, all of which is computed.
func (r *run) takeSize(size image.Point) {
	r.Output = size
	r.Pixels = int64(r.clean.model.Orientations()) * int64(size.X) * int64(size.Y)
}
