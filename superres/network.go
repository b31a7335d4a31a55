package superres

import (
	"context"

	"superres/internal/parallel"
	"superres/internal/picture"
	"superres/patches/plane"
	"superres/superres/stage"
)

// networkWork is how many times the work of a stage the work of a network counts in reports of progress.
const networkWork = 32

// IsPlain reports whether the model is a plain interpolation: it has neither a network nor stages.
func (m *Model) IsPlain() bool { return m.Network == nil && len(m.Stages) == 0 }

// takesRGB reports whether the model enlarges red, green and blue together, rather than brightness and colour.
func (m *Model) takesRGB() bool { return m.Network != nil && m.Network.Channels() == 3 }

// leastScale returns the least scale that the model may have: 0, which means any, for a plain interpolation.
func (m *Model) leastScale() int {
	switch {
	case m.IsPlain():
		return 0
	case m.Network != nil:
		return 1
	}
	return 2
}

// networkPass takes the planes of a pass through a network.
type networkPass struct {
	run      stage.NetworkRun
	channels int      // that the network takes, 1 or 3
	share    float64  // of the network's work that is done
	multiple int      // rows are passed on in multiples of it
	rest     []window // rows that are not passed on yet, of each plane
}

// newNetworkPass returns the pass of planes of w×h samples through the network of m. The pass returns improved planes,
// and with whole the enlargements of whole rows alone, which stages and colour need.
func newNetworkPass(m *Model, w, h, improved int, whole bool) *networkPass {
	n := &networkPass{run: m.Network.Start(w, h), channels: m.Network.Channels(), multiple: 1}
	if whole {
		n.multiple, n.rest = m.Scale, make([]window, improved)
	}
	return n
}

// push takes the next rows of the planes, one or as many as the network takes, and returns the next rows of their
// enlargements; nil when none is complete.
func (n *networkPass) push(
	ctx context.Context, rows []*plane.Plane, mem *stage.Pool, report func(float64),
) ([]*plane.Plane, error) {
	w := stage.NewWork(mem, report)
	if len(rows) < n.channels {
		luma, err := stage.PushLuma(ctx, n.run, n.channels, rows[0], w)
		if luma == nil || err != nil {
			return nil, err
		}
		return n.passOn([]*plane.Plane{luma}, mem), nil
	}
	out, err := n.run.Push(ctx, rows, w)
	if out == nil || err != nil {
		return nil, err
	}
	return n.passOn(out, mem), nil
}

// passOn takes the next rows that the network returns, and returns those that can be passed on; nil if there are none.
func (n *networkPass) passOn(out []*plane.Plane, mem *stage.Pool) []*plane.Plane {
	if n.multiple == 1 || n.rest[0].plane.H == 0 && out[0].H%n.multiple == 0 {
		return out
	}
	for i, p := range out {
		rest := &n.rest[i]
		rest.append(mem, p)
		whole := rest.plane.H / n.multiple * n.multiple
		if whole == 0 {
			out[i] = nil
			continue
		}
		out[i] = mem.Plane(p.W, whole)
		copy(out[i].Pix, rest.plane.Pix)
		rest.dropBefore(mem, rest.top+whole)
	}
	if out[0] == nil {
		return nil
	}
	return out
}

// Green is G = Y − redShare·(R−Y) − blueShare·(B−Y).
const redShare, blueShare = picture.WeightR / picture.WeightG, picture.WeightB / picture.WeightG

// joinRGB changes brightness, red minus brightness and blue minus brightness, in place, to red, green and blue.
func joinRGB(planes []*plane.Plane) {
	parallel.Rows(planes[0].H, func(y int) {
		first, second, third := planes[0].Row(y), planes[1].Row(y), planes[2].Row(y)
		for x, v := range first {
			green := v - float32(redShare*second[x]) - float32(blueShare*third[x])
			first[x], second[x], third[x] = v+second[x], green, v+third[x]
		}
	})
}

// splitRGB changes red, green and blue, in place, to brightness, red minus brightness and blue minus brightness.
func splitRGB(planes []*plane.Plane) {
	picture.LumaOf(planes[1], planes)
	planes[0], planes[1] = planes[1], planes[0]
	subtract(planes[1], planes[1], planes[0])
	subtract(planes[2], planes[2], planes[0])
}
