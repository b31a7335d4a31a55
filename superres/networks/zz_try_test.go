package networks

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func readF32(path string) []float32 {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	out := make([]float32, len(b)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return out
}

func scorePhotos(s *Stage, base string) string {
	var text strings.Builder
	least, most := math.Inf(1), 0.
	for i := 1; i <= 14; i++ {
		in, want := readF32(fmt.Sprintf("/tmp/v34/pics/p%d.f32", i)), readF32(fmt.Sprintf("/tmp/v34/ref/%s.%d.f32", base, i))
		if want == nil {
			continue
		}
		w, h := 176, 144
		sc := s.Scale()
		got := make([]float32, len(want))
		read := func(y int, to []int16) {
			for x := range w {
				for c := range 3 {
					to[x*3+c] = int16(math.Round(float64(in[c*w*h+y*w+x]) * white))
				}
			}
		}
		write := func(y int, row []float32) { copy(got[y*w*sc*3:], row) }
		run := s.program.Start(w, h, read, write)
		run.Advance(context.Background(), h)
		cl, all := run.Clipped()
		run.Close()
		sum, g := 0., 0.
		for y := range h * sc {
			for x := range w * sc {
				for c := range 3 {
					d := float64(min(max(got[(y*w*sc+x)*3+c], 0), 1) - min(max(want[c*w*h*sc*sc+y*w*sc+x], 0), 1))
					sum += d * d
					g = max(g, 255*math.Abs(d))
				}
			}
		}
		p := -10 * math.Log10(sum/float64(len(want)))
		if i <= 12 {
			least, most = min(least, p), max(most, g)
		}
		fmt.Fprintf(&text, " %.1f/%.2f(%d)", p, g, cl)
		_ = all
	}
	return fmt.Sprintf("%.1f dB %.2f levels:%s", least, most, text.String())
}

func TestZZTry(t *testing.T) {
	for _, net := range strings.Fields(os.Getenv("NETS")) {
		s, err := Open(net)
		if err != nil {
			t.Fatal(err)
		}
		g, _ := withRange(context.Background(), s)
		g = splitOutputs(g.Simplify())
		tr := newTrials(g)
		b := time.Now()
		st, r, err := roundGraph(context.Background(), tr.graph)
		if err != nil {
			t.Fatal(err)
		}
		base := strings.Split(filepath.Base(net), ".")[0]
		fmt.Printf("%s own %.1f/%.2f %s | %s\n", base, r.PSNR, r.Greatest, time.Since(b).Round(time.Second), scorePhotos(st, base))
	}
}
