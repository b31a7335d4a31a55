// Package networks runs networks that other programs trained: it reads their files, makes programs of rows of float32
// of them, and enlarges pictures with these.
package networks

import (
	"context"
	"fmt"
	"strings"

	"superres/superres/networks/graph"
)

// Source is a network as a file holds it.
type Source struct {
	// Name is the base name of the file without its suffix.
	Name string
	// Format is the format of the file: ncnn, onnx, keras, safetensors or pth.
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

// leastAgreement is the least agreement, in dB, of the result for a picture, reduced to its size, with the picture.
// Published networks have 31 dB or more by their own ranges, and up to 15.6 by ranges that differ from them.
const leastAgreement = 15

// Import returns a network that enlarges as s does. Files of ncnn, ONNX and Keras, and RLFN's, do not tell the ranges
// of samples, so that it runs the network on a picture of its own. It fails for a network whose result is nothing like
// the picture by any ranges, with ctx.Err(), and with ErrMemory if that would take more than memory bytes, unless that
// is 0.
func Import(ctx context.Context, s *Source, memory int64) (*Stage, error) {
	n, err := importGraph(ctx, s, memory)
	if err != nil {
		return nil, fmt.Errorf("networks: %w", err)
	}
	return n, nil
}

func importGraph(ctx context.Context, s *Source, memory int64) (*Stage, error) {
	if err := s.Graph.Check(); err != nil {
		return nil, err
	}
	span := graph.Span{White: s.Graph.Range}
	n, err := newStage(s.Graph.Simplify(), graph.Ranges{In: span, Out: span}, memory)
	isTold := (s.Format == "safetensors" || s.Format == "pth") && !strings.HasPrefix(s.Architecture, "RLFN")
	if err != nil || isTold {
		return n, err
	}
	side := n.padded(24)
	if err := enough(memory, n.importMemory(side)); err != nil {
		return nil, err
	}
	picture := renderCloudy(5, side, n.Channels())
	shape, agreement := picture.Shape, 0.
	shape.W, shape.H = side*n.Scale(), side*n.Scale()
	n.ranges, agreement, err = n.graph.GuessRanges(picture, func(in graph.Span) (graph.Samples, error) {
		return n.compute(ctx, picture, in, shape)
	})
	if err == nil && agreement < leastAgreement {
		err = fmt.Errorf("the result is not the picture enlarged: with samples of 0..1, 0..255 or −1..1 in and out it "+
			"agrees with the picture to %.1f dB at most, expected %d; is this a network for something else?", agreement,
			leastAgreement)
	}
	return n, err
}
