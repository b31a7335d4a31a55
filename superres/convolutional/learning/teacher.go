package learning

import (
	"context"
	"crypto/sha256"
	"fmt"

	"superres/internal/picture"
	"superres/patches/plane"
	"superres/superres/convolutional"
	"superres/superres/resample"
	"superres/superres/stage"
)

// Teacher enlarges pictures for a training to learn from. It is safe for concurrent use.
type Teacher interface {
	// Scale returns the factor by which the teacher enlarges.
	Scale() int
	// Enlarge returns the brightness of the enlargement of a picture, 0 to 1. low has the red, green and blue of the
	// picture, or only its brightness; luma is its brightness, and base the interpolation of luma. It must not change
	// or keep any of the planes. It fails only with ctx.Err().
	Enlarge(ctx context.Context, low []*plane.Plane, luma, base *plane.Plane) (*plane.Plane, error)
	// Fingerprint returns a hash of everything that decides the results of Enlarge.
	Fingerprint() [sha256.Size]byte
}

// StageTeacher returns s, without its grain, as a teacher. If apart is true, the teacher enlarges red, green and blue
// one after the other and returns the brightness of the result; else it enlarges the brightness. The result for the
// three colours is nearer to the truth, since brightness shows less of an edge between two colours, and a network that
// sees colour can learn it. A stage that sees colour ignores apart.
func StageTeacher(s *convolutional.Stage, apart bool) Teacher {
	return stageTeacher{s, s.WithGrain(0), apart}
}

type stageTeacher struct {
	*convolutional.Stage // with its grain, for the fingerprint that checkpoints of earlier versions have
	plain                *convolutional.Stage
	apart                bool
}

// Enlarge implements Teacher. A stage that sees colour gets the colours of the picture, if it has any, and at ×3 and ×4
// addGreen refines the result. Else, with apart, each channel is enlarged by itself, or brightness alone.
func (t stageTeacher) Enlarge(ctx context.Context, low []*plane.Plane, luma, base *plane.Plane) (*plane.Plane, error) {
	switch {
	case len(low) == 3 && t.plain.SeesColour():
		out, err := t.plain.Apply(ctx, luma, base, (*stage.Work)(nil).WithColour(differences(low, luma)))
		if err != nil || t.Scale() == 2 {
			return out, err
		}
		return out, t.addGreen(ctx, out, low[1], base)
	case len(low) < 3 || !t.apart:
		return t.plain.Apply(ctx, luma, base, nil)
	}
	enlarged := make([]*plane.Plane, len(low))
	for i, p := range low {
		var err error
		base := resample.Resize(p, base.W, base.H, resample.Bicubic)
		if enlarged[i], err = t.plain.Apply(ctx, p, base, nil); err != nil {
			return nil, err
		}
	}
	return picture.Picture{Channels: enlarged}.Luma(), nil
}

// greenShare is the weight of detail from green in the result of a stage that sees colour.
const greenShare = 0.3

// addGreen mixes out, the stage's result for brightness, with base, the interpolated brightness, plus the detail that
// the stage adds to green. At ×3 and ×4 the mixture is nearer to the truth, as with the effort max of package superres.
func (t stageTeacher) addGreen(ctx context.Context, out, green, base *plane.Plane) error {
	interpolated := resample.Resize(green, base.W, base.H, resample.Bicubic)
	enlarged, err := t.plain.Apply(ctx, green, interpolated, nil)
	if err != nil {
		return err
	}
	for i, v := range base.Pix {
		out.Pix[i] += greenShare * (v + enlarged.Pix[i] - interpolated.Pix[i] - out.Pix[i])
	}
	return nil
}

// NetworkTeacher returns the network n as a teacher. If n takes red, green and blue, it gets the colours of a picture,
// and the brightness of its result is returned.
func NetworkTeacher(n stage.Network) Teacher { return networkTeacher{n} }

type networkTeacher struct{ stage.Network }

// Enlarge implements Teacher. A network for one channel gets brightness, one for three the colours, or grey 3 times.
func (t networkTeacher) Enlarge(ctx context.Context, low []*plane.Plane, brightness, _ *plane.Plane) (*plane.Plane,
	error) {
	switch {
	case t.Channels() == 1:
		low = []*plane.Plane{brightness}
	case len(low) < 3:
		low = []*plane.Plane{brightness, brightness, brightness}
	}
	out, err := t.Start(brightness.W, brightness.H).Push(ctx, low, nil)
	if err != nil {
		return nil, err
	}
	for _, p := range out {
		for i, v := range p.Pix {
			p.Pix[i] = picture.Clamp(v)
		}
	}
	return luma(out), nil
}

// Fingerprint implements Teacher. It hashes what a model file would hold of the network.
func (t networkTeacher) Fingerprint() (sum [sha256.Size]byte) {
	var members stage.Members
	head, err := members.Add("teacher", t.Network)
	h := sha256.New()
	if err == nil {
		err = members.Write(h, "head", fmt.Appendf(nil, "%s %s", head.Kind, head.Params))
	}
	if err != nil {
		panic(err) // cannot be: the head is JSON already, and a hash takes all bytes
	}
	return [sha256.Size]byte(h.Sum(nil))
}
