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

// limits returns the limits and options of s for reading a picture, in the form that package imagefile takes.
func (s Settings) limits() imagefile.Limits {
	return imagefile.Limits{Pixels: s.Limits.Pixels, Time: s.DecodeTime, FirstFrame: s.Keep.FirstFrame,
		Strip: s.Keep.Strip}
}

// demand is the memory in bytes for enlarging pictures of one kind at the same time: shared once, each for every one.
type demand struct{ shared, each int64 }

// total returns the bytes needed to enlarge a number of pictures at the same time.
func (d demand) total(pictures int) int64 { return d.shared + int64(pictures)*d.each }

// mostPictures returns how many pictures can be enlarged at once within memory bytes: 1 to the number of processors.
func (d demand) mostPictures(memory int64) int {
	return max(1, min(runtime.GOMAXPROCS(0), int((memory-d.shared)/max(d.each, 1))))
}

// robustBytes is how many bytes of memory the robust model takes if it is loaded beside the model for clean pictures.
const robustBytes = 9 << 20

// mixtureBytes is how many bytes a mixture of two models takes beyond one per pixel of the result, up to 10 million.
const mixtureBytes = 3

// regionPixelBytes is the most bytes per pixel of the whole picture while a region or a copy with a margin is enlarged.
const regionPixelBytes = 8

// measure returns d, the memory for enlarging a picture with header cfg, and the size of the enlargement or, with
// r.Region, of the enlarged part that contains the region. shared is the memory that reading and writing take once, in
// bytes, perPicture what they take for every picture being enlarged. strips says that the result may be written while
// it is computed. measure refuses sizes and memory beyond the limits; for memory, it then sets r.Memory to the need.
func (r *run) measure(cfg image.Config, strips bool, shared, perPicture int64) (size image.Point, d demand, err error) {
	model := r.clean.model
	w, h, err := model.ResultSize(cfg.Width, cfg.Height, r.Size)
	if err != nil {
		return size, d, err
	}
	if w == cfg.Width && h == cfg.Height && r.choosing != nil { // here the clean model would change nothing
		restoring, err := r.robust()
		if err != nil {
			return size, d, err
		}
		model = restoring.model
	}
	worked, of := cfg, image.Pt(w, h) // the picture, region or picture with margin to enlarge, and its enlarged size
	in := image.Pt(cfg.Width, cfg.Height)
	// Opposite edges that meet need a margin, unless only a region is enlarged.
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
	const mostResult = 4000e6 // pixels; a scale that gives more is probably mistyped
	if most := cmp.Or(r.Limits.Result, mostResult); int64(w)*int64(h) > most {
		return size, d, safefile.Refuse(safefile.ErrLimit, "", "output %d×%d is more than %d megapixels", w, h,
			most/1e6).With(Smaller)
	}
	d.shared, d.each = model.MemoryEach(r.Keep.deepened(worked), of.X, of.Y, r.Size, strips && r.inStrips(w, h))
	d.shared += superres.WithGarbage(shared + r.Format.EncoderBytes(w, h))
	if r.choosing != nil {
		d.shared += robustBytes
		d.each += superres.WithGarbage(mixtureBytes * min(int64(w)*int64(h), 10e6))
	}
	d.each += superres.WithGarbage(perPicture)
	if r.Map != nil {
		d.each += superres.WithGarbage(superres.BoundsBytes * int64(w) * int64(h))
	}
	if need := d.total(1); need > r.Limits.Memory {
		r.Memory = need
		return size, d, safefile.Refuse(safefile.ErrLimit, "", "output %d×%d needs %s, the limit is %s", w, h,
			usage.Bytes(need), usage.Bytes(r.Limits.Memory)).With(MoreMemoryOrSmaller)
	}
	return image.Pt(w, h), d, nil
}

// resultSize returns the size in pixels of the enlargement of a whole picture of size inSize, or a usage error.
func (r *run) resultSize(inSize image.Point) (out image.Point, err error) {
	out.X, out.Y, err = r.clean.model.ResultSize(inSize.X, inSize.Y, r.Size)
	return out, err
}

// inStrips reports whether a result of w×h pixels is written strip by strip, so that it is never in memory as a whole.
func (r *run) inStrips(w, h int) bool {
	const mostWhole = 64e6 // pixels of the largest result that is computed at once
	return r.Region.Empty() && r.Map == nil && r.Format.CanStream() &&
		(float64(w)*float64(h) > mostWhole || r.Size.BandRows > 0)
}

// takeSize sets r.Output, the size of the result, and r.Pixels, the number of pixels to compute for it.
func (r *run) takeSize(size image.Point) {
	r.Output = size
	r.Pixels = int64(r.clean.model.Orientations()) * int64(size.X) * int64(size.Y)
}
