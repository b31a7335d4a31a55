package upscale

import "time"

// pace estimates how far a batch is, by the bytes of the inputs.
type pace struct {
	weights, shares []float64 // of each picture; shares are done
	done, all       float64
	began           time.Time
}

func newPace(jobs []job) *pace {
	p := &pace{began: time.Now(), shares: make([]float64, len(jobs))}
	for _, j := range jobs {
		// The work on a small file is mostly not its bytes.
		p.weights = append(p.weights, float64(j.bytes)+1<<12)
		p.all += float64(j.bytes) + 1<<12
	}
	return p
}

// set says what share of picture i is done.
func (p *pace) set(i int, share float64) {
	p.done += p.weights[i] * (share - p.shares[i])
	p.shares[i] = share
}

// share of the whole work that is done.
func (p *pace) share() float64 { return p.done / p.all }

// left is how long the rest will take at this pace.
func (p *pace) left() time.Duration {
	rest := max((p.all-p.done)/p.done, 0)
	return time.Duration(rest * float64(time.Since(p.began))).Round(time.Second)
}
