package learning

// A channel that is near 0 on every picture is lost: what it costs is spent on nothing, and
// little or no gradient brings it back. A rate that is too high does that to many.

// near is what a channel stays below that carries nothing, of the greatest sample of its
// layer.
const near = 1e-3

// peaks sets to, a number for each channel of all layers but the last, to the greatest
// samples of the pass.
func (p *pass) peaks(to []float32) {
	clear(to)
	for i, s := range p.shapes[:len(p.shapes)-1] {
		for at, v := range p.after[i] {
			if v < 0 {
				v = -v
			}
			to[at%s.wide] = max(to[at%s.wide], v)
		}
		to = to[s.wide:]
	}
}

// countSilent returns how many channels carry nothing in any of the patches whose peaks are
// given.
func countSilent(shapes []shape, peaks [][]float32) (count int) {
	at := 0
	for _, s := range shapes[:len(shapes)-1] {
		greatest := make([]float32, s.wide)
		all := float32(0)
		for _, of := range peaks {
			for o, v := range of[at:][:s.wide] {
				greatest[o] = max(greatest[o], v)
				all = max(all, v)
			}
		}
		for _, v := range greatest {
			if v <= near*all {
				count++
			}
		}
		at += s.wide
	}
	return count
}
