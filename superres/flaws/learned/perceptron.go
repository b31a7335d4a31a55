package learned

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Perceptron is a small network that estimates something about a picture from its traits: a layer of hidden units,
// clipped to ±1, and a layer of outputs. It computes in integers, so that all machines agree.
type Perceptron struct {
	// Least and Most are the limits to which each trait is clipped.
	Least, Most []int32
	// First holds a weight of each trait for each hidden unit, and FirstBias a constant, in steps of 2⁻²⁰.
	First     [][]int32
	FirstBias []int32
	// Second has a weight of each hidden unit for each output, in steps of 2⁻¹², SecondBias a constant, in 2⁻²⁴.
	Second     [][]int32
	SecondBias []int32
}

const (
	firstBits  = 20
	secondBits = 12
)

// NewPerceptron returns a perceptron with these numbers of traits, hidden units and outputs, and with weights of 0.
func NewPerceptron(traits, hidden, outputs int) *Perceptron {
	vector := func(n int) []int32 { return make([]int32, n) }
	p := &Perceptron{Least: vector(traits), Most: vector(traits), First: make([][]int32, hidden),
		FirstBias: vector(hidden), Second: make([][]int32, outputs), SecondBias: vector(outputs)}
	for i := range p.First {
		p.First[i] = vector(traits)
	}
	for i := range p.Second {
		p.Second[i] = vector(hidden)
	}
	return p
}

// Outputs returns the outputs of p for a picture with the given traits, in steps of 2⁻²⁴.
func (p *Perceptron) Outputs(traits []int32) []int64 {
	seen, out := make([]int64, len(p.Least)), make([]int64, len(p.Second))
	for i := range seen {
		seen[i] = int64(min(max(traits[i], p.Least[i]), p.Most[i]))
	}
	for i, b := range p.SecondBias {
		out[i] = int64(b)
	}
	for h, weights := range p.First {
		sum := int64(p.FirstBias[h])
		for i, w := range weights {
			sum += int64(w) * seen[i]
		}
		sum = min(max(sum, -1<<firstBits), 1<<firstBits) >> (firstBits - secondBits) // clipped to ±1, in steps of 2⁻¹²
		for i := range out {
			out[i] += int64(p.Second[i][h]) * sum
		}
	}
	return out
}

// vectors returns all vectors of numbers of p, in the order of its files.
func (p *Perceptron) vectors() (all [][]int32) {
	all = append(append(all, p.Least, p.Most), p.First...)
	return append(append(append(all, p.FirstBias), p.Second...), p.SecondBias)
}

// Write writes the number of traits, hidden units and outputs of p, and then all vectors, as little-endian int32.
func (p *Perceptron) Write(w io.Writer) error {
	header := [3]int32{int32(len(p.Least)), int32(len(p.First)), int32(len(p.Second))}
	err := binary.Write(w, binary.LittleEndian, header)
	for _, v := range p.vectors() {
		err = errors.Join(err, binary.Write(w, binary.LittleEndian, v))
	}
	return err
}

// ReadPerceptron reads what Write wrote. It fails if the file is too short, or one of the three sizes is not 1 to 2¹².
func ReadPerceptron(r io.Reader) (*Perceptron, error) {
	var header [3]int32
	if err := binary.Read(r, binary.LittleEndian, &header); err != nil {
		return nil, err
	}
	for _, n := range header {
		if n < 1 || n > 1<<12 {
			return nil, fmt.Errorf("learned: a perceptron of %v numbers", header)
		}
	}
	p := NewPerceptron(int(header[0]), int(header[1]), int(header[2])) // traits, hidden units, outputs
	for _, v := range p.vectors() {
		if err := binary.Read(r, binary.LittleEndian, v); err != nil {
			return nil, err
		}
	}
	return p, nil
}
