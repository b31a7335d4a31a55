package networks

import (
	"errors"
	"fmt"

	"superres/internal/usage"
	"superres/superres/networks/graph"
)

// ErrMemory is the error of Open and Import that would take more memory than they may.
var ErrMemory = errors.New("too little memory")

// programMemory is the memory of a program beside what an import takes, in bytes.
const programMemory = 36 << 20

// readingMemory returns an estimate of the memory, in bytes, of a program that reads a network of files of the given
// size: their bytes, the weights in float32, and what is made of the names and lists that repeat in them, which is
// bounded by the size of the files.
func readingMemory(bytes int64) int64 { return programMemory + 4*bytes }

// roundingMemory returns an estimate of the memory, in bytes, of a program that rounds a simplified graph: of the
// weights in float32, float64 and integers, and of the samples of all pictures, in parts or not. A graph that takes no
// such picture, which is an error that rounding reports, takes none.
func roundingMemory(g *graph.Graph, inParts bool) int64 {
	const (
		weightBytes = 40
		wholeBytes  = 60  // a sample: of 12 pictures in 16 bits, and of what is tried beside the samples that are kept
		partsBytes  = 320 // a sample in parts, and in float32
	)
	sampleBytes := int64(wholeBytes)
	if inParts {
		sampleBytes = partsBytes
	}
	side := sideFor(g.Measure())
	samples, err := g.PeakSamples(side, side)
	if err != nil {
		return 0
	}
	return programMemory + weightBytes*int64(g.Parameters()) + sampleBytes*int64(samples)
}

// enough fails with ErrMemory if need is more than memory bytes, unless that is 0.
func enough(memory, need int64) error {
	if memory == 0 || need <= memory {
		return nil
	}
	return fmt.Errorf("%w: importing the network needs %s, the limit is %s", ErrMemory, usage.Bytes(need),
		usage.Bytes(memory))
}
