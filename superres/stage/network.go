package stage

import (
	"context"
	"encoding/json"

	"superres/internal/picture"
	"superres/internal/registry"
	"superres/patches/plane"
)

// Network enlarges the red, green and blue of a picture together, or its brightness alone. It takes the place of the
// interpolation with which a model begins otherwise. A Network does not change once made, and concurrent use is safe.
type Network interface {
	Part
	// Scale returns the factor by which the network enlarges each side, 1 to 16. 1 restores without enlarging.
	Scale() int
	// Channels returns the number of planes that the network takes and returns: 3, red, green and blue, or 1,
	// brightness.
	Channels() int
	// Reach returns how many rows above, and below, a row of the picture its result depends on. It depends on no more
	// columns either. A part that is cut from a picture at multiples of Alignment has the same result as there, further
	// than Reach from the cuts.
	Reach() int
	// Memory estimates bytes: fixed is what the network itself takes as long as it exists, working what a NetworkRun
	// for a picture of w×h samples takes, beside the planes that Push is given and returns, with as many workers as
	// there are processors.
	Memory(w, h int) (fixed, working int64)
	// Start returns a run for a picture of w×h samples. Both sides are at least 1.
	Start(w, h int) NetworkRun
}

// NetworkRun takes one picture through a Network, from the top down. It belongs to one goroutine.
type NetworkRun interface {
	// Push takes the next rows of the picture, 0 to 1, in as many planes as the network has channels, and returns the
	// next rows of the result in as many planes: nil while too few rows have arrived to complete any. It returns what
	// becomes of a row of the picture as soon as the Reach rows below that have arrived, or earlier. With the last row
	// of the picture all rows of the result are complete. Their number need not be a multiple of the scale.
	//
	// The result does not depend on how the rows are divided between calls, nor on the number of workers. It may leave
	// 0 to 1, but is finite. Push does not change or keep the planes that it is given, of which several may be the same
	// one; the planes that it returns are from w.Plane, or new, and belong to the caller. It calls w.Report with the
	// share of the whole picture that is done, 0 to 1, and at the end of the last call with 1, from the goroutine in
	// which it was called. It fails only with ctx.Err(), and must not be called again then.
	Push(ctx context.Context, rows []*plane.Plane, w *Work) ([]*plane.Plane, error)
}

// PushLuma takes the next rows of a picture's brightness through a run of a network with the given number of channels,
// as grey if there are three, and returns the next rows of the brightness of the result: nil while too few rows have
// arrived. The rules of NetworkRun.Push hold.
func PushLuma(ctx context.Context, run NetworkRun, channels int, rows *plane.Plane, w *Work) (*plane.Plane, error) {
	in := []*plane.Plane{rows, rows, rows}[:channels]
	out, err := run.Push(ctx, in, w)
	if out == nil || err != nil {
		return nil, err
	}
	if channels > 1 {
		picture.LumaOf(out[0], out)
		for _, p := range out[1:] {
			w.Give(p.Pix)
		}
	}
	return out[0], nil
}

// NetworkLoader is a Loader for a Network. The result must have the given scale.
type NetworkLoader func(scale int, params json.RawMessage, a *Arrays) (Network, error)

var networks = registry.Registry[NetworkLoader]{Kind: "network"}

// RegisterNetwork adds a kind of Network. It panics if the kind is already registered. Call it in init.
func RegisterNetwork(kind string, load NetworkLoader) { networks.Add(kind, load) }
