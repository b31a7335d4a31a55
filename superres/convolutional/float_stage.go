package convolutional

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"

	"superres/patches"
	"superres/superres/stage"
)

// floats is the stage in float32, until there is one in integers.
type floats struct{ *network }

func newStage(n *network) (stage.Stage, error) { return floats{n}, nil }

func init() {
	stage.Register("convolutional-float", func(scale int, params json.RawMessage, a *stage.Arrays) (stage.Stage, error) {
		var s sizes
		if err := stage.Unmarshal(params, &s); err != nil {
			return nil, err
		}
		if _, err := (Trainer{Scale: s.Scale, Channels: s.Channels, Depth: s.Depth}).defaults(); err != nil || s.Scale != scale || s.Channels == 0 || s.Depth == 0 {
			return nil, fmt.Errorf("sizes %v at scale %d", s, scale)
		}
		n := newNetwork(s.Scale, s.Channels, s.Depth)
		for i, l := range n.layers {
			for name, v := range map[string][]float32{"weight": l.weight, "bias": l.bias, "slope": l.slope} {
				if v == nil {
					continue
				}
				got, err := stage.Get[float32](a, fmt.Sprintf("%s%d", name, i), 1, len(v))
				if err != nil {
					return nil, err
				}
				copy(v, got)
			}
		}
		return newStage(n)
	})
}

func (f floats) Kind() string { return "convolutional-float" }

func (f floats) Save(a *stage.Arrays) any {
	for i, l := range f.layers {
		stage.Put(a, fmt.Sprintf("weight%d", i), 1, l.weight)
		stage.Put(a, fmt.Sprintf("bias%d", i), 1, l.bias)
		if l.slope != nil {
			stage.Put(a, fmt.Sprintf("slope%d", i), 1, l.slope)
		}
	}
	return sizes{f.scale, f.channels, len(f.layers) - 2}
}

func (f floats) Reach() int { return f.reach() }

func (f floats) Memory(width, rows int) (fixed, working int64) {
	shapes := f.shapes()
	for _, s := range shapes {
		fixed += 8 * int64(s.size())
	}
	return fixed, int64(runtime.GOMAXPROCS(0))*newPass(shapes, tile).bytes() + 4*int64(width)*int64(rows*f.scale*f.scale)
}

func (f floats) Apply(ctx context.Context, low, current *patches.Plane, w *stage.Work) (*patches.Plane, error) {
	lack, err := f.fast(ctx, low)
	if err != nil {
		return nil, err
	}
	for i, v := range current.Pix {
		lack.Pix[i] += v
	}
	w.Report(1)
	return lack, nil
}
