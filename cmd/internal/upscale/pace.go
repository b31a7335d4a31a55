package upscale

import (
	"time"

	"superres/cmd/internal/console"
)

// pace estimates how far a batch has come, assuming that the work on a picture grows with the size of its file.
type pace struct {
	weights, shares []float64 // for each picture, its work, and the share of this work that is done, 0 to 1
	made, whole     float64   // work done in all, Σ weight·share, and work of all pictures, Σ weight
	began           time.Time
}

// newPace returns a pace whose clock starts now. weights are the sizes of the input files in bytes.
func newPace(weights []int64) *pace {
	p := &pace{began: time.Now(), shares: make([]float64, len(weights))}
	for _, bytes := range weights {
		// 4096 more for each, as a small file takes longer than its size suggests.
		p.weights = append(p.weights, float64(bytes)+1<<12)
		p.whole += float64(bytes) + 1<<12
	}
	return p
}

// set records share, 0 to 1, as the share of the work on picture i that is done.
func (p *pace) set(i int, share float64) {
	p.made += p.weights[i] * (share - p.shares[i])
	p.shares[i] = share
}

func (p *pace) share() float64 { return p.made / p.whole }

// remaining returns ", about 40 s left" or the like, to end a line, by the mean speed so far, or "" if nothing is left.
// At least one picture must have ended.
func (p *pace) remaining() string {
	const rounding = 1e-9 // p.made may differ from p.whole by this part at the end
	rest := (p.whole - p.made) / p.made
	if rest < rounding {
		return ""
	}
	return ", " + console.Remaining(time.Duration(rest*float64(time.Since(p.began))))
}
