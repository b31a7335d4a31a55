package flaws

import (
	"encoding/gob"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"
)

type mlp struct {
	sizes []int
	W, B  [][]float64
	mW, vW, mB, vB [][]float64
}

func newMLP(rng *rand.Rand, sizes ...int) *mlp {
	m := &mlp{sizes: sizes}
	for i := 1; i < len(sizes); i++ {
		w := make([]float64, sizes[i]*sizes[i-1])
		for k := range w {
			w[k] = rng.NormFloat64() * math.Sqrt(2/float64(sizes[i-1]))
		}
		m.W, m.B = append(m.W, w), append(m.B, make([]float64, sizes[i]))
		m.mW, m.vW = append(m.mW, make([]float64, len(w))), append(m.vW, make([]float64, len(w)))
		m.mB, m.vB = append(m.mB, make([]float64, sizes[i])), append(m.vB, make([]float64, sizes[i]))
	}
	return m
}

func (m *mlp) forward(x []float64) (acts [][]float64) {
	acts = append(acts, x)
	for l, w := range m.W {
		in := acts[l]
		out := make([]float64, m.sizes[l+1])
		for o := range out {
			s := m.B[l][o]
			row := w[o*len(in):][:len(in)]
			for i, v := range in {
				s += row[i] * v
			}
			if l < len(m.W)-1 && s < 0 {
				s *= 0.1
			}
			out[o] = s
		}
		acts = append(acts, out)
	}
	return acts
}

func read(name string) (list []sample) {
	f, err := os.Open(name)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	if err := gob.NewDecoder(f).Decode(&list); err != nil {
		panic(err)
	}
	return
}

func TestFit(t *testing.T) {
	if os.Getenv("FIT") == "" {
		t.Skip()
	}
	train := read("/tmp/train.gob")
	sets := map[string][]sample{"open-valid": read("/tmp/valid.gob"), "general-dev": read("/tmp/t91.gob")}
	n := len(train[0].F)
	mean, dev := make([]float64, n), make([]float64, n)
	for _, s := range train {
		for i, v := range s.F {
			mean[i] += v / float64(len(train))
		}
	}
	for _, s := range train {
		for i, v := range s.F {
			dev[i] += (v - mean[i]) * (v - mean[i]) / float64(len(train))
		}
	}
	norm := func(f []float64) []float64 {
		out := make([]float64, n)
		for i, v := range f {
			out[i] = min(max((v-mean[i])/math.Sqrt(dev[i]+1e-9), -5), 5)
		}
		return out
	}
	target := func(s sample) (y [7]float64) { // root scale spreads small values
		y = s.L
		y[0], y[1] = math.Sqrt(y[0]), math.Sqrt(y[1])
		return
	}
	rng := rand.New(rand.NewPCG(1, 1))
	var epochs int
	fmt.Sscan(os.Getenv("FIT"), &epochs)
	m := newMLP(rng, n, 64, 32, 14)
	X := make([][]float64, len(train))
	for i, s := range train {
		X[i] = norm(s.F)
	}
	gW, gB := make([][]float64, len(m.W)), make([][]float64, len(m.W))
	for l := range m.W {
		gW[l], gB[l] = make([]float64, len(m.W[l])), make([]float64, len(m.B[l]))
	}
	step := 0
	const batch = 64
	total := epochs * len(train) / batch
	for range total {
		for l := range gW {
			clear(gW[l])
			clear(gB[l])
		}
		for range batch {
			k := rng.IntN(len(train))
			acts := m.forward(X[k])
			out := acts[len(acts)-1]
			y := target(train[k])
			d := make([]float64, 14)
			for j := range 7 {
				// gaussian with log sd
				ls := min(max(out[7+j], -5), 2)
				e := (out[j] - y[j]) * math.Exp(-ls)
				// robust: student-like
				d[j] = e / (1 + 0.2*e*e) * math.Exp(-ls) * 1.2
				d[7+j] = 1 - 1.2*e*e/(1+0.2*e*e)
				d[j] = min(max(d[j], -20), 20)
			}
			for l := len(m.W) - 1; l >= 0; l-- {
				in := acts[l]
				back := make([]float64, len(in))
				for o, g := range d {
					if l < len(m.W)-1 && acts[l+1][o] < 0 {
						g *= 0.1
					}
					gB[l][o] += g / batch
					row, grow := m.W[l][o*len(in):][:len(in)], gW[l][o*len(in):][:len(in)]
					for i, v := range in {
						grow[i] += g * v / batch
						back[i] += g * row[i]
					}
				}
				d = back
			}
		}
		step++
		rate := 0.002 * 0.5 * (1 + math.Cos(math.Pi*float64(step)/float64(total)))
		adam := func(p, mm, v, g []float64, decay float64) {
			for i := range p {
				mm[i] = 0.9*mm[i] + 0.1*g[i]
				v[i] = 0.99*v[i] + 0.01*g[i]*g[i]
				p[i] -= rate * (mm[i]/(math.Sqrt(v[i])+1e-8) + decay*p[i])
			}
		}
		for l := range m.W {
			adam(m.W[l], m.mW[l], m.vW[l], gW[l], 0.05)
			adam(m.B[l], m.mB[l], m.vB[l], gB[l], 0)
		}
	}
	names := []string{"noise", "loss", "blurX", "blurY", "blurXY", "sharp", "alias"}
	sets["train"] = train
	for name, set := range sets {
		fmt.Println(name, len(set))
		for j := range 7 {
			var e, base, my float64
			for _, s := range set {
				my += s.L[j] / float64(len(set))
			}
			var cleanErr, cleanN, falseAlarm, inside float64
			for _, s := range set {
				out := m.forward(norm(s.F))
				o := out[len(out)-1]
				v := o[j]
				y := target(s)[j]
				if math.Abs(v-y) < math.Exp(o[7+j]) {
					inside++
				}
				if j < 2 {
					v = max(v, 0) * max(v, 0)
				}
				e += math.Abs(v - s.L[j])
				base += math.Abs(my - s.L[j])
				if s.D.IsClean() {
					cleanErr += math.Abs(v)
					if v > 0.08 {
						falseAlarm++
					}
					cleanN++
				}
			}
			N := float64(len(set))
			fmt.Printf("  %-7s error %.4f of %.4f; clean: mean %.4f, above 0.08: %.1f %%; within 1 sd %.2f\n", names[j], e/N, base/N, cleanErr/max(cleanN, 1), 100*falseAlarm/max(cleanN, 1), inside/N)
		}
	}
}
