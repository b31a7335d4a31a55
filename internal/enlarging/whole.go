package enlarging

import (
	"context"
	"fmt"
	"image"

	"superres/internal/metadata"
	"superres/internal/picture"
	"superres/internal/usage"
	"superres/superres"
)

// The methods below do what only a still picture allows: strips, a region, varying strength, a map of certainty.

// Describe implements Sequence: the kind of file, the size, the model and the memory.
func (s *still) Describe() string {
	return fmt.Sprintf("%s, %d×%d, %v, about %s", s.title, s.Input.X, s.Input.Y, s.Choice, usage.Bytes(s.Memory))
}

// Noun implements Sequence: the file is a single picture, so messages name only the file.
func (s *still) Noun() string { return "" }

// Choose implements Sequence. If a corrected picture comes with the choice, it replaces the picture that was read.
func (s *still) Choose(ctx context.Context) (Choice, error) {
	f, mostCopies := s.read[0].frame, 1 // repeated samples are removed only if there is no region
	if s.Region.Empty() {
		mostCopies = superres.MostCopies(s.Input, s.Output)
	}
	c, err := s.choose(ctx, f, mostCopies)
	if c.Picture != nil {
		// Free the original picture: only the corrected picture, c.Picture, is enlarged.
		f.Image, f.About.Image, c.Picture = c.Picture, nil, nil
	}
	return c, err
}

// Result implements Sequence: it enlarges f in strips, as a whole, or only the region, and passes a map to s.Map.
func (s *still) Result(ctx context.Context, f *Frame) (r Result, err error) {
	by, name, img, opt := s.Choice, s.Source.Name(), f.Image, s.options(f, s.Choice)
	opt.Progress = func(share float64) { s.watch.Progress(s.Plan, 0, share) }
	if text := by.unfit(img); text != "" {
		defer func() { r.Warnings = append(r.Warnings, text) }()
	}
	if s.panorama {
		defer func() { r.Warnings = append(r.Warnings, "is a panorama of 360°: its left and right edges meet") }()
	}
	if s.inStrips(s.Output.X, s.Output.Y) && by.Model.Streams(img) {
		r.report = opt.Report // complete when strips returns
		r.strips = func(put func(Result) error) error {
			return named(by.Model.Stream(ctx, img, opt, func(strip image.Image) error {
				r, _ := s.Finish(f, strip, by)
				r.isStrip = true
				return put(r)
			}), name)
		}
		return r, nil
	}
	crop := func(img image.Image) image.Image { return img }
	if !s.Region.Empty() {
		reach := by.Reach
		if s.Map != nil {
			reach = func(inW, inH, w, h int) int { return by.Reach(inW, inH, w, h) + superres.BoundsReach }
		}
		region, err := s.partOf(reach, s.Input, picture.IsOpaque(img))
		if err != nil {
			return r, named(err, name)
		}
		img, opt = region.cut(img, opt)
		crop = region.crop
	}
	enlarged, err := by.Model.Upscale(ctx, img, opt)
	if err != nil {
		return r, named(err, name)
	}
	if s.Map != nil {
		if err := s.Map(crop(superres.BoundsMap(by.Signs(img, enlarged).ErrorBounds()))); err != nil {
			return r, err
		}
	}
	r, err = s.Finish(f, crop(enlarged), by)
	r.report = opt.Report
	return r, err
}

// Finish implements Sequence. enlarged is the whole enlarged picture, one strip of it, or the enlarged region.
func (s *still) Finish(f *Frame, enlarged image.Image, by Choice) (Result, error) {
	z := metadata.Resizing{From: s.Input, To: s.Output}
	if whole, err := s.resultSize(s.Input); err == nil && !s.Region.Empty() {
		z.To = whole
		at := image.Pt(s.Region.Min.X*whole.X/s.Input.X, s.Region.Min.Y*whole.Y/s.Input.Y)
		z.Part = image.Rectangle{Min: at, Max: at.Add(s.Output)} // the region, in the enlargement of the whole picture
	}
	return s.finish(f, enlarged, by, z), nil
}

// named returns err with name in front, or nil if err is nil.
func named(err error, name string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", name, err)
}
