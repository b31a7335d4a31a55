package networks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"

	"superres/internal/kernel"
	"superres/internal/lines"
	"superres/superres/networks/graph"
	"superres/superres/stage"
)

// kind is the name under which Stage is registered.
const kind = "network"

func init() {
	stage.RegisterNetwork(kind, load)
	stage.RegisterNetwork("imported", func(int, json.RawMessage, *stage.Arrays) (stage.Network, error) {
		return nil, errors.New("an older superres imported this network, in integers; add its file once more, by " +
			"superres models add")
	})
}

// Stage is a network of another program. It implements stage.Network, and is registered as the kind "network".
type Stage struct {
	graph   *graph.Graph // simplified
	ranges  graph.Ranges
	measure graph.Measure
	program *lines.Program
	result  value // the output of program
	reach   int
	least   int   // side of the smallest picture that the graph takes
	fixed   int64 // bytes of the weights, as read and packed
	scratch int64 // bytes of working memory of each worker
}

// saved is the description of a Stage in a model file, which stores its numbers separately.
type saved struct {
	In      graph.Span    `json:"in"`
	Out     graph.Span    `json:"out"`
	Numbers int           `json:"numbers"`
	Nodes   []graph.Saved `json:"nodes"`
}

func (s *Stage) Save(a *stage.Arrays) any {
	nodes, numbers := s.graph.Save()
	if len(numbers) > 0 {
		stage.Put(a, "numbers", 1, numbers)
	}
	return saved{In: s.ranges.In, Out: s.ranges.Out, Numbers: len(numbers), Nodes: nodes}
}

// load restores a saved Stage. It is the stage.NetworkLoader of this kind.
func load(_ int, data json.RawMessage, a *stage.Arrays) (stage.Network, error) {
	var p saved
	if err := stage.Unmarshal(data, &p); err != nil {
		return nil, err
	}
	if p.Numbers < 0 || p.Numbers > graph.MaxWeights {
		return nil, fmt.Errorf("%d numbers, expected at most %d", p.Numbers, graph.MaxWeights)
	}
	for _, s := range []graph.Span{p.In, p.Out} {
		if s != graph.Unit && s != graph.Bytes && s != graph.Signed {
			return nil, fmt.Errorf("samples of %v, expected 0..1, 0..255 or −1..1", s)
		}
	}
	var numbers []float32
	if p.Numbers > 0 {
		var err error
		if numbers, err = stage.Get[float32](a, "numbers", 1, p.Numbers); err != nil {
			return nil, err
		}
	}
	g, err := graph.Load(p.Nodes, numbers)
	if err != nil {
		return nil, err
	}
	if err := a.Reserve(packedBytes(g)); err != nil {
		return nil, err
	}
	return newStage(g, graph.Ranges{In: p.In, Out: p.Out}, 0) // 0: Reserve has checked the memory
}

// newStage returns the Stage of a graph that Check accepts; ErrMemory if it would take over memory bytes (0: no limit).
func newStage(g *graph.Graph, r graph.Ranges, memory int64) (*Stage, error) {
	s := &Stage{graph: g, ranges: r, measure: g.Measure()}
	s.fixed = 4*int64(g.Parameters()) + packedBytes(g)
	if s.fixed > stage.NetworkBudget {
		return nil, fmt.Errorf("its weights take %d bytes, expected at most %d", s.fixed, stage.NetworkBudget)
	}
	if err := enough(memory, programMemory+s.fixed); err != nil {
		return nil, err
	}
	m := s.measure.Multiple           // which must divide the sides
	for s.least = m; ; s.least += m { // ends, as Measure has found sides that the graph takes
		if _, err := g.Shapes(s.least, s.least); err == nil {
			break
		}
	}
	b, result, err := build(g)
	if err != nil {
		return nil, err
	}
	s.program, s.result, s.scratch = b.program, result, kernel.FloatWorkBytes(b.most)
	s.reach = reachOf(s.program, s.measure.Scale, stage.Alignment)
	return s, nil
}

// Ranges returns the ranges of the network's samples, known from the file or guessed by Import.
func (s *Stage) Ranges() graph.Ranges { return s.ranges }

func (s *Stage) Kind() string  { return kind }
func (s *Stage) Scale() int    { return s.measure.Scale }
func (s *Stage) Channels() int { return s.graph.Nodes[0].Op.(graph.Input).Channels }
func (s *Stage) Reach() int    { return s.reach }

func (s *Stage) Memory(w, h int) (fixed, working int64) {
	working = int64(runtime.GOMAXPROCS(0)) * s.scratch
	return s.fixed, working + s.program.Memory(s.padded(w), s.padded(h))
}

// padded returns the smallest side of a picture that the graph takes and that is not less than side.
func (s *Stage) padded(side int) int {
	m := s.measure.Multiple
	return max(s.least, (side+m-1)/m*m)
}

// compute runs the network on a picture of samples from 0 to 1, which it converts to the given span, and returns the
// result as the network computes it, in the given shape. The graph must take pictures of this size.
func (s *Stage) compute(ctx context.Context, picture graph.Samples, in graph.Span, shape graph.Shape) (graph.Samples,
	error) {
	out := graph.NewSamples(shape)
	run := s.program.Start(picture.W, picture.H, func(y int, to *lines.Rows) {
		for i, v := range picture.Row(y) {
			to.FloatRow(y)[i] = in.Black + float32(v*(in.White-in.Black))
		}
	}, func(y int, row []float32) {
		for x := range out.W {
			copy(out.At(x, y), row[x*s.result.step:]) // a pixel of row may have padding
		}
	})
	if err := run.Advance(ctx, picture.H, nil); err != nil {
		return out, err // the memory of run is in an undefined state
	}
	run.Close()
	return out, nil
}
