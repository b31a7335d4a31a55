package superres

import (
	"image"
	"image/color"
)

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

// bandRows returns how many rows of a picture are worked on together.
func (m *Model) bandRows(inW, inH, w, h int) int { return inH }
