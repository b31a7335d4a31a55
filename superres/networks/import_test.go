package networks

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"superres/internal/kernel"
	"superres/internal/lines"
	"superres/internal/must"
	"superres/superres/networks/graph"
	"superres/superres/networks/graph/graphtest"
)

// roundBy returns a graph in integers by some choices, with fewer and smaller pictures than Import, and without
// comparing it with float32.
func roundBy(t *testing.T, g *graph.Graph, by choices) (*Stage, error) {
	t.Helper()
	var pictures []*lines.Rows
	for _, p := range renderPictures(1, 3, 24, g.Nodes[0].Op.(graph.Input).Channels) {
		pictures = append(pictures, p.rows())
	}
	g = splitOutputs(g.Simplify())
	m := g.Measure()
	s := &Stage{params: params{Scale: m.Scale, Multiple: m.Multiple, Reach: g.Reach()}}
	made, err := compile(t.Context(), g, pictures, by)
	if err != nil {
		return nil, err
	}
	s.spec = *made
	return s, s.build()
}

// A network of each kind agrees with float32 to 60 dB, is rounded to the same integers with all kernels, runs alike
// with them for extreme pictures, and is the same after saving.
func TestRounding(t *testing.T) {
	if testing.Short() {
		t.Skip("imports networks, which takes long under the race detector")
	}
	for _, n := range graphtest.All() {
		t.Run(n.Name, func(t *testing.T) { checkRounding(t, n.Graph, ordinaryChoices, 60) })
	}
}

// The same in parts, with an agreement of 80 dB, for the networks that can be computed so.
func TestRoundingInParts(t *testing.T) {
	if testing.Short() {
		t.Skip("imports networks, which takes long under the race detector")
	}
	count := 0
	for _, n := range graphtest.All() {
		if _, err := roundBy(t, n.Graph, partsChoices); err != nil {
			t.Logf("%s: %v", n.Name, err)
			continue
		}
		count++
		t.Run(n.Name, func(t *testing.T) { checkRounding(t, n.Graph, partsChoices, 80) })
	}
	if count < 6 {
		t.Errorf("%d networks can be computed in parts", count)
	}
}

func checkRounding(t *testing.T, g *graph.Graph, by choices, least float64) {
	t.Helper()
	s := must.Get(roundBy(t, g, by))(t)
	if got := agreement(t, s, g); got < least {
		t.Errorf("it agrees with float32 to %.1f dB", got)
	}
	restore := kernel.Use(0)
	generic := must.Get(roundBy(t, g, by))(t)
	restore()
	if !isSame(s, generic) {
		t.Error("other kernels round it to other integers")
	}
	if back := must.Get(reload(t, s))(t); !isSame(back, s) {
		t.Error("saved and loaded it is another")
	}
	p := renderPictures(5, 2, 24, s.Channels())[1]
	for i, v := range p.values {
		if i%7 < 3 {
			p.values[i] = ^v
		}
	}
	sameForAllTiers(t, s, &p)
}

// A network of which ten levels hang on a hundredth of one is computed in parts.
func TestImportInParts(t *testing.T) {
	if testing.Short() {
		t.Skip("imports networks, which takes long under the race detector")
	}
	b := graphtest.NewBuilder(3, 5)
	x := b.Conv(0, 16, 3, 1)
	small := b.Add(graph.Sub{}, b.Carry(x, 16, 3, 1, 0.01), x)
	b.Add(graph.PixelShuffle{Factor: 2}, b.Conv(b.PReLU(b.Scale(small, 100)), 12, 3, 0.3))
	g := b.Graph()
	s, r, err := Import(t.Context(), &Source{Graph: g}, Options{LeastPSNR: -1})
	must.Succeed(t, err)
	isInParts := slices.ContainsFunc(s.spec.Nodes, func(n specNode) bool { return n.Op == "high" })
	if t.Logf("%+v", r); !isInParts || r.PSNR < enoughOrdinary {
		t.Errorf("%+v, in parts %t", r, isInParts)
	}
}

// agreement returns the PSNR, in dB, of s against g.
func agreement(t *testing.T, s *Stage, g *graph.Graph) float64 {
	t.Helper()
	picture := graphtest.Picture(36, 48, s.Channels(), 3)
	p := &levels{picture.W, picture.H, picture.Channels, nil}
	for i, v := range picture.Values {
		p.values = append(p.values, uint8(math.Round(float64(255*v))))
		picture.Values[i] = float32(p.values[i]) / 255
	}
	want := must.Get(g.Eval(t.Context(), picture))(t)
	out, _ := enlarge(t, s, p)
	sum := 0.
	for c, plane := range out {
		for i, v := range plane.Pix {
			d := float64(v - want.Values[i*s.Channels()+c])
			sum += float64(d * d)
		}
	}
	return -10 * math.Log10(sum/float64(len(want.Values)))
}

// Convolutions of more outputs than kernels have are divided into several, with the same result.
func TestSplitOutputs(t *testing.T) {
	b := graphtest.NewBuilder(3, 1)
	b.Conv(b.Conv(0, 2*kernel.MaxOutputs+9, 1, 1), 3, 3, 1)
	g := b.Graph()
	split := splitOutputs(g)
	must.Succeed(t, split.Check())
	if len(split.Nodes) != len(g.Nodes)+3 {
		t.Errorf("%d nodes of %d", len(split.Nodes), len(g.Nodes))
	}
	picture := graphtest.Picture(9, 7, 3, 1)
	want, got := must.Get(g.Eval(t.Context(), picture))(t), must.Get(split.Eval(t.Context(), picture))(t)
	if !slices.Equal(got.Values, want.Values) {
		t.Error("it gives another result")
	}
}

// A network with other ranges than 0..1, which its file does not tell, makes the picture that the same with 0..1 does.
func TestImportRanges(t *testing.T) {
	if testing.Short() {
		t.Skip("imports networks, which takes long under the race detector")
	}
	b := graphtest.NewBuilder(3, 3)
	x := b.Add(graph.Add{}, 0, b.LeakyReLU(b.Scale(0, -1), 0)) // as it is for samples of 0..1
	b.Add(graph.Resize{By: graph.Bilinear, Up: 2, Down: 1}, x)
	plain := b.Graph()
	spans := []graph.Span{graph.Unit, graph.Bytes, graph.Signed}
	for _, in := range spans {
		for _, out := range spans {
			r := graph.Ranges{In: in, Out: out}
			g := graphtest.Ranged(plain, r)
			s, report, err := Import(t.Context(), &Source{Format: "onnx", Graph: g}, Options{})
			must.Succeed(t, err)
			// Of others than 0..1 at both ends, read as 0..1, it makes the same picture.
			if report.Ranges != r && in != out {
				t.Errorf("%v is taken for %v", r, report.Ranges)
			}
			if got := agreement(t, s, plain); got < 55 {
				t.Errorf("%v: %.1f dB from the same network with 0..1", r, got)
			}
		}
	}
}

// A network that makes no enlargement of the picture is refused.
func TestImportRefusesOthers(t *testing.T) {
	b := graphtest.NewBuilder(3, 3)
	b.Scale(b.Enlarge(2), -1)
	_, _, err := Import(t.Context(), &Source{Format: "onnx", Graph: b.Graph()}, Options{})
	if err == nil || !strings.Contains(err.Error(), "the result is not the picture enlarged") {
		t.Error(err)
	}
}

// An import that may not take the memory that it needs is refused, before it takes it.
func TestImportInLittleMemory(t *testing.T) {
	g := graphtest.Compact(64, 2, 4, 1)
	need := roundingMemory(splitOutputs(g.Simplify()), false)
	_, _, err := Import(t.Context(), &Source{Graph: g}, Options{Memory: need - 1})
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

// Import refuses a network that agrees with float32 to less than Options.LeastPSNR, and an invalid graph.
func TestImportRefuses(t *testing.T) {
	g := graphtest.Brightness(8, 1, 1, 1)
	s, r, err := Import(t.Context(), &Source{Graph: g}, Options{LeastPSNR: 150})
	if s != nil || err == nil || r.PSNR < 60 {
		t.Errorf("%+v, error %v", r, err)
	}
	if s, _, err := Import(t.Context(), &Source{Graph: &graph.Graph{}}, Options{}); s != nil || err == nil {
		t.Errorf("error %v", err)
	}
}
