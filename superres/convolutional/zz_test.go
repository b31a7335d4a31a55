package convolutional

import (
	"fmt"
	"syscall"
	"testing"
	"time"
	"os"
	"runtime/pprof"

	"superres/internal/kernel"
	"superres/superres/resample"
)

func TestZZ(t *testing.T) {
	if os.Getenv("ZZ") == "" { t.Skip() }
	low := texture(768, 512)
	current := resample.Resize(low, 2*low.W, 2*low.H, resample.Bicubic)
	cpu := func() float64 {
		var r syscall.Rusage
		syscall.Getrusage(0, &r)
		return float64(r.Utime.Nano()+r.Stime.Nano()) / 1e9
	}
	for _, size := range [][2]int{{32, 10}, {16, 5}} {
		n := drawn(2, size[0], size[1], 1)
		s := stageOf(t, n)
		products := 0
		for _, l := range n.layers {
			products += len(l.weight)
		}
		f, _ := os.Create(fmt.Sprintf("/tmp/zz%d.prof", size[0]))
		pprof.StartCPUProfile(f)
		bw, bc := 1e9, 1e9
		for range 12 {
			w, c := time.Now(), cpu()
			s.Apply(t.Context(), low, current, nil)
			bw, bc = min(bw, time.Since(w).Seconds()), min(bc, cpu()-c)
		}
		pprof.StopCPUProfile()
		g := float64(products*len(low.Pix)) / 1e9
		t.Logf("%v %s wall %.3f (%.0f GMAC/s) cpu %.3f (%.0f GMAC/s a core)", size, kernel.Tier(), bw, g/bw, bc, g/bc)
	}
}
