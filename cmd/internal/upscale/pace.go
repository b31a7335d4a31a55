package upscale

import "time"

// pace estimates how far a batch is, by the bytes of the inputs.
type pace struct {
	weights, shares []float64 // of each picture; shares are made
	made, whole     float64
	began           time.Time
}

// newPace begins to estimate. weights are the bytes of the inputs.
func newPace(weights []int64) *pace {
	p := &pace{began: time.Now(), shares: make([]float64, len(weights))}
	for _, bytes := range weights {
		// The work on a small file is mostly not its bytes.
		p.weights = append(p.weights, float64(bytes)+1<<12)
		p.whole += float64(bytes) + 1<<12
	}
	return p
}

// set says what share of picture i is done.
func (p *pace) set(i int, share float64) {
	p.made += p.weights[i] * (share - p.shares[i])
	p.shares[i] = share
}

// share of the whole work that is done.
func (p *pace) share() float64 { return p.made / p.whole }

// remaining is how long the rest will take at this pace.
func (p *pace) remaining() time.Duration {
	rest := max((p.whole-p.made)/p.made, 0)
	return time.Duration(rest * float64(time.Since(p.began))).Round(time.Second)
}
