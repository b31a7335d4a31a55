// Package superres enlarges pictures with learned dictionaries.
//
// A [Model] is a chain of stages. The plain interpolation of the brightness of a
// picture goes through them one after the other; colour is enlarged by
// interpolation alone, because the eye and the scores look at brightness. What a
// dictionary is, and how it is learned, is the matter of package learners.
package superres

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"

	"superres/internal/plugin"
	"superres/learners/sparse"
	"superres/patches"
)

// Options tell Upscale what to do. The zero value enlarges by the model's own
// scale.
type Options struct {
	Scale         float64       // 1 to 16; 0: the model's own, or 2
	Width, Height int           // of the result, instead of a scale; 0: in proportion, see ResultSize
	Fit           bool          // keep the shape of the picture and stay within Width×Height
	Depth         int           // bits a sample of the result: 8 or 16; 0: as the picture
	Progress      func(float64) // called with the share done, 0..1, from one goroutine; may be nil
}

// The range of scales.
const (
	MinScale = 1
	MaxScale = 16
)

// Upscale returns img enlarged, to the size that ResultSize gives. Grey stays grey,
// 16 bits a sample stay 16, and a picture with transparency comes back with it; other
// pictures come back as *image.NRGBA or *image.NRGBA64. The result is the same
// whatever the number of workers.
//
// A scale that is not the model's is reached by running the model, and its siblings
// for other scales, as often as needed to go past it, and an exact antialiased
// reduction from there.
//
// It fails when img is empty, the scale or the size is out of range, or ctx ends.
func (m *Model) Upscale(ctx context.Context, img image.Image, opt Options) (image.Image, error) {
	if len(m.Stages) > 0 && m.Scale < 2 {
		return nil, fmt.Errorf("superres: a model with stages and scale %d", m.Scale)
	}
	b := img.Bounds()
	if b.Dx() < 1 || b.Dy() < 1 {
		return nil, errors.New("superres: the picture is empty")
	}
	w, h, err := m.ResultSize(b.Dx(), b.Dy(), opt)
	if err != nil {
		return nil, err
	}
	if opt.Progress == nil {
		opt.Progress = func(float64) {}
	}
	in := split(img)
	out := picture{deep: opt.Depth == 16 || opt.Depth != 8 && in.deep}
	report, share := opt.Progress, 1.0
	if in.alpha != nil {
		share = 0.5
	}
	out.channels, err = m.enlarge(ctx, in, w, h, func(done float64) { report(share * done) })
	if err != nil {
		return nil, err
	}
	if m.keepsAreas() {
		for c, high := range out.channels {
			keepAreas(high, 0, h, in.channels[c], 0, b.Dy())
		}
	}
	if in.alpha != nil {
		out.alpha, err = m.enlargeAlpha(ctx, in.alpha, w, h, func(done float64) { report(share + (1-share)*done) })
		if err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return out.image(), nil
}

// Size returns the size of the result for a picture of w×h and a scale (0: the
// model's own, or 2). It fails when the scale is not in MinScale..MaxScale.
func (m *Model) Size(w, h int, scale float64) (int, int, error) {
	switch {
	case scale == 0 && m.Scale > 0:
		scale = float64(m.Scale)
	case scale == 0:
		scale = 2
	case !(scale >= MinScale && scale <= MaxScale):
		return 0, 0, plugin.Errorf("superres: scale %g, expected %d to %d", scale, MinScale, MaxScale)
	}
	factor := decimal(scale)
	return times(w, factor), times(h, factor), nil
}

// enlarge returns the colour channels of p at w×h: the interpolated channels plus
// what the model adds to the interpolated brightness. With the linear colour
// transform of BT.601 that is the same as enlarging Y by the model and Cb, Cr by
// interpolation.
func (m *Model) enlarge(ctx context.Context, p picture, w, h int, report func(float64)) ([]*patches.Plane, error) {
	if len(p.channels) == 1 {
		y, err := m.plane(ctx, p.channels[0], w, h, report)
		return []*patches.Plane{y}, err
	}
	var add *patches.Plane // what the model makes of the brightness beyond the interpolation
	if len(m.Stages) > 0 {
		luma := p.luma()
		var err error
		if add, err = m.plane(ctx, luma, w, h, report); err != nil {
			return nil, err
		}
		for i, v := range Resize(luma, w, h, m.Kernel).Pix {
			add.Pix[i] -= v
		}
	}
	out := make([]*patches.Plane, 3)
	for c := range out {
		out[c] = Resize(p.channels[c], w, h, m.Kernel)
		if add != nil {
			for i, v := range add.Pix {
				out[c].Pix[i] += v
			}
		}
	}
	report(1)
	return out, ctx.Err()
}

// plane returns one plane at w×h, not smaller than p.
func (m *Model) plane(ctx context.Context, p *patches.Plane, w, h int, report func(float64)) (*patches.Plane, error) {
	if len(m.Stages) == 0 {
		report(1)
		return Resize(p, w, h, m.Kernel), ctx.Err()
	}
	chain := m.chain(p.W, p.H, w, h)
	whole, size := 0.0, 1.0 // of the results, in samples of p
	for _, scale := range chain {
		size *= float64(scale * scale)
		whole += size
	}
	done, size := 0.0, 1.0
	for _, scale := range chain {
		one, err := m.at(scale)
		if err != nil {
			return nil, err
		}
		size *= float64(scale * scale)
		if p, err = one.Apply(ctx, p, func(share float64) { report((done + size*share) / whole) }); err != nil {
			return nil, err
		}
		done += size
	}
	if p.W != w || p.H != h {
		p = Resize(p, w, h, Bicubic)
	}
	report(1)
	return p, nil
}

// Apply returns the plane enlarged by exactly the model's scale, in new memory:
// the interpolation, and every stage once. The model must have stages; report is
// called with the share done, 0..1, from one goroutine, and must not be nil.
func (m *Model) Apply(ctx context.Context, low *patches.Plane, report func(float64)) (*patches.Plane, error) {
	current := Resize(low, low.W*m.Scale, low.H*m.Scale, m.Kernel)
	for i, s := range m.Stages {
		var err error
		current, err = s.Apply(ctx, low, current, func(share float64) {
			report((float64(i) + share) / float64(len(m.Stages)))
		})
		if err != nil {
			return nil, err
		}
	}
	return current, nil
}

// Memory estimates the bytes that Upscale takes at its peak, with the picture and
// the result themselves, for a picture of the size and colour model of cfg and a
// result of w×h. It is for a program that collects its garbage early (GOGC 30);
// with the default, the peak can be half as much again.
func (m *Model) Memory(cfg image.Config, w, h int) int64 {
	in, out := int64(cfg.Width)*int64(cfg.Height), int64(w)*int64(h)
	channels, depth := int64(4), int64(1)
	switch cfg.ColorModel {
	case color.GrayModel:
		channels = 1
	case color.Gray16Model:
		channels, depth = 1, 2
	case color.RGBA64Model, color.NRGBA64Model:
		depth = 2
	}
	// The planes of the picture and of the result in float32, both in their own form,
	// and what is in work.
	bytes := 24<<20 + (4+depth)*channels*(in+out) + 6*out
	if len(m.Stages) == 0 {
		return bytes
	}
	side, last := 1, m // the largest enlargement by whole passes, and what makes it
	chain := m.chain(cfg.Width, cfg.Height, w, h)
	for _, scale := range chain {
		side *= scale
	}
	if len(chain) > 0 {
		if one, err := m.at(chain[len(chain)-1]); err == nil { // else Upscale will say why
			last = one
		}
	}
	top := in * int64(side) * int64(side)
	extra := int64(0)
	for _, s := range last.Stages {
		switch s := s.(type) {
		case *Coupled:
			extra += s.memory(cfg.Width * side / last.Scale)
		case *Anchored:
			extra = max(extra, s.memory(cfg.Width*side))
		}
	}
	if cfg.Width*side != w || cfg.Height*side != h {
		extra += 5 * top // reduced in the end
	}
	return bytes + 10*top + extra
}

// Tuning changes how a trained model is applied. Zero fields change nothing.
type Tuning struct {
	Coder       string // spec
	Sparsity    int    // sets the coder's parameter of that name
	BackProject *int   // iterations after the other stages, or after each anchored one; 0: none
	Stages      int    // anchored stages to use, from the first; 0: all
	AtMost      bool   // fewer Stages are no error
}

// Tune returns a model with other settings and the same dictionaries. It fails
// when m has no stage that they concern.
func (m *Model) Tune(t Tuning) (*Model, error) {
	tune := m.tuneCoupled
	if m.isCascade() || t.Stages != 0 {
		tune = m.tuneCascade
	}
	out, err := tune(t)
	if err != nil {
		return nil, err
	}
	out.siblings = nil
	for _, s := range m.siblings {
		out.siblings = append(out.siblings, newSibling(s.scale, func() (*Model, error) {
			other, err := s.open()
			if err != nil {
				return nil, err
			}
			return other.Tune(t)
		}))
	}
	return out, nil
}

// tuneCoupled is Tune for a model of coupled stages, but for its siblings.
func (m *Model) tuneCoupled(t Tuning) (*Model, error) {
	out := *m
	out.Stages = nil
	coded := false
	for _, s := range m.Stages {
		switch s := s.(type) {
		case *Coupled:
			c := *s
			if t.Coder != "" {
				c.Coder = t.Coder
			}
			var err error
			if t.Sparsity != 0 {
				if c.Coder, err = sparse.WithSparsity(c.Coder, t.Sparsity); err != nil {
					return nil, err
				}
			}
			stage, err := NewCoupled(m.Scale, c)
			if err != nil {
				return nil, err
			}
			out.Stages = append(out.Stages, stage)
			coded = true
		case *BackProject:
			if t.BackProject == nil {
				out.Stages = append(out.Stages, s)
			}
		default:
			out.Stages = append(out.Stages, s)
		}
	}
	switch {
	case (t.Coder != "" || t.Sparsity != 0) && !coded:
		return nil, plugin.Errorf("superres: this model codes no patches: a coder or a sparsity means nothing to it")
	case t.BackProject == nil || *t.BackProject == 0:
		return &out, nil
	case len(m.Stages) == 0:
		return nil, plugin.Errorf("superres: a plain interpolation is not back-projected; name a trained model")
	}
	stage, err := NewBackProject(m.Scale, *t.BackProject, m.Degradation)
	if err != nil {
		return nil, err
	}
	out.Stages = append(out.Stages, stage)
	return &out, nil
}
