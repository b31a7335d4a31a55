package lines

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"superres/internal/kernel"
	"superres/internal/must"
)

// random returns n numbers from −1 to 1.
func random(rng *rand.Rand, n int) []float32 {
	list := make([]float32, n)
	for i := range list {
		list[i] = 2*rng.Float32() - 1
	}
	return list
}

// programBuilder makes a random program node by node. All but the first and the last have samples of 16 values.
type programBuilder struct {
	rng     *rand.Rand
	program *Program
	sizes   []Size
}

// randomProgram returns a program of about count random nodes that suits pictures of w×h samples.
func randomProgram(rng *rand.Rand, w, h, count int) *Program {
	b := &programBuilder{rng: rng, program: new(Program)}
	b.add(Source{Channels: 3, Floats: true}, Size{W: w, H: h, Step: 3, Floats: true})
	first := &Gather{Channels: []Channels{{0, 0, 3}, {0, 1, 2}}, Step: 16}
	b.add(first, first.Size(b.sizes), 0)
	for len(b.sizes) < count {
		b.addRandom()
	}
	b.add(Sink{}, Size{}, len(b.sizes)-1-rng.IntN(2))
	return b.program
}

// add adds a node whose samples have the given size.
func (b *programBuilder) add(op Op, s Size, in ...int) {
	b.program.Nodes = append(b.program.Nodes, Node{Op: op, Inputs: in})
	b.sizes = append(b.sizes, s)
}

// conv returns a convolution that keeps the size of most pictures.
func (b *programBuilder) conv() *FloatConv {
	side, dilation := 1+2*b.rng.IntN(3), 1+b.rng.IntN(5)/4
	taps := kernel.Taps{Outputs: 16, Inputs: 16, Groups: 1, Height: side, Width: side,
		Weight: random(b.rng, 256*side*side), Bias: random(b.rng, 16)}
	for i := range taps.Weight {
		taps.Weight[i] /= float32(8 * side)
	}
	pad := side / 2 * dilation
	return &FloatConv{Filter: kernel.NewFloatFilter(taps, 16, dilation, 1), Height: side, Width: side,
		Dilation: dilation, Stride: 1, Pad: Edges{pad, pad, pad, pad}}
}

// addRandom adds a node, the inputs of which are most often of the latest nodes.
func (b *programBuilder) addRandom() {
	rng := b.rng
	pick := func() int { return max(1, len(b.sizes)-1-min(rng.IntN(4), rng.IntN(20))) }
	from, other := pick(), pick()
	s := b.sizes[from]
	for at, size := range b.sizes { // a skip that waits long, where there is one of the size
		if size == s && rng.IntN(2) == 0 {
			other = at
			break
		}
	}
	hasOther := b.sizes[other] == s
	var op Op
	switch rng.IntN(9) {
	case 0, 1, 2:
		if conv := b.conv(); conv.Size([]Size{s}) == s && hasOther {
			c := &Chain{Base: conv, Taken: 1, Steps: []Step{{Op: Curve(kernel.Tanh), A: Made, B: Made},
				{Op: Add, A: 1, B: Made}}}
			if conv.HasSkip = rng.IntN(2) == 0; conv.HasSkip {
				c.Taken, c.Steps = 2, nil
			}
			b.add(c, s, from, other)
			return
		}
		op = b.conv()
	case 3, 4:
		if hasOther {
			steps := []Step{{Op: Subtract, A: 1}, {Op: Clip{-2, 2}, A: Made, B: Made}}
			b.add(&Chain{Steps: steps}, s, from, other)
		}
		return
	case 5:
		op = &Shuffle{Factor: 2, Channels: 4, Step: 16}
	case 6:
		op = &Unshuffle{Factor: 2, Channels: 4, Step: 16}
	case 7:
		by, up := Interpolation(rng.IntN(3)), 1+rng.IntN(2)
		op = &Resize{By: by, Up: up, Down: 3 - up, A: -0.75, AlignCorners: rng.IntN(3) == 0}
	case 8:
		op = &Shift{Edges: Edges{rng.IntN(5) - 2, rng.IntN(5) - 2, rng.IntN(5) - 2, rng.IntN(9) - 4},
			Mode: Beyond(rng.IntN(3))}
	}
	if s.H < 6 || s.W < 6 {
		return
	}
	if s = op.Size([]Size{s}); min(s.W, s.H) > 0 && s.W*s.H < 20_000 {
		b.add(op, s, from)
	}
}

// runProgram takes a picture through a program in parts of some rows, and returns the result and the run, which has not
// been closed. It fails if a row is read too early, or not written once.
func runProgram(t *testing.T, p *Program, w, h int, picture []float32, parts ...int) ([]float32, *Run) {
	t.Helper()
	out := p.Sizes(w, h)[p.Nodes[len(p.Nodes)-1].Inputs[0]]
	result, written := make([]float32, out.W*out.H*out.Step), make([]bool, out.H)
	known := 0
	r := p.Start(w, h, func(y int, to *Rows) {
		if y >= known {
			t.Errorf("row %d is read when %d are known", y, known)
		}
		copy(to.FloatRow(y), picture[y*w*3:])
	}, func(y int, row []float32) {
		if written[y] {
			t.Errorf("row %d is written twice", y)
		}
		written[y] = true
		copy(result[y*out.W*out.Step:], row)
	})
	for i := 0; known < h; i++ {
		known = min(known+parts[i%len(parts)], h)
		must.Succeed(t, r.Advance(t.Context(), known, nil))
	}
	if slices.Contains(written, false) || r.Made() != out.H {
		t.Errorf("%d rows of %d are made", r.Made(), out.H)
	}
	return result, r
}

// The rows of a program have the same bits for any division of the picture and any number of workers, and a run takes
// no more memory than is planned for whole passes.
func TestRun(t *testing.T) {
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(seed, 1))
		w, h := 9+rng.IntN(30), 20+rng.IntN(60)
		p, picture := randomProgram(rng, w, h, 24), random(rng, 3*w*h)
		want, r := runProgram(t, p, w, h, picture, h)
		for _, c := range r.classes[:len(p.layout(w, h).classes)] {
			if c.rows != c.peak {
				t.Errorf("program %d: %d rows of %d values, expected %d", seed, c.rows, c.length, c.peak)
			}
		}
		r.Close()
		for workers := 1; workers < 5; workers++ {
			before := runtime.GOMAXPROCS(workers)
			for _, parts := range [][]int{{h}, {1}, {1 + rng.IntN(30), 2, 7}} {
				got, r := runProgram(t, p, w, h, picture, parts...)
				if r.Close(); !slices.Equal(got, want) {
					t.Errorf("program %d: other bits with %d workers and parts of %v rows", seed, workers, parts)
				}
			}
			runtime.GOMAXPROCS(before)
		}
	}
}

// whole is the sum of all rows of the input.
type whole struct{ rowwise }

func (whole) Size(in []Size) Size { return Size{W: in[0].W, H: 1, Step: in[0].Step, Floats: true} }

func (whole) Needs(_, _, h, _ int) (lo, hi int) { return 0, h }

func (whole) Make(t *Task, _, _ int) {
	to := t.Out.FloatRow(0)
	clear(to)
	for y := range t.In[0].H {
		Add.Apply(to, to, t.In[0].FloatRow(y))
	}
}

// An operation that needs all rows of its input gets them, and the memory is known beforehand.
func TestRunOfWholeInput(t *testing.T) {
	p := &Program{Nodes: []Node{{Op: Source{Channels: 3, Floats: true}}, {Op: whole{}, Inputs: []int{0}},
		{Op: &Resize{By: Nearest}, Inputs: []int{1, 0}},
		{Op: &Chain{Steps: []Step{{Op: Add, B: 1}}}, Inputs: []int{0, 2}},
		{Op: Sink{}, Inputs: []int{3}}}}
	const w, h = 5, 90
	picture := random(rand.New(rand.NewPCG(1, 1)), 3*w*h)
	got, r := runProgram(t, p, w, h, picture, 7)
	if r.classes[0].rows > r.classes[0].peak {
		t.Errorf("%d rows, expected %d", r.classes[0].rows, r.classes[0].peak)
	}
	var sums [3 * w]float32
	for i, v := range picture {
		sums[i%len(sums)] += v
	}
	for i, v := range got {
		if v != picture[i]+sums[i%len(sums)] {
			t.Fatalf("value %d is %g, expected %g", i, v, picture[i]+sums[i%len(sums)])
		}
	}
}

// A run ends with the error of its context.
func TestRunEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p := randomProgram(rand.New(rand.NewPCG(1, 1)), 20, 100, 20)
	r := p.Start(20, 100, func(y int, _ *Rows) {
		if y == 50 {
			cancel()
		}
	}, func(int, []float32) {})
	if err := r.Advance(ctx, 100, nil); err != context.Canceled {
		t.Error(err)
	}
}

// A panic of an operation comes to the caller, whoever waits for its rows.
func TestRunPanics(t *testing.T) {
	defer func() {
		if v := recover(); v == nil {
			t.Error("no panic")
		}
	}()
	p := randomProgram(rand.New(rand.NewPCG(1, 1)), 20, 100, 20)
	r := p.Start(20, 100, func(int, *Rows) { panic("no rows") }, func(int, []float32) {})
	_ = r.Advance(t.Context(), 100, nil)
}
