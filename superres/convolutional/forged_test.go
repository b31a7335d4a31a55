package convolutional

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"superres/internal/kernel"
	"superres/internal/must"
	"superres/patches/plane"
	"superres/superres/resample"
	"superres/superres/stage"
)

// sampleStage returns a stage whose integers are random, so that they do not depend on rounding.
func sampleStage(t *testing.T, scale int, p params) *Stage {
	t.Helper()
	p.Clip = kernel.Clip
	rng := rand.New(rand.NewPCG(3, 3))
	var tab tables
	for i, l := range p.layers(scale) {
		taps := l.Side * l.Side * l.In
		for range taps * l.Out {
			tab.weights = append(tab.weights, int16(rng.IntN(2*16000/taps+1)-16000/taps))
		}
		for range l.Out {
			tab.bias = append(tab.bias, int32(rng.IntN(1<<24)-1<<23))
			if i == p.Depth+1 {
				tab.positive = append(tab.positive, 1.0/(1<<28))
				continue
			}
			tab.positive = append(tab.positive, float32(1+rng.IntN(5))/(1<<14))
			tab.negative = append(tab.negative, float32(rng.IntN(7)-2)/(1<<16))
			for k, is := range p.architecture(scale).levels() {
				if is {
					tab.levels[k] = append(tab.levels[k], int32(rng.IntN(1<<24)-1<<23))
				}
			}
		}
	}
	for range p.Depth + 1 {
		tab.units = append(tab.units, 1000)
	}
	s := must.Get(makeNet(scale, p, tab))(t)
	return &Stage{s}
}

// All tiers of the kernels, on all machines, give the same bits.
func TestFormsAgree(t *testing.T) {
	for i, size := range [][3]int{{2, 32, 2}, {3, 16, 3}, {4, 33, 1}, {4, 16, 2}} {
		s := sampleStage(t, size[0], params{Channels: size[1], Depth: size[2], SeesColour: i == 3})
		low := makeTexture(67, 41)
		for i := range low.Pix { // makeTexture's samples depend on the processor
			low.Pix[i] = float32(i*i%251) / 256
		}
		red, blue := low.Crop(0, 0, low.W, low.H), low.Crop(0, 0, low.W, low.H)
		for i, v := range low.Pix {
			red.Pix[i], blue.Pix[i] = v/2-0.25, 0.75-v
		}
		work := (*stage.Work)(nil).WithColour([2]*plane.Plane{red, blue})
		current := resample.Resize(low, size[0]*low.W, size[0]*low.H, resample.Nearest)
		want := []uint32{0x4b3bb428, 0xf64e6e55, 0xd8de2541, 0xdc50d0bd}[i]
		for form := range kernel.Tiers() {
			restore := kernel.Use(form)
			out := must.Get(s.Apply(t.Context(), low, current, work))(t)
			sum, differ := crc32.NewIEEE(), 0
			for i, v := range out.Pix {
				bits := math.Float32bits(v)
				sum.Write([]byte{byte(bits), byte(bits >> 8), byte(bits >> 16), byte(bits >> 24)})
				if v != current.Pix[i] {
					differ++
				}
			}
			if sum.Sum32() != want || differ < len(out.Pix)/2 {
				t.Errorf("×%d, %s: %#08x, expected %#08x; %d samples are changed", size[0], kernel.Tier(), sum.Sum32(),
					want, differ)
			}
			restore()
		}
	}
}

// checkLoading writes s to a file and returns the error of reading it again.
func checkLoading(t *testing.T, s *Stage) error {
	t.Helper()
	_, err := reload(t, s)
	return err
}

// reload returns a stage that was written to a file and read again.
func reload(t *testing.T, s *Stage) (*Stage, error) {
	t.Helper()
	var m stage.Members
	head := must.Get(m.Add("stage0", s))(t)
	var b bytes.Buffer
	must.Succeed(t, m.Write(&b, "stages.json", []byte("{}")))
	f := must.Get(stage.Open(bytes.NewReader(b.Bytes()), int64(b.Len())))(t)
	back, err := f.Stage("stage0", s.scale, head)
	if err != nil {
		return nil, err
	}
	return back.(*Stage), nil
}

// Files whose sums could overflow, or whose arrays have wrong sizes, are refused.
func TestForgedFiles(t *testing.T) {
	p := params{Channels: 16, Depth: 2, Graded: true, Trusting: true}
	must.Succeed(t, checkLoading(t, sampleStage(t, 2, p)))
	for name, forge := range map[string]func(s *Stage){
		"more than 32 bits":            func(s *Stage) { fill(s.tables.weights[5:400*16], math.MinInt16) },
		"more than 32 bits, the bias":  func(s *Stage) { s.tables.bias[3] = math.MinInt32 },
		"more than 32 bits, a level":   func(s *Stage) { s.tables.levels[Strength][3] = math.MaxInt32 },
		"expected, levels":             func(s *Stage) { s.tables.levels[Strength] = s.tables.levels[Strength][1:] },
		"more than 32 bits, a trust":   func(s *Stage) { s.tables.levels[Trust][3] = math.MinInt32 },
		"expected, trusts":             func(s *Stage) { s.tables.levels[Trust] = s.tables.levels[Trust][1:] },
		"trust 1.5":                    func(s *Stage) { s.params.Trust = 1.5 },
		"trust 0.5":                    func(s *Stage) { s.params.Trusting, s.params.Trust = false, 0.5 },
		"grain of 50 levels":           func(s *Stage) { s.params.Grain = 50 },
		"level":                        func(s *Stage) { s.params.Strength = 1.5 },
		"activations of at most 5":     func(s *Stage) { s.params.Clip = 5 },
		"an older form":                func(s *Stage) { s.params.Clip = 0 },
		"for colour that":              func(s *Stage) { s.params.Colour, s.params.SeesColour = true, true },
		"level of none":                func(s *Stage) { s.params.Graded, s.params.Strength = false, 0.5 },
		"more than 32 bits, the first": func(s *Stage) { fill(s.tables.weights[:5*16], math.MaxInt16) },
		"more than 32 bits, the last":  func(s *Stage) { fill(s.tables.weights[len(s.tables.weights)-9*16*4:], 5000) },
		"1 or more":                    func(s *Stage) { s.tables.positive[20] = -1 },
		"1 or more, the slope":         func(s *Stage) { s.tables.negative[20] = 1 },
		"1 or more, the last":          func(s *Stage) { s.tables.positive[len(s.tables.positive)-1] = 1e30 },
		"not finite":                   func(s *Stage) { s.tables.positive[0] = float32(math.NaN()) },
		"unit":                         func(s *Stage) { s.tables.units[1] = 0 },
		"expected":                     func(s *Stage) { s.params.Depth++ },
		"expected, no channels":        func(s *Stage) { s.params.Channels = 0 },
		"expected, many":               func(s *Stage) { s.params.Channels = maxChannels + 1 },
		"expected, a bias":             func(s *Stage) { s.tables.bias = s.tables.bias[1:] },
		"bytes, expected":              func(s *Stage) { s.params.Channels++ },
	} {
		s := sampleStage(t, 2, p)
		forge(s)
		want, _, _ := strings.Cut(strings.TrimSuffix(name, " of none"), ",")
		if err := checkLoading(t, s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func fill(v []int16, x int16) {
	for i := range v {
		v[i] = x
	}
}

// NewStage refuses a network that has no integer form, and accepts one of zeros.
func TestRefusesNetworks(t *testing.T) {
	if _, err := NewStage(NewNetwork(Architecture{Scale: 2, Channels: 16, Depth: 1})); err != nil {
		t.Errorf("zeros: %v", err)
	}
	for name, spoil := range map[string]func(n *Network){
		"no number": func(n *Network) { n.Layers[1].Weight[0] = float32(math.NaN()) },
		"infinite":  func(n *Network) { n.Layers[0].Bias[0] = float32(math.Inf(1)) },
		"slope":     func(n *Network) { n.Layers[1].Slope[3] = 1e30 },
		"depth":     func(n *Network) { n.Layers = slices.Delete(n.Layers, 1, 2) },
		"channels":  func(n *Network) { n.Channels = 0 },
		"scale":     func(n *Network) { n.Scale = 5 },
	} {
		n := sampleNetwork(2, 16, 1, 1)
		spoil(n)
		if _, err := NewStage(n); err == nil || !strings.HasPrefix(err.Error(), "convolutional: ") {
			t.Errorf("%s: %v", name, fmt.Sprint(err))
		}
	}
}
