package ncnn

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"superres/internal/elementary"
	"superres/internal/golden"
	"superres/internal/must"
	"superres/superres/networks/graph"
)

// file writes a .param and its .bin.
type file struct {
	lines  []string
	bin    bytes.Buffer
	random *rand.Rand
}

func newFile() *file { return &file{random: rand.New(rand.NewPCG(1, 2))} }

// layer adds a line, such as "Split s 1 2 a b c", and weights of the given numbers, each of which is random. A number
// below 0 means that many weights in float32 without a tag; others have the tag of float16.
func (f *file) layer(line string, weights ...int) *file {
	f.lines = append(f.lines, line)
	for _, n := range weights {
		if n > 0 {
			f.write(uint32(tagHalf))
			for range n + n%2 {
				f.write(uint16(f.random.IntN(15<<10) | f.random.IntN(2)<<15))
			}
			continue
		}
		for range -n {
			f.write(f.random.Float32())
		}
	}
	return f
}

func (f *file) write(v any) { binary.Write(&f.bin, binary.LittleEndian, v) }

func (f *file) param() []byte {
	return fmt.Appendf(nil, "7767517\n%d %d\n%s\n", len(f.lines), len(f.lines), strings.Join(f.lines, "\n"))
}

func (f *file) read(t *testing.T) *graph.Graph {
	t.Helper()
	return must.Get(Read(f.param(), f.bin.Bytes()))(t)
}

// compact is a small network of Real-ESRGAN's kind.
func compact() *file {
	return newFile().
		layer("Input in 0 1 data").
		layer("Split s 1 2 data a b").
		layer("Convolution c0 1 1 a c 0=8 1=3 4=1 5=1 6=216", 216, -8).
		layer("PReLU p0 1 1 c d 0=8", -8).
		layer("Convolution c1 1 1 d e 0=12 1=3 4=1 5=1 6=864", 864, -12).
		layer("PixelShuffle ps 1 1 e f 0=2").
		layer("Interp i 1 1 b g 0=1 1=2.000000e+00 2=2.000000e+00").
		layer("BinaryOp add 2 1 f g output")
}

func TestCompact(t *testing.T) {
	f := compact()
	g := f.read(t)
	if m := g.Measure(); m.Scale != 2 || g.Parameters() != 216+8+8+864+12 {
		t.Errorf("scale %d, %d parameters", m.Scale, g.Parameters())
	}
	got := ""
	for _, n := range g.Nodes {
		got += fmt.Sprint(graph.NameOf(n.Op), n.Inputs, " ")
	}
	if want := "Input[] Conv[0] PReLU[1] Conv[2] PixelShuffle[3] Resize[0] Add[4 5] "; got != want {
		t.Errorf("got %s", got)
	}
	conv, bin := g.Nodes[1].Op.(graph.Conv), f.bin.Bytes()
	if want := elementary.Float16(binary.LittleEndian.Uint16(bin[4+2*100:])); conv.Weight[100] != want {
		t.Errorf("weight 100 is %g, expected %g", conv.Weight[100], want)
	}
	if want := math.Float32frombits(binary.LittleEndian.Uint32(bin[4+2*216+4*7:])); conv.Bias[7] != want {
		t.Errorf("bias 7 is %g, expected %g", conv.Bias[7], want)
	}
}

// Every byte of a .bin is one that the .param asks for.
func TestLength(t *testing.T) {
	f := compact()
	bin := f.bin.Bytes()
	for _, n := range []int{0, 3, 4, 100, len(bin) - 1} {
		if _, err := Read(f.param(), bin[:n]); err == nil {
			t.Errorf("%d bytes of %d are accepted", n, len(bin))
		}
	}
	_, err := Read(f.param(), append(slices.Clone(bin), 0))
	if err == nil || !strings.Contains(err.Error(), "1 bytes") {
		t.Errorf("a byte too many: %v", err)
	}
}

func TestPublished(t *testing.T) {
	dir := golden.Data(t, "networks")
	for name, want := range map[string][3]int{
		"4xLSDIRCompactC3":             {4, 621424, 39},
		"RealESRGAN_General_WDN_x4_v3": {4, 1213296, 71},
		"RealESRGAN_General_x4_v3":     {4, 1213296, 71},
		"realesr-animevideov3-x2":      {2, 621424, 40},
		"realesr-animevideov3-x4":      {4, 621424, 39},
	} {
		param := must.Get(os.ReadFile(filepath.Join(dir, name+".param")))(t)
		bin := must.Get(os.ReadFile(filepath.Join(dir, name+".bin")))(t)
		g := must.Get(Read(param, bin))(t)
		if got := [3]int{g.Measure().Scale, g.Parameters(), len(g.Nodes)}; got != want {
			t.Errorf("%s has scale, parameters, nodes %v, expected %v", name, got, want)
		}
	}
}
