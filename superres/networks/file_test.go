package networks

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"superres/internal/must"
	"superres/superres/networks/graph"
	"superres/superres/networks/graph/graphtest"
	"superres/superres/stage"
)

// forgery is what a model file may claim to be a Stage.
type forgery struct {
	kind    string
	saved   any
	numbers []float32
}

func (f forgery) Kind() string { return f.kind }

func (f forgery) Save(a *stage.Arrays) any {
	stage.Put(a, "numbers", 1, f.numbers)
	return f.saved
}

// open returns the network that a file with f holds, for scale 2.
func (f forgery) open(t testing.TB) (stage.Network, error) {
	var m stage.Members
	head := must.Get(m.Add("network", f))(t)
	var b bytes.Buffer
	must.Succeed(t, m.Write(&b, "stages.json", []byte("{}")))
	return must.Get(stage.Open(bytes.NewReader(b.Bytes()), int64(b.Len())))(t).Network("network", 2, head)
}

// sample returns a network of some operations for scale 2, as a file has it.
func sample() (saved, []float32) {
	b := graphtest.NewBuilder(3, 1)
	x := b.PReLU(b.Conv(0, 8, 3, 1))                                      // nodes 1 and 2
	x = b.Add(graph.Select{Channels: []int{3, 1, 2, 0, 7, 6, 5, 4}}, x)   // 3
	x = b.Add(graph.Clip{Min: -1, Max: 2}, b.GroupedConv(x, 12, 3, 4, 1)) // 4 and 5
	x = b.Add(graph.PixelShuffle{Factor: 2}, x)                           // 6
	b.Add(graph.Add{}, x, b.Enlarge(2))                                   // 7 and 8
	nodes, numbers := b.Graph().Save()
	return saved{In: graph.Unit, Out: graph.Unit, Numbers: len(numbers), Nodes: nodes}, numbers
}

// Files whose numbers are too few or too many, whose nodes do not fit, and those of older programs are refused.
func TestForgedFiles(t *testing.T) {
	set := func(node int, params string) func(*saved) {
		return func(s *saved) { s.Nodes[node].Params = json.RawMessage(params) }
	}
	for name, forge := range map[string]func(s *saved){
		"":                         func(*saved) {},
		"-1 numbers":               func(s *saved) { s.Numbers = -1 },
		"numbers, expected":        func(s *saved) { s.Numbers = 1 << 40 },
		"samples of":               func(s *saved) { s.In.White = 3 },
		"no such operation":        func(s *saved) { s.Nodes[5].Op = "system" },
		"damaged":                  func(s *saved) { s.Nodes[5].Params = json.RawMessage(`{"Min":-1,"Max":2,"Most":3}`) },
		"damaged, a string":        set(5, `"text"`),
		"a node that is not":       func(s *saved) { s.Nodes[3].In[0] = 3 },
		"a node that is not, −1":   func(s *saved) { s.Nodes[3].In[0] = -1 },
		"the first node":           func(s *saved) { s.Nodes[3] = s.Nodes[0] },
		"1 to 20000":               func(s *saved) { s.Nodes = nil },
		"inputs, expected 2":       func(s *saved) { s.Nodes[8].In = s.Nodes[8].In[:1] },
		"lists of numbers":         func(s *saved) { s.Nodes[2].Numbers = nil },
		"too few numbers":          func(s *saved) { s.Nodes[2].Numbers[0] = 1 << 40 },
		"too few numbers, −1":      func(s *saved) { s.Nodes[2].Numbers[0] = -1 },
		"weights and":              func(s *saved) { s.Nodes[1].Numbers[0]--; s.Nodes[1].Numbers[1]++ },
		"taps":                     set(1, `{"Out":8,"Height":0,"Width":3,"Dilation":1,"Groups":1}`),
		"taps, huge":               set(1, `{"Out":8,"Height":3,"Width":4611686018427387904,"Dilation":1,"Groups":1}`),
		"taps, far apart":          set(1, `{"Out":8,"Height":3,"Width":3,"Dilation":4611686018427387904,"Groups":1}`),
		"padding":                  set(1, `{"Out":8,"Height":3,"Width":3,"Dilation":1,"Groups":1,"Pad":{"Left":1073741824}}`),
		"groups of":                set(1, `{"Out":8,"Height":3,"Width":3,"Dilation":1,"Groups":-1}`),
		"groups of, many channels": set(1, `{"Out":1099511627776,"Height":3,"Width":3,"Dilation":1,"Groups":1}`),
		"of channels that":         set(3, `{"Channels":[3,8]}`),
		"of channels that, −1":     set(3, `{"Channels":[-1]}`),
		"would have":               set(3, `{"Channels":[]}`),
		"from 3 to 2":              set(5, `{"Min":3,"Max":2}`),
		"12 channels by":           set(6, `{"Factor":4611686018427387904}`),
		"by 3/2":                   set(7, `{"By":0,"Up":3,"Down":2}`),
		"by 2/0":                   set(7, `{"By":0,"Up":2,"Down":0}`),
		"unknown interpolation":    set(7, `{"By":7,"Up":2,"Down":1}`),
		"more numbers than": func(s *saved) {
			s.Nodes = slices.Delete(s.Nodes, 2, 3)
			for i := range s.Nodes[2:] {
				s.Nodes[2+i].In[0] = max(s.Nodes[2+i].In[0]-1, 0)
			}
		},
	} {
		s, numbers := sample()
		forge(&s)
		want, _, _ := strings.Cut(name, ",")
		if want == "damaged" {
			want = "json: "
		}
		_, err := forgery{kind, s, numbers}.open(t)
		if name == "" && err != nil || name != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := forgery{"imported", struct{}{}, nil}.open(t)
	if err == nil || !strings.Contains(err.Error(), "superres models add") {
		t.Errorf("of an older program: %v", err)
	}
	s, numbers := sample()
	s.Nodes[7].Params, s.Nodes = json.RawMessage(`{"Up":2,"Down":1}`), s.Nodes[:8]
	if _, err := (forgery{kind, s, numbers}).open(t); err != nil {
		t.Errorf("a node that the result does not need: %v", err)
	}
}

// FuzzFile makes files of text and numbers. One that is accepted runs, and gives the same bits with all kernels.
func FuzzFile(f *testing.F) {
	s, numbers := sample()
	f.Add(must.Get(json.Marshal(s.Nodes))(f), len(numbers), uint64(1))
	f.Add([]byte(`[{"op":"Input","params":{"Channels":1}},{"op":"Pad","in":[0],"params":{"Top":-3,"Left":4,"Bottom":3,
		"Right":-4,"Mode":1}},{"op":"Resize","in":[1],"params":{"By":2,"Up":2,"Down":1,"A":-0.5}}]`), 0, uint64(2))
	f.Fuzz(func(t *testing.T, nodes []byte, count int, seed uint64) {
		s := saved{In: graph.Unit, Out: graph.Unit, Numbers: count}
		if count < 0 || count > 1<<16 || stage.Unmarshal(nodes, &s.Nodes) != nil || len(s.Nodes) > 40 {
			return
		}
		rng, numbers := rand.New(rand.NewPCG(seed, 5)), make([]float32, count)
		for i := range numbers {
			numbers[i] = 2*rng.Float32() - 1
		}
		n, err := forgery{kind, s, numbers}.open(t)
		if err != nil {
			return
		}
		made := n.(*Stage)
		shapes := must.Get(made.graph.Shapes(made.least, made.least))(t)
		for _, s := range shapes {
			if s.W*s.H*s.Channels > 1<<16 { // which would be slow
				return
			}
		}
		alike(t, made, graphtest.Picture(made.least, made.least, made.Channels(), seed))
	})
}
