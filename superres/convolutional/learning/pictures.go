package learning

import (
	"context"
	"fmt"
	"image"
	"math"

	"superres/internal/picture"
	"superres/patches/plane"
	"superres/superres/resample"
	"superres/superres/training"
)

// pictures is the dataset for brightness. It holds all pictures and their reductions in memory.
type pictures struct {
	*session
	list      []pair
	positions positions
	pixels    int64
	fixed     int64 // bytes that training takes besides the pictures
	hash      training.Digest
}

// pair is a picture, or a reduction of one, as low-resolution samples and the residual of their bicubic enlargement.
type pair struct {
	w, h     int      // size of low
	low      []uint16 // lumaSteps from black to white
	residual []int16  // in steps of 1/residualSteps

	// For a picture in colour and a network that sees colour; else nil.
	colour  [colours][]int16 // red and blue minus brightness, in steps of 1/lowSteps, of each sample of low
	redBlue [colours][]int16 // the residuals of red and blue; nil for a robust model

	// For a robust model, with patches that are degraded during training: the full-resolution samples of brightness or,
	// if the model sees colour, of red, green and blue; else nil.
	truth [][]uint8
}

const (
	lumaSteps     = 255 * sampleSteps
	sampleSteps   = 256 // steps per level (0 to 255)
	residualSteps = 16384
)

// quantise returns the samples of a plane in units of 1/steps, clamped to ±1.99, which fits int16 with 16,384 steps.
func quantise(p *plane.Plane, steps float64) []int16 {
	list := make([]int16, len(p.Pix))
	for i, v := range p.Pix {
		list[i] = int16(math.Round(steps * float64(min(max(v, -1.99), 1.99))))
	}
	return list
}

// subtract returns a − b in new memory.
func subtract(a, b *plane.Plane) *plane.Plane {
	out := plane.New(a.W, a.H)
	for i, v := range a.Pix {
		out.Pix[i] = v - b.Pix[i]
	}
	return out
}

// convert calls do for each channel, and returns the results in the order of the channels.
func convert(channels []*plane.Plane, do func(*plane.Plane) *plane.Plane) (done []*plane.Plane) {
	for _, p := range channels {
		done = append(done, do(p))
	}
	return done
}

// differences returns red minus luma and blue minus luma, from the channels of a picture in colour.
func differences(channels []*plane.Plane, luma *plane.Plane) [colours]*plane.Plane {
	return [colours]*plane.Plane{subtract(channels[0], luma), subtract(channels[2], luma)}
}

// luma returns the brightness of the picture with the given channels.
func luma(channels []*plane.Plane) *plane.Plane { return picture.Picture{Channels: channels}.Luma() }

// reduce returns the channels reduced by s.Scale with the given degradation, and rounded to 8 bits, as in a file.
func (s *session) reduce(channels []*plane.Plane, by resample.Degradation) []*plane.Plane {
	return convert(channels, func(p *plane.Plane) *plane.Plane { return picture.Round8(by.Reduce(p, s.Scale)) })
}

// read reads all pictures into d. It fails if no picture is large enough, or if they need too much memory.
func (d *pictures) read(ctx context.Context) error {
	d.fixed = d.Memory() // add compares this plus the pictures with MaxMemory
	add := func(_ int, img image.Image) error { return d.add(ctx, img) }
	if err := training.Read(ctx, d.sources, "reading pictures", d.progress, add); err != nil {
		return err
	}
	if len(d.list) == 0 {
		return fmt.Errorf("convolutional: %w: none of %d pictures has %d×%d pixels", training.ErrPictures,
			len(d.sources), d.Patch*d.Scale, d.Patch*d.Scale)
	}
	return nil
}

// add adds img and its reductions to d, unless they are too small for a patch.
func (d *pictures) add(ctx context.Context, img image.Image) error {
	channels := picture.Split(img).Channels
	d.hash.Add(luma(channels))
	for _, r := range append([]float64{1}, d.Reductions...) {
		w, h := int(math.Round(float64(channels[0].W)*r)), int(math.Round(float64(channels[0].H)*r))
		if min(w, h)/d.Scale < d.Patch {
			continue
		}
		truth := convert(channels, func(p *plane.Plane) *plane.Plane {
			if r != 1 {
				p = picture.Round8(resample.Resize(p, w, h, resample.Bicubic))
			}
			return p.Crop(0, 0, w-w%d.Scale, h-h%d.Scale)
		})
		d.pixels += int64(len(truth[0].Pix))
		if d.MaxMemory > 0 && d.fixed+d.bytes() > d.MaxMemory {
			return fmt.Errorf("%w: more than %d MiB; use fewer pictures or reductions, or allow more memory",
				training.ErrMemory, d.MaxMemory>>20)
		}
		p, err := d.makePair(ctx, truth, d.Degradation, d.Teachers)
		if err != nil {
			return err
		}
		d.list = append(d.list, p)
		d.positions.add(p.w, p.h, d.Patch)
	}
	return nil
}

// makePair returns the pair of a picture with the given channels and degradation, with the target from distil: the true
// picture, mixed with the teachers' results. A robust model gets the true channels as well, to degrade its patches.
func (s *session) makePair(
	ctx context.Context, channels []*plane.Plane, by resample.Degradation, teachers []Teacher,
) (pair, error) {
	truth := luma(channels)
	small := s.reduce(channels, by)
	low := luma(small)
	base := resample.Resize(low, truth.W, truth.H, resample.Bicubic)
	target, err := distil(ctx, teachers, small, low, base, truth)
	if err != nil {
		return pair{}, err
	}
	p := pair{w: low.W, h: low.H, low: make([]uint16, len(low.Pix))}
	p.residual = quantise(subtract(target, base), residualSteps)
	for i, v := range low.Pix {
		p.low[i] = uint16(math.Round(lumaSteps * float64(v)))
	}
	if s.SeesColour && len(small) == 3 {
		for i, difference := range differences(small, low) {
			if p.colour[i] = quantise(difference, lowSteps); s.Robust {
				continue
			}
			k := 2 * i // red or blue
			base := resample.Resize(small[k], truth.W, truth.H, resample.Bicubic)
			p.redBlue[i] = quantise(subtract(channels[k], base), residualSteps)
		}
	}
	if s.Robust {
		if !s.SeesColour {
			channels = []*plane.Plane{truth}
		}
		for _, c := range channels {
			levels := make([]uint8, len(c.Pix))
			for i, v := range c.Pix {
				levels[i] = uint8(math.Round(255 * float64(v)))
			}
			p.truth = append(p.truth, levels)
		}
	}
	return p, nil
}

// Much of the detail that a picture has lost cannot be predicted; it makes gradients noisy and learning slow. The
// result of a trained network has only predictable detail. So with teachers the target is a mixture: the mean of the
// teachers' results over all orientations of the picture, which is better than a single result, with the share
// taughtShare, and the true picture with the rest (G. Hinton, O. Vinyals, J. Dean: Distilling the knowledge in a neural
// network, 2015, arXiv:1503.02531). A small network gains 0.02 to 0.08 dB.
const taughtShare = 0.6

// distil returns the target for a low-resolution picture with the given channels, the brightness low and the bicubic
// enlargement base of low: a mixture of truth and the results of the teachers, or truth itself without teachers.
func distil(ctx context.Context, teachers []Teacher, channels []*plane.Plane, low, base,
	truth *plane.Plane) (*plane.Plane, error) {
	if len(teachers) == 0 {
		return truth, nil
	}
	out := plane.New(truth.W, truth.H)
	for i, v := range truth.Pix {
		out.Pix[i] = (1 - taughtShare) * v
	}
	weight := float32(taughtShare) / float32(len(teachers)*picture.Orientations)
	for _, t := range teachers {
		for way := range int32(picture.Orientations) {
			turned := make([]*plane.Plane, len(channels))
			for i, p := range channels {
				turned[i] = picture.Orient(p, way)
			}
			made, err := t.Enlarge(ctx, turned, picture.Orient(low, way), picture.Orient(base, way))
			if err != nil {
				return nil, err
			}
			picture.AddOriented(out, made, way, weight)
		}
	}
	return out, nil
}

// bytes returns the memory of the pictures in bytes: each for a full-resolution pixel, its residuals and true channels,
// and sample for a low-resolution sample, its brightness and colour.
func (d *pictures) bytes() int64 {
	each, sample := int64(2), int64(2)
	if d.SeesColour {
		sample += 2 * colours
	}
	switch {
	case d.Robust && d.SeesColour:
		each += 3
	case d.Robust:
		each++
	case d.SeesColour:
		each += 2 * colours
	}
	return d.pixels*each + sample*d.pixels/int64(d.Scale*d.Scale)
}

// digest implements dataset.
func (d *pictures) digest() string { return d.hash.String() }
