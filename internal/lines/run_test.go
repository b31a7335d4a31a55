package lines

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"superres/internal/must"
)

// randomProgram returns a program of about count random nodes that suits pictures of w×h samples.
func randomProgram(rng *rand.Rand, w, h, count int) *Program {
	b := &programBuilder{rng: rng, program: new(Program)}
	b.add(Source{Channels: 3}, Size{W: w, H: h, Step: 3})
	identity := &Gather{Channels: []Channels{{0, 0, 3}}, Step: 16}
	b.add(identity, identity.Size(b.sizes), 0)
	for len(b.sizes) < count {
		b.addRandom()
	}
	from := len(b.sizes) - 1 - rng.IntN(3)
	conv := &Sums{Conv: *b.conv(b.sizes[from], 16)}
	if conv.IsResult = rng.IntN(2) == 0; conv.IsResult {
		b.add(conv, conv.Size(b.sizes[from:]), from)
		return b.program
	}
	b.add(conv, conv.Size(b.sizes[from:]), from)
	last := len(b.sizes) - 1
	resize := &Resize{Up: 2, Down: 1, Taps: []Taps{{-1, []float32{0.3, 0.7}}, {0, []float32{0.7, 0.3}}}}
	b.add(resize, resize.Size(b.sizes[last:]), last)
	b.add(Sink{}, Size{}, last+1)
	return b.program
}

// programBuilder makes a random program node by node.
type programBuilder struct {
	rng     *rand.Rand
	program *Program
	sizes   []Size
}

// add adds a node whose samples have the given size.
func (b *programBuilder) add(op Op, s Size, in ...int) {
	b.program.Nodes = append(b.program.Nodes, Node{Op: op, Inputs: in})
	b.sizes = append(b.sizes, s)
}

// conv returns a convolution of small weights that keeps the size of most pictures.
func (b *programBuilder) conv(in Size, outputs int) *Conv {
	side, dilation := 1+2*b.rng.IntN(3), 1+b.rng.IntN(5)/4
	k := randomTaps(b.rng, outputs, in.Step, side, side, dilation, 1<<12, 29)
	c := &Conv{Filter: k.filter(b.rng, in.Step), Dilation: dilation, Columns: (side-1)*dilation + 1}
	c.Filter.IsWide = true
	c.Filter.PrepareWinograd()
	pad := side / 2 * dilation
	c.Pad = Edges{pad, pad, pad, pad}
	return c
}

// addRandom adds a node of 16 values a sample, the inputs of which are most often of the latest nodes.
func (b *programBuilder) addRandom() {
	rng := b.rng
	pick := func() int { return max(1, len(b.sizes)-1-min(rng.IntN(4), rng.IntN(20))) }
	from, other := pick(), pick()
	s, factors := b.sizes[from], randomFactors(rng, 16)
	var op Op
	switch rng.IntN(10) {
	case 0, 1, 2:
		op = b.conv(s, 16)
	case 3, 4, 5:
		for at, size := range b.sizes { // a skip that waits long, where there is one of the size
			if size == s && rng.IntN(2) == 0 {
				other = at
				break
			}
		}
		if b.sizes[other] != s {
			return
		}
		if op = (&Add{First: factors, Second: randomFactors(rng, 16), Most: 9000}); rng.IntN(3) == 0 {
			op = &Gather{Channels: []Channels{{0, 3, 9}, {1, 0, 5}}, Step: 16}
		}
		b.add(op, s, from, other)
		return
	case 6:
		up := &Shuffle{Factor: 2, Step: 16}
		for i := range 64 {
			up.Order = append(up.Order, i*7%17-1)
		}
		op = up
	case 7:
		down := &Unshuffle{Factor: 2}
		for i := range 16 {
			down.Order = append(down.Order, Place{i / 2 % 2, i % 2, i - 1})
		}
		op = down
	case 8:
		if op = randomResize(rng); s.H < 5 || s.W < 5 {
			return
		}
	case 9:
		op = &Shift{Edges: Edges{rng.IntN(5) - 2, rng.IntN(5) - 2, rng.IntN(5) - 2, rng.IntN(9) - 4},
			Mode: Beyond(rng.IntN(3))}
		if s.H < 5 || s.W < 5 {
			return
		}
	}
	if s = op.Size([]Size{s}); min(s.W, s.H) > 0 && s.W*s.H < 20_000 {
		b.add(op, s, from)
	}
}

// computeAll returns the result of a program by Compute, node by node.
func computeAll(t *testing.T, p *Program, picture *Rows) *Rows {
	whole := []*Rows{picture}
	for _, n := range p.Nodes[1:] {
		var in []*Rows
		for _, from := range n.Inputs {
			in = append(in, whole[from])
		}
		op := n.Op
		switch last := op.(type) {
		case Sink:
			return in[0]
		case *Sums:
			op = &Sums{Conv: last.Conv}
		}
		whole = append(whole, must.Get(Compute(t.Context(), op, in...))(t))
	}
	return whole[len(whole)-1]
}

// division says to which row Advance goes after row from of h.
type division func(from, h int) int

// runProgram takes a picture through a program, and returns the result and the run, which has not been closed. It
// fails if a row is read too early, or not written once.
func runProgram(t *testing.T, p *Program, picture, like *Rows, divide func(r *Run) division) (*Rows, *Run) {
	t.Helper()
	got, known := NewRows(like.Size), 0
	written := make([]int, got.H)
	run := p.Start(picture.W, picture.H, func(y int, to []int16) {
		if y >= known {
			t.Errorf("row %d is read when %d are known", y, known)
		}
		copy(to, picture.Row(y))
	}, func(y int, row []float32) {
		written[y]++
		copy(got.FloatRow(y), row)
	})
	next := divide(run)
	for known < picture.H {
		known = min(next(known, picture.H), picture.H)
		must.Succeed(t, run.Advance(t.Context(), known))
		if made := run.Made(); made < got.H && slices.Index(written, 0) != made {
			t.Fatalf("%d rows are said to be made, not %d", made, slices.Index(written, 0))
		}
	}
	for y, n := range written {
		if n != 1 {
			t.Fatalf("row %d is written %d times", y, n)
		}
	}
	return got, run
}

// A run makes of random programs what Compute makes of whole pictures, however the picture and the work are divided;
// it needs no more rows than planned where whole passes arrive, gives all of them back, and counts the same values.
func TestRun(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	divisions := map[string]func(r *Run) division{
		"whole":  func(*Run) division { return func(_, h int) int { return h } },
		"passes": func(r *Run) division { return func(from, _ int) int { return from + r.PassRows() } },
		"rows":   func(*Run) division { return func(from, _ int) int { return from + 1 } },
		"random": func(*Run) division { return func(from, _ int) int { return from + rng.IntN(9) } },
	}
	programs := 24
	if testing.Short() { // under the race detector
		programs = 6
	}
	for i := range programs {
		w, h := 1+rng.IntN(30), 1+rng.IntN(60)
		if i%8 == 7 {
			w, h = 12_000, 9 // passes of a few rows
		}
		p := randomProgram(rng, w, h, 3+rng.IntN(20))
		if w > 30 {
			p = randomProgram(rng, 40, 40, 9)
			if !fits(p, w, h) {
				continue
			}
		}
		picture := randomRows(rng, Size{W: w, H: h, Step: 3}, 30_000)
		want := computeAll(t, p, picture)
		var clipped, counted int64 = -1, 0
		for _, workers := range []int{1, 2, 5} {
			before := runtime.GOMAXPROCS(workers)
			for name, divide := range divisions {
				what := fmt.Sprintf("program %d on %d×%d, %d workers, %s", i, w, h, workers, name)
				l := p.layout(w, h)
				peaks := l.peaks(p)
				got, run := runProgram(t, p, picture, want, divide)
				for y := range got.H {
					if !slices.Equal(got.FloatRow(y), want.FloatRow(y)) {
						t.Fatalf("%s: row %d of %d differs", what, y, got.H)
					}
				}
				for k, c := range run.classes[:len(peaks)] {
					if len(c.free) != c.rows || c.rows != peaks[k] && (name == "whole" || name == "passes") {
						t.Errorf("%s: %d rows are free of %d, %d were planned", what, len(c.free), c.rows, peaks[k])
					}
				}
				a, b := run.Clipped()
				if clipped < 0 {
					clipped, counted = a, b
				}
				if a != clipped || b != counted {
					t.Errorf("%s: %d of %d values are clipped, expected %d of %d", what, a, b, clipped, counted)
				}
				run.Close()
			}
			runtime.GOMAXPROCS(before)
		}
	}
}

// fits reports whether all inputs of a node have the same size, which is not too large, in pictures of w×h samples.
func fits(p *Program, w, h int) bool {
	sizes := p.Sizes(w, h)
	for _, n := range p.Nodes {
		for _, from := range n.Inputs {
			if a, b := sizes[from], sizes[n.Inputs[0]]; a.W != b.W || a.H != b.H || a.H < 1 || a.W*a.H > 1e6 {
				return false
			}
		}
	}
	return true
}

// deep returns a program of layers convolutions of 3×3 taps, after which the first is added, with a pixel shuffle at
// its end. bottom rows are added there, or cut off.
func deep(layers, bottom int) *Program {
	b := &programBuilder{rng: rand.New(rand.NewPCG(7, 7)), program: new(Program)}
	b.add(Source{Channels: 3}, Size{Step: 3})
	b.add(&Gather{Channels: []Channels{{0, 0, 3}}, Step: 16}, Size{}, 0)
	for range layers {
		k := randomTaps(b.rng, 16, 16, 3, 3, 1, 1<<12, 29)
		c := &Conv{Filter: k.filter(b.rng, 16), Dilation: 1, Columns: 3, Pad: Edges{1, 1, 1, 1}}
		b.add(c, Size{}, len(b.sizes)-1)
	}
	ones := slices.Repeat([]float32{1}, 16)
	b.add(&Add{First: ones, Second: ones, Most: 30_000}, Size{}, 1, len(b.sizes)-1)
	b.add(&Shift{Edges: Edges{Bottom: bottom}}, Size{}, len(b.sizes)-1)
	b.add(&ToFloats{Factor: ones, Offset: ones}, Size{}, len(b.sizes)-1)
	up := &Shuffle{Factor: 2, Step: 4, Order: identity(16)}
	b.add(up, Size{}, len(b.sizes)-1)
	b.add(Sink{}, Size{}, len(b.sizes)-1)
	return b.program
}

// Memory grows with the width of a picture and the depth of a program, but not with the height of a picture.
func TestMemory(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	for _, layers := range []int{1, 10, 40} {
		p := deep(layers, 0)
		low, high := p.Memory(9000, 100), p.Memory(9000, 10_000)
		if high > low+low/50 || high < low-low/50 {
			t.Errorf("%d layers: %d bytes for 100 rows, %d for 10,000", layers, low, high)
		}
		if wide := p.Memory(18_000, 100); wide < low*3/4 || wide > 2*low+low/10 {
			t.Errorf("%d layers: %d bytes for 9,000 columns, %d for 18,000", layers, low, wide)
		}
		// The sums of the first and the last layer wait for as many rows as there are layers, and each layer holds a
		// pass and its surroundings.
		pass := int64(passRows(9000, 100, 16))
		if rows := low / (9000 * 16 * 2); rows > int64(3*layers+20)+int64(layers+8)*(pass+2) {
			t.Errorf("%d layers: memory for %d rows, passes of %d", layers, rows, pass)
		}
		if most := deep(layers, -9000).Memory(9000, 10_000); most > low+low/10 {
			t.Errorf("%d layers: %d bytes where 9,000 of 10,000 rows are cut off, %d for 100 rows", layers, most, low)
		}
	}
}

// A run whose context has ended says so.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := deep(2, 0)
	run := p.Start(20, 20, func(_ int, to []int16) { clear(to); cancel() }, func(int, []float32) {})
	if err := run.Advance(ctx, 20); err != context.Canceled {
		t.Errorf("error %v", err)
	}
	run.Close()
	if _, err := Compute(ctx, p.Nodes[1].Op, NewRows(Size{W: 9, H: 9, Step: 3})); err != context.Canceled {
		t.Errorf("error %v", err)
	}
}
