package stage_test

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"

	"superres/internal/must"
	"superres/internal/picture"
	"superres/internal/testimage"
	"superres/superres/resample"
	"superres/superres/stage"
	"superres/superres/stage/stagetest"
)

func init() {
	stage.RegisterNetwork("greedy", func(scale int, params json.RawMessage, a *stage.Arrays) (stage.Network, error) {
		var bytes int64
		if err := json.Unmarshal(params, &bytes); err != nil {
			return nil, err
		}
		return stagetest.Blur{Factor: 2, Planes: 3}, a.Reserve(bytes)
	})
}

// A network may reserve its budget and no more, and must have the scale of its model.
func TestNetworkOfFile(t *testing.T) {
	var b bytes.Buffer
	must.Succeed(t, new(stage.Members).Write(&b, "model.json", []byte("{}")))
	f := must.Get(stage.Open(bytes.NewReader(b.Bytes()), int64(b.Len())))(t)
	for _, c := range []struct {
		kind, bytes string
		scale       int
		want        string // in the error; empty: none
	}{
		{"greedy", "1073741824", 2, ""}, {"greedy", "1073741825", 2, "1073741824 are left"},
		{"greedy", "-1", 2, "are left"},
		{"greedy", "1", 3, "scale 2"}, {"unheard", "1", 2, "unheard"},
	} {
		n, err := f.Network("network", c.scale, stage.Head{Kind: c.kind, Params: json.RawMessage(c.bytes)})
		if (err == nil) != (c.want == "") || err != nil && (n != nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: %v, %v", c, n, err)
		}
	}
}

func TestBackProject(t *testing.T) {
	for scale := 2; scale <= 4; scale++ {
		for _, d := range []resample.Degradation{resample.Box, resample.Cubic} {
			b := must.Get(stage.NewBackProject(scale, 3, d))(t)
			stagetest.Run(t, scale, b)
		}
	}
}

// Back-projection makes the reduced result agree with the input, where clipping does not stand in the way.
func TestBackProjectAgreesWithTheInput(t *testing.T) {
	low := picture.Split(testimage.Drawing(20, 16, 1)).Luma()
	for i, v := range low.Pix {
		low.Pix[i] = 0.3 + 0.4*v
	}
	for _, d := range []resample.Degradation{resample.Box, resample.Cubic} {
		for scale := 2; scale <= 4; scale++ {
			b := must.Get(stage.NewBackProject(scale, 60, d))(t)
			got := must.Get(b.Apply(t.Context(), low, resample.Resize(low, 20*scale, 16*scale, resample.Nearest),
				nil))(t)
			for i, v := range d.Reduce(got, scale).Pix {
				if math.Abs(float64(v-low.Pix[i])) > 2e-3 {
					t.Fatalf("%s ×%d: sample %d reduces to %g, expected %g", d, scale, i, v, low.Pix[i])
				}
			}
		}
	}
}
