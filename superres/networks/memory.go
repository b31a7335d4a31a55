package networks

import (
	"errors"
	"fmt"

	"superres/internal/kernel"
	"superres/internal/usage"
	"superres/superres/networks/graph"
)

// ErrMemory is the error of Open and Import if they would take more memory than their caller allows.
var ErrMemory = errors.New("too little memory")

// programMemory is an estimate of the bytes that a program takes before it imports a network.
const programMemory = 36 << 20

// readingMemory returns an estimate of the bytes that a program takes while it reads a network from files of the given
// total size: their contents, the weights in float32, and names and lists, which the size of the files bounds.
func readingMemory(bytes int64) int64 { return programMemory + 4*bytes }

// packedBytes estimates the bytes that the filters of a graph take when packed: in float32, padded to whole vectors.
func packedBytes(g *graph.Graph) (bytes int64) {
	for _, n := range g.Nodes {
		c, ok := n.Op.(graph.Conv)
		if !ok {
			continue
		}
		taps := int64(c.Height * c.Width)
		inputs := int64(len(c.Weight)) / int64(c.Out) / taps
		if taps == 9 {
			taps = 36 // 6×6 values for Winograd's tiles
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

// enough fails with ErrMemory if need is more than memory, both in bytes, unless memory is 0.
func enough(memory, need int64) error {
	if memory == 0 || need <= memory {
		return nil
	}
	return fmt.Errorf("%w: importing the network needs %s, the limit is %s", ErrMemory, usage.Bytes(need),
		usage.Bytes(memory))
}
