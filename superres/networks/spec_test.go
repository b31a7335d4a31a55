package networks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"superres/internal/kernel"
	"superres/internal/must"
	"superres/patches/plane"
	"superres/superres/stage"
)

// sampleNodes has a node of each operation. Its numbers are those of sampleStage.
const sampleNodes = `[
	{"op":"source","channels":3},
	{"op":"conv","in":[0],"channels":16,"most":9000,"height":3,"width":3,"dilation":1,
		"top":1,"left":1,"bottom":1,"right":1},
	{"op":"depthwise","in":[1],"channels":16,"most":9000,"height":3,"width":1,"dilation":2,"top":2,"bottom":2},
	{"op":"add","in":[1,2],"channels":16,"most":9000},
	{"op":"multiply","in":[3,1],"channels":16,"most":9000},
	{"op":"lookup","in":[4],"channels":16,"factor":2},
	{"op":"gather","in":[5,1],"channels":12},
	{"op":"shuffle","in":[6],"channels":3,"factor":2},
	{"op":"unshuffle","in":[7],"channels":12,"factor":2},
	{"op":"resize","in":[8],"channels":12,"by":1,"up":2,"down":1,"most":20000},
	{"op":"resize","in":[9],"channels":12,"by":2,"up":1,"down":2,"a":-0.5},
	{"op":"shift","in":[10],"channels":12,"top":1,"left":1,"bottom":-1,"right":-1,"mode":2},
	{"op":"sums","in":[11],"channels":12,"height":1,"width":1,"dilation":1},
	{"op":"floatgather","in":[12],"channels":12},
	{"op":"shuffle","in":[13],"channels":3,"factor":2},
	{"op":"floats","in":[0],"channels":3},
	{"op":"resize","in":[15],"channels":3,"by":0,"up":2,"down":1},
	{"op":"floats+","in":[14,16],"channels":3},
	{"op":"scale","in":[17],"channels":3}
]`

// Where the numbers of nodes of sampleNodes are.
const (
	sampleTables  = 16*3*9 + 16*3                // in weights, those of the lookup
	sampleWeights = sampleTables + 2<<16 + 12*12 // how many there are
	sampleBiases  = 16 + 16 + 12
	sampleAdd     = 4 * 16         // in floats, the factors of the sum
	sampleSums    = sampleAdd + 48 // and the scales of the last convolution
	sampleFloats  = sampleSums + 12 + 3 + 11
	sampleRuns    = 16 // in indexes, the channels of gather
	sampleIndexes = sampleRuns + 6 + 12
)

// fillSample sets the arrays of s to random numbers for sampleNodes.
func fillSample(s *spec, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 5))
	for i := range s.weights {
		s.weights[i] = int16(rng.IntN(1601) - 800)
	}
	for i := range s.bias {
		s.bias[i] = int32(rng.IntN(2_000_001) - 1_000_000)
	}
	for i := range s.floats {
		s.floats[i] = (rng.Float32() - 0.2) / (1 << 9)
		if i >= sampleAdd {
			s.floats[i] *= 1 << 7
		}
		if i >= sampleSums {
			s.floats[i] /= 1 << 21
		}
		if last := sampleFloats - i; last > 0 && last <= 11 {
			s.floats[i] = []float32{1, 1, 1, 1, 1, 1, 0, 0, 0, -4, 4}[11-last]
		}
	}
	for i := range s.indexes {
		s.indexes[i] = int32(i % 2)
	}
	for i, v := range []int32{0, 3, 5, 1, 0, 7} {
		if sampleRuns+i < len(s.indexes) {
			s.indexes[sampleRuns+i] = v
		}
	}
}

// sampleStage returns a network of random integers for scale 2.
func sampleStage(t testing.TB) *Stage {
	t.Helper()
	s := &Stage{params: params{Scale: 2, Multiple: 1, Reach: 9}, spec: spec{arrays: arrays{
		make([]int16, sampleWeights), make([]int32, sampleBiases), make([]float32, sampleFloats),
		make([]int32, sampleIndexes),
	}}}
	must.Succeed(t, json.Unmarshal([]byte(sampleNodes), &s.spec.Nodes))
	fillSample(&s.spec, 1)
	must.Succeed(t, s.build())
	return s
}

// reload returns a network that was written to a file and read again.
func reload(t testing.TB, s *Stage) (*Stage, error) {
	t.Helper()
	var m stage.Members
	head := must.Get(m.Add("network", s))(t)
	var b bytes.Buffer
	must.Succeed(t, m.Write(&b, "stages.json", []byte("{}")))
	f := must.Get(stage.Open(bytes.NewReader(b.Bytes()), int64(b.Len())))(t)
	back, err := f.Network("network", s.params.Scale, head)
	if err != nil {
		return nil, err
	}
	return back.(*Stage), nil
}

// isSame reports whether two networks have the same nodes and numbers.
func isSame(a, b *Stage) bool {
	return a.params == b.params && fmt.Sprint(a.spec.Nodes) == fmt.Sprint(b.spec.Nodes) &&
		slices.Equal(a.spec.weights, b.spec.weights) && slices.Equal(a.spec.bias, b.spec.bias) &&
		slices.Equal(a.spec.floats, b.spec.floats) && slices.Equal(a.spec.indexes, b.spec.indexes)
}

// enlarge returns the result of s for a picture, in planes, and how many values were clipped.
func enlarge(t testing.TB, s *Stage, p *levels) (out []*plane.Plane, clipped int64) {
	t.Helper()
	var in []*plane.Plane
	for c := range p.channels {
		in = append(in, plane.New(p.w, p.h))
		for i := range p.w * p.h {
			in[c].Pix[i] = float32(p.values[i*p.channels+c]) / 255
		}
	}
	run := s.Start(p.w, p.h)
	out = must.Get(run.Push(t.Context(), in, nil))(t)
	clipped, _ = run.Saturated()
	return out, clipped
}

// sameForAllTiers fails unless all tiers of the kernels make the same of a picture.
func sameForAllTiers(t testing.TB, s *Stage, p *levels) {
	t.Helper()
	want, clipped := enlarge(t, s, p)
	for tier := range kernel.Tiers() - 1 {
		restore := kernel.Use(tier)
		got, n := enlarge(t, s, p)
		if !reflect.DeepEqual(got, want) || n != clipped {
			t.Errorf("%s gives another result, %d values clipped, not %d", kernel.Tier(), n, clipped)
		}
		restore()
	}
}

// A network of all operations is the same after saving, for all kernels, and when values are clipped.
func TestSpec(t *testing.T) {
	s := sampleStage(t)
	back := must.Get(reload(t, s))(t)
	if !isSame(back, s) {
		t.Error("saved and loaded it is another")
	}
	for i, p := range renderPictures(4, 3, 40, 3) {
		sameForAllTiers(t, s, &p)
		if _, clipped := enlarge(t, s, &p); clipped == 0 {
			t.Errorf("no value of picture %d is clipped", i)
		}
	}
	s.spec.floats = slices.Clone(s.spec.floats)
	for i := range sampleSums {
		s.spec.floats[i] /= 1 << 5
	}
	must.Succeed(t, s.build())
	if _, clipped := enlarge(t, s, renderCloudy(1, 40, 3)); clipped != 0 {
		t.Errorf("%d values of small sums are clipped", clipped)
	}
}

// Files whose sums could overflow, whose arrays have wrong sizes, and whose nodes do not fit are refused.
func TestForgedSpecs(t *testing.T) {
	for name, forge := range map[string]func(s *Stage, n []specNode){
		"more than 32 bits":         func(s *Stage, _ []specNode) { fill(s.spec.weights[:432], math.MaxInt16) },
		"more than 32 bits, a bias": func(s *Stage, _ []specNode) { s.spec.bias[3] = math.MinInt32 },
		"more than 32 bits, depthwise": func(s *Stage, n []specNode) {
			n[1].Most = math.MaxInt16
			fill(s.spec.weights[432:480], math.MinInt16)
		},
		"more than 32 bits, the last": func(s *Stage, _ []specNode) {
			fill(s.spec.weights[len(s.spec.weights)-144:], math.MaxInt16)
		},
		"more than 16 bits":   func(s *Stage, _ []specNode) { s.spec.weights[sampleTables] = math.MinInt16 },
		"1 or more":           func(s *Stage, _ []specNode) { s.spec.floats[3] = -1 },
		"1 or more, the last": func(s *Stage, _ []specNode) { s.spec.floats[sampleSums] = 1 },
		"not finite": func(s *Stage, _ []specNode) {
			s.spec.floats[sampleFloats-1] = float32(math.NaN())
		},
		"factor out of range":           func(s *Stage, _ []specNode) { s.spec.floats[sampleAdd] = 1 << 41 },
		"too few numbers":               func(s *Stage, _ []specNode) { s.spec.weights = s.spec.weights[1:] },
		"too few numbers, biases":       func(s *Stage, _ []specNode) { s.spec.bias = s.spec.bias[1:] },
		"too few numbers, floats":       func(s *Stage, _ []specNode) { s.spec.floats = s.spec.floats[1:] },
		"more numbers than":             func(s *Stage, _ []specNode) { s.spec.weights = append(s.spec.weights, 0) },
		"more numbers than, indexes":    func(s *Stage, _ []specNode) { s.spec.indexes = append(s.spec.indexes, 0) },
		"scale 0":                       func(s *Stage, _ []specNode) { s.params.Scale = 0 },
		"at scale 3":                    func(s *Stage, _ []specNode) { s.params.Scale = 3 },
		"multiple 0":                    func(s *Stage, _ []specNode) { s.params.Multiple = 0 },
		"reach -1":                      func(s *Stage, _ []specNode) { s.params.Reach = -1 },
		"0 nodes":                       func(s *Stage, _ []specNode) { s.spec.Nodes = nil },
		"is the source":                 func(s *Stage, n []specNode) { n[5] = n[0] },
		"no such operation":             func(s *Stage, n []specNode) { n[5].Op = "system" },
		"3 channels, 2":                 func(s *Stage, n []specNode) { n[0].Channels = 2 },
		"a node that is not before":     func(s *Stage, n []specNode) { n[3].In[0] = 3 },
		"a node that is not before, −1": func(s *Stage, n []specNode) { n[3].In[0] = -1 },
		"2000 channels":                 func(s *Stage, n []specNode) { n[1].Channels = 2000 },
		"outputs":                       func(s *Stage, n []specNode) { n[1].Channels = 300 },
		"outputs, clipped to nothing":   func(s *Stage, n []specNode) { n[1].Most = 0 },
		"channels of at most 40000":     func(s *Stage, n []specNode) { n[1].Most = 40_000 },
		"taps":                          func(s *Stage, n []specNode) { n[1].Height = 0 },
		"taps, apart":                   func(s *Stage, n []specNode) { n[1].Dilation = 16 },
		"taps, huge":                    func(s *Stage, n []specNode) { n[1].Width = math.MaxInt },
		"padded too much":               func(s *Stage, n []specNode) { n[1].Left = 1 << 40 },
		"channels in and":               func(s *Stage, n []specNode) { n[2].In[0] = 0 },
		"inputs, expected 2":            func(s *Stage, n []specNode) { n[3].In = n[3].In[:1] },
		"other sizes than the result":   func(s *Stage, n []specNode) { n[3].In[0] = 0 },
		"tables for":                    func(s *Stage, n []specNode) { n[5].Factor = 17 },
		"tables for, none":              func(s *Stage, n []specNode) { n[5].Factor = 0 },
		"channel 2 of 2":                func(s *Stage, _ []specNode) { s.spec.indexes[4] = 2 },
		"channel -1 of 12":              func(s *Stage, _ []specNode) { s.spec.indexes[sampleRuns+6] = -1 },
		"of input 2":                    func(s *Stage, _ []specNode) { s.spec.indexes[sampleRuns+3] = 2 },
		"of input 0":                    func(s *Stage, _ []specNode) { s.spec.indexes[sampleRuns+1] = math.MaxInt32 },
		"of input 0, none":              func(s *Stage, _ []specNode) { s.spec.indexes[sampleRuns+2] = 0 },
		"by 4611686018427387904":        func(s *Stage, n []specNode) { n[7].Factor = 1 << 62 },
		"by 4294967296":                 func(s *Stage, n []specNode) { n[8].Factor = 1 << 32 },
		"by 3/2":                        func(s *Stage, n []specNode) { n[9].Up, n[9].Down = 3, 2 },
		"by 2/0":                        func(s *Stage, n []specNode) { n[9].Down = 0 },
		"by 17/1":                       func(s *Stage, n []specNode) { n[9].Up = 17 },
		"by 1/2, of no kind":            func(s *Stage, n []specNode) { n[10].By = 7 },
		"edges are out of range":        func(s *Stage, n []specNode) { n[11].Top = math.MinInt },
		"edges are out of range, mode":  func(s *Stage, n []specNode) { n[11].Mode = 3 },
		"mirrors more than":             func(s *Stage, n []specNode) { n[11].Top, n[11].Bottom = 500, -500 },
		"would have":                    func(s *Stage, n []specNode) { n[11].Bottom = -1 << 20 },
		"has inputs of":                 func(s *Stage, n []specNode) { n[16].Up = 3 },
		"integers where float32":        func(s *Stage, n []specNode) { n[17].In[0] = 11 },
		"integers where float32, a sum": func(s *Stage, n []specNode) { n[15].In[0] = 14 },
		"other numbers of channels":     func(s *Stage, n []specNode) { n[17].In[0] = 13 },
		"a result of 12 channels": func(s *Stage, n []specNode) {
			s.spec.Nodes = n[:14]
			s.spec.floats = s.spec.floats[:sampleSums+12]
		},
	} {
		s := sampleStage(t)
		s.spec.arrays = arrays{slices.Clone(s.spec.weights), slices.Clone(s.spec.bias), slices.Clone(s.spec.floats),
			slices.Clone(s.spec.indexes)}
		forge(s, s.spec.Nodes)
		want, _, _ := strings.Cut(name, ",")
		if _, err := reload(t, s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func fill(v []int16, x int16) {
	for i := range v {
		v[i] = x
	}
}

// FuzzSpec makes specs of text and numbers. One that is accepted runs, and alike with all kernels.
func FuzzSpec(f *testing.F) {
	f.Add([]byte(sampleNodes), 2, 1, sampleWeights, sampleBiases, sampleFloats, sampleIndexes, uint64(1))
	f.Add([]byte(`[{"op":"source","channels":1},{"op":"floats","in":[0],"channels":1}]`), 1, 1, 0, 0, 1, 0, uint64(2))
	f.Add([]byte(`[{"op":"source","channels":1},{"op":"floats","in":[0],"channels":1},
		{"op":"shift","in":[1],"channels":1,"top":-3,"left":4,"mode":1},{"op":"shift","in":[2],"channels":1,"bottom":3,
		"right":-4,"mode":2}]`), 1, 2, 0, 0, 1, 0, uint64(3))
	f.Fuzz(func(t *testing.T, nodes []byte, scale, multiple, weights, biases, floats, indexes int, seed uint64) {
		const most = 1 << 18
		if min(weights, biases, floats, indexes) < 0 || max(weights, biases, floats, indexes) > most ||
			scale < 1 || scale > mostScale || multiple < 1 || multiple > mostMultiple {
			return
		}
		s := &Stage{params: params{Scale: scale, Multiple: multiple}, spec: spec{arrays: arrays{
			make([]int16, weights), make([]int32, biases), make([]float32, floats), make([]int32, indexes),
		}}}
		fillSample(&s.spec, seed)
		if stage.Unmarshal(nodes, &s.spec.Nodes) != nil || len(s.spec.Nodes) > 40 || s.build() != nil {
			return
		}
		for _, size := range s.program.Sizes(s.least, s.least) {
			if size.W*size.H*size.Step > 1<<18 { // which would be slow
				return
			}
		}
		p := renderPictures(seed, 2, s.least, s.Channels())[1]
		sameForAllTiers(t, s, &p)
		if back := must.Get(reload(t, s))(t); !isSame(back, s) {
			t.Error("saved and loaded it is another")
		}
	})
}
