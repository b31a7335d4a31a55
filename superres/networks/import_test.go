package networks

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"superres/internal/golden"
	"superres/internal/must"
	"superres/superres/networks/graph"
	"superres/superres/networks/graph/graphtest"
)

// The ranges of a network and of the same with each of the nine pairs are guessed, or others with which it does the
// same.
func TestGuessRanges(t *testing.T) {
	spans := []graph.Span{graph.Unit, graph.Bytes, graph.Signed}
	for _, n := range graphtest.All() {
		picture := graphtest.Picture(32, 32, n.Graph.Nodes[0].Op.(graph.Input).Channels, 1)
		for _, in := range spans {
			for _, out := range spans {
				r := graph.Ranges{In: in, Out: out}
				g := graphtest.Ranged(n.Graph, r)
				s, shape := stageOf(t, g), picture.Shape
				shape.W, shape.H = 32*s.Scale(), 32*s.Scale()
				got, agreement, err := g.GuessRanges(picture, func(in graph.Span) (graph.Samples, error) {
					return s.compute(t.Context(), picture, in, shape)
				})
				must.Succeed(t, err)
				if got != r && (in != out || got.In != got.Out || agreement < 20) {
					t.Errorf("%s with %v: %v, at %.1f dB", n.Name, r, got, agreement)
				}
				if in == graph.Unit && out == graph.Unit && got != r {
					t.Errorf("%s: %v", n.Name, got)
				}
			}
		}
	}
}

// A network with other ranges than 0..1, which its file does not tell, makes the picture that the same with 0..1 does.
func TestImportRanges(t *testing.T) {
	b := graphtest.NewBuilder(3, 3)
	x := b.PReLU(b.Conv(0, 8, 3, 1))
	x = b.Add(graph.PixelShuffle{Factor: 2}, b.Conv(x, 12, 3, 0.02))
	b.Add(graph.Add{}, x, b.Add(graph.Resize{By: graph.Bilinear, Up: 2, Down: 1}, 0))
	plain := b.Graph()
	spans := []graph.Span{graph.Unit, graph.Bytes, graph.Signed}
	for _, in := range spans {
		for _, out := range spans {
			r := graph.Ranges{In: in, Out: out}
			g := graphtest.Ranged(plain, r)
			s := must.Get(Import(t.Context(), &Source{Format: "onnx", Graph: g}, 0))(t)
			least := 100.
			if in == out && in == graph.Signed { // taken for 0..1, which is near enough
				least = 30
			} else if s.ranges != r {
				t.Errorf("%v is taken for %v", r, s.ranges)
			}
			if got := agreement(t, s, plain, graphtest.Picture(36, 48, 3, 3)); got < least {
				t.Errorf("%v: %.1f dB from the same network with 0..1", r, got)
			}
		}
	}
}

// Published networks are of 0..1, and with other ranges are told from that, but for those of −1..1 at both ends.
func TestPublishedRanges(t *testing.T) {
	dir := golden.Data(t, "networks")
	spans := []graph.Span{graph.Unit, graph.Bytes, graph.Signed}
	for _, name := range []string{"disp.onnx", "spanf.onnx", "realesr-animevideov3-x2.param"} {
		path := filepath.Join(dir, name)
		g := must.Get(Open(path, 0))(t).Graph
		for _, in := range spans {
			for _, out := range spans {
				r := graph.Ranges{In: in, Out: out}
				ranged := &Source{Format: "onnx", Graph: graphtest.Ranged(g, r)}
				got := must.Get(Import(t.Context(), ranged, 0))(t).ranges
				isNear := in == out && got == (graph.Ranges{In: graph.Unit, Out: graph.Unit})
				if got != r && !isNear {
					t.Errorf("%s with %v is taken for %v", name, r, got)
				}
			}
		}
	}
}

// A network that makes no enlargement of the picture is refused.
func TestImportRefusesOthers(t *testing.T) {
	b := graphtest.NewBuilder(3, 3)
	b.Scale(b.Enlarge(2), -1)
	_, err := Import(t.Context(), &Source{Format: "onnx", Graph: b.Graph()}, 0)
	if err == nil || !strings.Contains(err.Error(), "the result is not the picture enlarged") {
		t.Error(err)
	}
}

// An import that may not take the memory that it needs is refused, before it takes it.
func TestImportInLittleMemory(t *testing.T) {
	g := graphtest.Compact(64, 2, 4, 1)
	_, err := Import(t.Context(), &Source{Graph: g}, programMemory+stageOf(t, g).fixed-1)
	if !errors.Is(err, ErrMemory) || !strings.Contains(err.Error(), "importing the network needs") {
		t.Error(err)
	}
	path := filepath.Join(t.TempDir(), "a.onnx")
	must.Succeed(t, os.WriteFile(path, append([]byte{8, 8}, make([]byte, 1<<20)...), 0o600))
	if _, err := Open(path, readingMemory(1<<20)); !errors.Is(err, ErrMemory) {
		t.Error(err)
	}
	if _, err := Open(path, readingMemory(1<<20+2)); err == nil || errors.Is(err, ErrMemory) {
		t.Error(err)
	}
}

// Import refuses an invalid graph.
func TestImportRefuses(t *testing.T) {
	if s, err := Import(t.Context(), &Source{Graph: &graph.Graph{}}, 0); s != nil || err == nil {
		t.Errorf("error %v", err)
	}
}

// Networks that others trained agree with their definitions, for clouds and for black and white noise.
func TestPublishedAgreement(t *testing.T) {
	dir := golden.Data(t, "networks")
	for name, side := range map[string]int{"disp.onnx": 32, "span26.onnx": 32, "4xLSDIRCompactC3.param": 16} {
		source := must.Get(Open(filepath.Join(dir, name), 0))(t)
		s := must.Get(Import(t.Context(), source, 0))(t)
		noise, rng := renderCloudy(1, side, 3), rand.New(rand.NewPCG(1, 1))
		for i := 0; i < len(noise.Values); i += 3 {
			v := float32(rng.IntN(2))
			copy(noise.Values[i:], []float32{v, v, v})
		}
		clouds, noisy := agreement(t, s, source.Graph, renderCloudy(1, side, 3)), agreement(t, s, source.Graph, noise)
		if t.Logf("%s: %.1f and %.1f dB", name, clouds, noisy); clouds < 110 || noisy < 80 {
			t.Errorf("%s agrees with its definition to %.1f dB for clouds and %.1f dB for noise", name, clouds, noisy)
		}
	}
}
