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

	"superres/learners/plugin"
	"superres/learners/sparse"
)

// Options tell Upscale what to do. The zero value enlarges by the model's own
// scale.
type Options struct {
	Scale         float64       // 1 to 16; 0: the model's own, or 2
	Width, Height int           // of the result, instead of a scale; 0: in proportion, see ResultSize
	Fit           bool          // keep the shape of the picture and stay within Width×Height
	Depth         int           // bits a sample of the result: 8 or 16; 0: as the picture
	BandRows      int           // rows of the picture worked on together: memory alone; 0: as suits
	Ensemble      bool          // the mean over the eight flips and quarter turns: takes eight times as long
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
// whatever the number of workers and of rows that are worked on together.
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
	ctx = withSpares(ctx)
	p := m.newPainter(img, w, h, opt)
	if err := p.paint(ctx, opt.Progress); err != nil {
		return nil, err
	}
	return p.out.img, nil
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
