// Package networks runs networks that other programs trained. It reads their files, translates each network into a
// program of package lines, which computes rows of float32, and enlarges pictures with that program.
package networks

import (
	"context"
	"fmt"
	"strings"

	"superres/superres/networks/graph"
)

// Source is a network as its file holds it.
type Source struct {
	// Name is the base name of the file without its suffix.
	Name string
	// Format is the format of the file: ncnn, onnx, keras, safetensors or pth.
	Format string
	// Architecture is the name of the architecture, such as "SRVGGNetCompact 64×32", or, if it is unknown, the size of
	// the network, such as "42 convolutions, 32 channels".
	Architecture string
	// SHA256 is the hash, in hexadecimal, of the bytes of the file; for ncnn, of its two files, one after the other.
	SHA256 string
	// Graph is the network.
	Graph *graph.Graph
}

// leastAgreement is the least PSNR, in dB, that Import accepts between a picture and the network's result reduced to
// its size. Published networks reach 31 dB or more with the right ranges of samples, at most 15.6 with wrong ones.
const leastAgreement = 15

// Import returns a network that enlarges as s does. Files of ncnn, ONNX and Keras, and weights of RLFN, do not state
// the ranges of the samples: Import guesses them by running the network on a picture that it generates. It fails if
// the result resembles the picture with none of the ranges. It fails with ctx.Err() if ctx ends, and with ErrMemory
// if it would take more than memory bytes; 0 means no limit.
func Import(ctx context.Context, s *Source, memory int64) (*Stage, error) {
	n, err := importGraph(ctx, s, memory)
	if err != nil {
		return nil, fmt.Errorf("networks: %w", err)
	}
	return n, nil
}

// importGraph returns the Stage of s. Unless the file tells the ranges of samples, importGraph guesses and checks them.
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
	const seed, leastSide = 5, 24 // of the picture
	side := n.padded(leastSide)
	if err := enough(memory, n.importMemory(side)); err != nil {
		return nil, err
	}
	picture := renderCloudy(seed, side, n.Channels())
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
