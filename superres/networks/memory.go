package networks

import (
	"errors"
	"fmt"

	"superres/internal/kernel"
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

// packedBytes returns an estimate of the bytes of the filters of a graph.
func packedBytes(g *graph.Graph) (bytes int64) {
	for _, n := range g.Nodes {
		c, ok := n.Op.(graph.Conv)
		if !ok {
			continue
		}
		taps := int64(c.Height * c.Width)
		inputs := int64(len(c.Weight)) / int64(c.Out) / taps
		if taps == 9 {
			taps = 36 // tiles
		}
		bytes += 4 * int64(kernel.PadTo(c.Out, kernel.Lanes)) * inputs * taps
	}
	return bytes
}

// importMemory returns an estimate of the memory, in bytes, of a program that runs s on a picture of side×side samples.
func (s *Stage) importMemory(side int) int64 {
	fixed, working := s.Memory(side, side)
	return programMemory + fixed + working
}

// enough fails with ErrMemory if need is more than memory bytes, unless that is 0.
func enough(memory, need int64) error {
	if memory == 0 || need <= memory {
		return nil
	}
	return fmt.Errorf("%w: importing the network needs %s, the limit is %s", ErrMemory, usage.Bytes(need),
		usage.Bytes(memory))
}
