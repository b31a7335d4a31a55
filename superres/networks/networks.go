// Package networks runs networks that other programs trained: it reads their files, rounds them to integers, and
// enlarges pictures with them.
package networks

import (
	"context"
	"errors"
	"fmt"
	"math"

	"superres/internal/lines"
	"superres/superres/networks/graph"
)

// Source is a network as a file holds it.
type Source struct {
	// Name is the base name of the file without its suffix.
	Name string
	// Format is the format of the file: ncnn, onnx, safetensors or pth.
	Format string
	// Architecture is the architecture by name, such as "SRVGGNetCompact 64×32", or the size of an unknown one, such
	// as "42 convolutions, 32 channels".
	Architecture string
	// SHA256 is the hash, in hexadecimal, of the bytes of the file; of an ncnn network, of both files one after
	// another.
	SHA256 string
	// Graph is the network.
	Graph *graph.Graph
}

// ImportVersion is raised when importing the same file gives other integers than before.
const ImportVersion = 5

// Options are the options of Import.
type Options struct {
	// LeastPSNR is the least agreement, in dB, of the integers with float32 that Import accepts; 0: DefaultLeastPSNR;
	// negative: any.
	LeastPSNR float64
	// Memory is the most bytes that the work may take at its peak by its estimate; 0: any.
	Memory int64
}

// DefaultLeastPSNR is the least agreement in dB that Import accepts unless told otherwise.
const DefaultLeastPSNR = 50

// Report says how near the integers are to the network in float32, on synthetic pictures.
type Report struct {
	// PSNR is that of the integers' results against the results of float32, in dB, white being 1; the least over the
	// pictures.
	PSNR float64 `json:"psnr"`
	// Greatest is the greatest difference of a sample, in levels of 255.
	Greatest float64 `json:"greatest"`
	// Ranges are those of the samples of the network's picture and of its result, told or guessed.
	Ranges graph.Ranges `json:"ranges"`
}

// Import rounds a network to integers. It fails if the integers are further from float32 than o allows, and with
// ctx.Err(), and with ErrMemory if that would take more memory than o allows.
func Import(ctx context.Context, s *Source, o Options) (*Stage, Report, error) {
	g, ranges, err := withRanges(ctx, s)
	if err != nil {
		return nil, Report{}, fmt.Errorf("networks: %w", err)
	}
	stage, r, err := roundGraph(ctx, splitOutputs(g.Simplify()), o.Memory)
	if err != nil {
		return nil, Report{}, fmt.Errorf("networks: %w", err)
	}
	r.Ranges = ranges
	least := o.LeastPSNR
	if least == 0 {
		least = DefaultLeastPSNR
	}
	if r.PSNR < least {
		return nil, r, fmt.Errorf("networks: its integers agree with float32 to %.1f dB only, expected %g", r.PSNR,
			least)
	}
	return stage, r, nil
}

// leastAgreement is the least agreement, in dB, of the result for a picture, reduced to its size, with the picture.
// Published networks have 31 dB or more by their own ranges, and up to 15.6 by ranges that differ from them.
const leastAgreement = 15

// withRanges returns the graph of s, checked, and its ranges, which files of ncnn and ONNX do not tell. It fails for a
// network whose result is nothing like the picture by any ranges.
func withRanges(ctx context.Context, s *Source) (*graph.Graph, graph.Ranges, error) {
	if err := s.Graph.Check(); err != nil || s.Format != "ncnn" && s.Format != "onnx" {
		span := graph.Span{White: s.Graph.Range}
		return s.Graph, graph.Ranges{In: span, Out: span}, err
	}
	side := 24 * s.Graph.Measure().Multiple
	picture := renderCloudy(5, side, s.Graph.Nodes[0].Op.(graph.Input).Channels)
	r, agreement, err := s.Graph.GuessRanges(ctx, picture.samples(1))
	if err == nil && agreement < leastAgreement {
		err = fmt.Errorf("the result is not the picture enlarged: with samples of 0..1, 0..255 or −1..1 in and out it "+
			"agrees with the picture to %.1f dB at most, expected %d; is this a network for something else?", agreement,
			leastAgreement)
	}
	if err != nil {
		return nil, r, err
	}
	g := s.Graph.WithRanges(r)
	return g, r, g.Check()
}

// A network is rounded by ordinaryChoices first, a deep one by quickChoices. Where it then differs from float32 by too
// much, in ordinary pictures or in extreme ones, in which some networks have values a hundred times as large, it is
// computed in parts, which takes three times as long; and with wideChoices if that leaves too little room for extreme
// pictures.
var (
	ordinaryChoices = choices{coarse: 2, tiled: 0.6}
	partsChoices    = choices{inParts: true, room: 2}
	wideChoices     = choices{inParts: true, room: 8}
	// quickChoices are for networks of more than mostMACs products a pixel, which are deep, and whose small residuals
	// leave precision to spare.
	quickChoices = choices{coarse: 2, tiled: 1.2, alone: true}
)

// Two results differ by little enough with so many dB, for ordinary and for extreme pictures, and so many levels.
const (
	enoughOrdinary = 63
	enoughExtreme  = 55
	fewLevels      = 1.5
	mostMACs       = 2e6
)

// roundGraph returns a simplified graph in integers. It fails with ErrMemory if a try would take more than memory
// bytes, unless that is 0.
func roundGraph(ctx context.Context, g *graph.Graph, memory int64) (*Stage, Report, error) {
	t := newTrials(g)
	t.memory = memory
	tries := []choices{ordinaryChoices, partsChoices, wideChoices}
	if g.Measure().MACs > mostMACs {
		tries = append([]choices{quickChoices}, tries...)
	}
	s, r, extreme, err := t.round(ctx, tries[0])
	for _, by := range tries[1:] {
		if err != nil || r.PSNR >= enoughOrdinary && r.Greatest <= fewLevels && extreme >= enoughExtreme {
			break
		}
		next, found, gained, failed := t.round(ctx, by)
		if failed == nil && found.PSNR >= min(r.PSNR, enoughOrdinary) {
			s, r, extreme = next, found, gained
		}
		if err = ctx.Err(); errors.Is(failed, ErrMemory) {
			err = failed
		}
	}
	return s, r, err
}

// trials are the pictures with which a graph is rounded, and those with which the result is compared with float32.
type trials struct {
	graph    *graph.Graph
	rounding []*lines.Rows
	compared []levels
	results  []graph.Samples // of the graph, for those that have been compared
	memory   int64           // that a try may take in bytes; 0: any
}

func newTrials(g *graph.Graph) *trials {
	side, channels := sideFor(g.Measure()), g.Nodes[0].Op.(graph.Input).Channels
	t := &trials{graph: g, compared: renderPictures(2, 6, side, channels)}
	for _, p := range renderPictures(1, 12, side, channels) {
		t.rounding = append(t.rounding, p.rows())
	}
	return t
}

// round returns the graph in integers by some choices, how near it is to float32, and the PSNR of extreme pictures.
func (t *trials) round(ctx context.Context, by choices) (s *Stage, r Report, extreme float64, err error) {
	by.memory = t.memory
	made, err := compile(ctx, t.graph, t.rounding, by)
	if err != nil {
		return nil, r, 0, err
	}
	m := t.graph.Measure()
	s = &Stage{spec: *made, params: params{Scale: m.Scale, Multiple: m.Multiple, Reach: t.graph.Reach()}}
	if err = s.build(); err != nil {
		return nil, r, 0, err
	}
	r, extreme, err = t.compare(ctx, s)
	return s, r, extreme, err
}

// result returns the result of the graph for picture i of those that are compared, in order.
func (t *trials) result(ctx context.Context, i int) (graph.Samples, error) {
	if i == len(t.results) {
		found, err := t.graph.Eval(ctx, t.compared[i].samples(t.graph.Range))
		if err != nil {
			return found, err
		}
		t.results = append(t.results, found)
	}
	return t.results[i], nil
}

// sideFor returns the side of the pictures with which a network is imported: some thousand products for each of their
// pixels would take long.
func sideFor(m graph.Measure) int {
	side := 96
	for side > 48 && float64(side*side)*m.MACs > 40e9 {
		side -= 16
	}
	return (side + m.Multiple - 1) / m.Multiple * m.Multiple
}

// compare returns how near the results of s are to those of the graph for ordinary pictures, and the PSNR for others.
func (t *trials) compare(ctx context.Context, s *Stage) (r Report, extreme float64, err error) {
	r.PSNR, extreme = math.Inf(1), math.Inf(1)
	for i, p := range t.compared {
		want, err := t.result(ctx, i)
		if err != nil {
			return r, extreme, err
		}
		in := p.rows()
		got := make([]float32, len(want.Values))
		read := func(y int, to []int16) { copy(to, in.Row(y)) }
		write := func(y int, row []float32) { copy(got[y*want.W*want.Channels:], row) }
		run := s.program.Start(p.w, p.h, read, write)
		if err := run.Advance(ctx, p.h); err != nil {
			return r, extreme, err
		}
		run.Close()
		sum, greatest := 0., 0.
		for i, v := range got {
			d := float64(min(max(v, 0), 1) - min(max(want.Values[i]/t.graph.Range, 0), 1))
			sum += float64(d * d)
			greatest = max(greatest, 255*math.Abs(d))
		}
		psnr := -10 * math.Log10(sum/float64(len(got)))
		if isOrdinary(i) {
			r.PSNR, r.Greatest = min(r.PSNR, psnr), max(r.Greatest, greatest)
		} else {
			extreme = min(extreme, psnr)
		}
	}
	return r, extreme, nil
}
