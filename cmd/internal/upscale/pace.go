package upscale

import (
	"time"

	"superres/cmd/internal/console"
)

// pace estimates the progress of a batch from the sizes of the input files in bytes.
type pace struct {
	weights, shares []float64 // of each picture: its work, and the share of the work that is done, 0 to 1
	made, whole     float64   // sums of weights: of the work done, and of all work
	began           time.Time
}

// newPace begins an estimate. weights are the sizes of the input files in bytes.
func newPace(weights []int64) *pace {
	p := &pace{began: time.Now(), shares: make([]float64, len(weights))}
	for _, bytes := range weights {
		// A small file takes longer than its size tells.
		p.weights = append(p.weights, float64(bytes)+1<<12)
		p.whole += float64(bytes) + 1<<12
	}
	return p
}

// set records that share, 0 to 1, of picture i is done.
func (p *pace) set(i int, share float64) {
	p.made += p.weights[i] * (share - p.shares[i])
	p.shares[i] = share
}

// share returns the share of all work that is done, 0 to 1.
func (p *pace) share() float64 { return p.made / p.whole }

// remaining returns how long the rest takes at the pace so far, as text to end a line: ", about 40 s left". It returns
// "" if nothing is left.
func (p *pace) remaining() string {
	const rounding = 1e-9
	rest := (p.whole - p.made) / p.made
	if rest < rounding {
		return ""
	}
	return ", " + console.Remaining(time.Duration(rest*float64(time.Since(p.began))))
}
