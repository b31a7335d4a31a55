package learning

import (
	"math"
	"math/rand/v2"

	"superres/internal/elementary"
	"superres/internal/parallel"
	"superres/superres/flaws/learned"
)

// fitting holds the parameters of learning a perceptron.
type fitting struct {
	steps, batch int
	rate, decay  float64
	noise        float64  // deviation of the noise that is added to standardised traits
	hidden       int      // hidden units of each member, see members; a multiple of 4
	seeds        []uint64 // each gives the random starts of four members
}

var (
	judgeFitting = fitting{steps: 24_000, batch: 64, rate: 3e-3, decay: 0.05, noise: 0.2, hidden: 32,
		seeds: []uint64{7}}
	strengthFitting = fitting{steps: 20_000, batch: 64, rate: 3e-3, decay: 0.05, noise: 0.1, hidden: 32,
		seeds: []uint64{7, 11}}
	correctionFitting = fitting{steps: 20_000, batch: 256, rate: 3e-3, decay: 0.005, noise: 0.1, hidden: 64,
		seeds: []uint64{3, 5}}
)

// lesson is what a perceptron learns: the traits of each sample, and the outputs before learning. slopes sets slope to
// the derivatives of the loss of a sample with respect to the outputs.
type lesson struct {
	traits [][]int32
	start  []float64
	slopes func(sample int, outputs, slope []float64)
}

// parameters are the numbers of the network in float64: see learned.Perceptron. Traits are standardised.
type parameters struct {
	first      []float64 // hidden × traits
	firstBias  []float64
	second     []float64 // outputs × hidden
	secondBias []float64
}

func newParameters(traits, hidden, outputs int) parameters {
	make := func(n int) []float64 { return make([]float64, n) }
	return parameters{make(hidden * traits), make(hidden), make(outputs * hidden), make(outputs)}
}

func (p parameters) slices() [4][]float64 {
	return [4][]float64{p.first, p.firstBias, p.second, p.secondBias}
}

// members is the number of networks for each seed, learned from different random starts, that form a perceptron: its
// hidden units are the units of all networks, its outputs the means of their outputs. Networks differ most where they
// are wrong.
const members = 4

// A trait is clipped to its mean plus or minus this many standard deviations.
const deviations = 4

// leak is the slope of a hidden unit beyond ±1 in learning, so that the unit can come back.
const leak = 0.05

// fit returns a perceptron that has learned l.
func (o fitting) fit(l lesson) *learned.Perceptron {
	mean, deviation := standardise(l.traits)
	found := make([]parameters, members*len(o.seeds))
	p := learned.NewPerceptron(len(mean), len(found)*o.hidden, len(l.start))
	for i := range mean {
		p.Least[i] = whole(mean[i] - deviations*deviation[i])
		p.Most[i] = whole(mean[i] + deviations*deviation[i])
	}
	parallel.Indices(len(found), func(i int) {
		found[i] = o.learn(l, mean, deviation, rand.New(rand.NewPCG(o.seeds[i/members], uint64(i%members))))
	})
	for i, member := range found {
		member.addTo(p, i, len(found), mean, deviation)
	}
	return p
}

// learn returns a member of a perceptron that has learned l. mean and deviation are of the traits.
//
// It uses Adam with a learning rate that falls as a cosine does, and adds noise to the traits in place of more samples.
func (o fitting) learn(l lesson, mean, deviation []float64, rng *rand.Rand) parameters {
	traits, outputs := len(mean), len(l.start)
	make := func() parameters { return newParameters(traits, o.hidden, outputs) }
	p, gradient, m, v := make(), make(), make(), make()
	for i := range p.first {
		p.first[i] = rng.NormFloat64() / math.Sqrt(float64(traits))
	}
	for i := range p.second {
		p.second[i] = 0.1 * rng.NormFloat64()
	}
	copy(p.secondBias, l.start)
	scratch := newParameters(traits, o.hidden, outputs)
	x, hidden, inside, back := scratch.first[:traits], scratch.firstBias, scratch.first[traits:][:o.hidden],
		scratch.first[traits+o.hidden:][:o.hidden]
	out, slope := scratch.secondBias, scratch.second[:outputs]
	for step := 1; step <= o.steps; step++ {
		for _, g := range gradient.slices() {
			clear(g)
		}
		for range o.batch {
			sample := rng.IntN(len(l.traits))
			for i, t := range l.traits[sample] {
				x[i] = min(max((float64(t)-mean[i])/deviation[i], -deviations), deviations) + o.noise*rng.NormFloat64()
			}
			copy(hidden, p.firstBias)
			for h := 0; h < o.hidden; h += 4 { // four sums at once, as an addition waits for the one before it
				a, b := p.first[h*traits:][:len(x)], p.first[(h+1)*traits:][:len(x)]
				c, d := p.first[(h+2)*traits:][:len(x)], p.first[(h+3)*traits:][:len(x)]
				s, t, u, v := hidden[h], hidden[h+1], hidden[h+2], hidden[h+3]
				for i, trait := range x {
					s, t = s+float64(a[i]*trait), t+float64(b[i]*trait)
					u, v = u+float64(c[i]*trait), v+float64(d[i]*trait)
				}
				hidden[h], hidden[h+1], hidden[h+2], hidden[h+3] = s, t, u, v
			}
			for h, sum := range hidden {
				hidden[h], inside[h] = min(max(sum, -1), 1), 1
				if sum != hidden[h] {
					inside[h] = leak
				}
			}
			for k := range out {
				out[k] = p.secondBias[k]
				for h, w := range p.second[k*o.hidden:][:o.hidden] {
					out[k] += w * hidden[h]
				}
			}
			l.slopes(sample, out, slope)
			clear(back)
			for k, d := range slope {
				d /= float64(o.batch)
				gradient.secondBias[k] += d
				for h := range hidden {
					gradient.second[k*o.hidden+h] += d * hidden[h]
					back[h] += d * p.second[k*o.hidden+h]
				}
			}
			for h, d := range back {
				d *= inside[h]
				gradient.firstBias[h] += d
				for i, t := range x {
					gradient.first[h*traits+i] += d * t
				}
			}
		}
		rate := o.rate * 0.5 * (1 + elementary.Cos(math.Pi*float64(step)/float64(o.steps)))
		grown, grownSquare := 1-elementary.Pow(0.9, float64(step)), 1-elementary.Pow(0.999, float64(step))
		for k, now := range p.slices() {
			g, m, v := gradient.slices()[k], m.slices()[k], v.slices()[k]
			for i := range now {
				m[i] = 0.9*m[i] + 0.1*g[i]
				v[i] = 0.999*v[i] + 0.001*g[i]*g[i]
				now[i] -= rate * m[i] / grown / (math.Sqrt(v[i]/grownSquare) + 1e-8)
				if k%2 == 0 {
					now[i] -= rate * o.decay * now[i]
				}
			}
		}
	}
	return p
}

// standardise returns the mean of each trait over samples, and its standard deviation plus 1, in steps of traits.
func standardise(samples [][]int32) (mean, deviation []float64) {
	n := float64(len(samples))
	mean, deviation = make([]float64, len(samples[0])), make([]float64, len(samples[0]))
	for _, s := range samples {
		for i, t := range s {
			mean[i] += float64(t) / n
		}
	}
	for _, s := range samples {
		for i, t := range s {
			d := float64(t) - mean[i]
			deviation[i] += d * d / n
		}
	}
	for i, d := range deviation {
		deviation[i] = math.Sqrt(d) + 1
	}
	return mean, deviation
}

func whole(v float64) int32 { return int32(math.Round(v)) }

// addTo adds p, rounded to integers, to a perceptron as one of count members. Traits have the given means and
// deviations.
func (p parameters) addTo(to *learned.Perceptron, member, count int, mean, deviation []float64) {
	hidden := len(p.firstBias)
	for h := range hidden {
		at := member*hidden + h
		bias := p.firstBias[h]
		for i, w := range p.first[h*len(mean):][:len(mean)] {
			w /= deviation[i]
			to.First[at][i] = whole(w * (1 << 20))
			bias -= w * mean[i]
		}
		to.FirstBias[at] = whole(bias * (1 << 20))
		for k := range to.Second {
			to.Second[k][at] = whole(p.second[k*hidden+h] / float64(count) * (1 << 12))
		}
	}
	for k := range to.SecondBias {
		to.SecondBias[k] += whole(p.secondBias[k] / float64(count) * (1 << 24))
	}
}

// bolder is added to the score of the robust model after learning. With 1 in place of 0, pictures with grain gain 0.16
// dB more, and 43 clean pictures in colour lose 0.009 dB more in the mean.
const bolder = 0.5

// fitShares returns the judge with the least sum of losses over the samples, and with bolder added.
//
// Most pictures that people have are cleaner than the samples, and damage to a clean picture is the worst mistake. The
// table has the gains of 70 parts of general-dev of each kind, in dB; for clean parts the mean and the greatest loss
// against photo, and the greatest loss of 8 parts of open-valid (a part with cloth loses most); and the share of all
// parts that are worse than interpolation by 0.2 dB:
//
//	                                  all    clean                 open-valid   sharpened   middle   decimated   worse
//	before there was softening        1.41   −0.02, at most 0.92                1.04        0.58     −0.58       13 %
//	one loss for all, clean 12 times  1.70   −0.06, 2.43           2.68         2.13        1.04     −0.20       8 %
//	the same, clean favoured          1.63   −0.03, 1.44           2.01         1.80        0.81     −0.34       11 %
//	with 7,000 vivid samples          1.63   −0.01, 0.58           0.68         1.66        0.82     −0.26       10 %
//
// Without drawings among the samples, 300 other drawings lost 2 dB on average.
func fitShares(o fitting, samples []sample) *learned.Perceptron {
	l := lesson{start: []float64{1, 0, -1}}
	for _, s := range samples {
		l.traits = append(l.traits, s.Traits)
	}
	l.slopes = func(i int, outputs, slope []float64) {
		var share [3]float64
		total := 0.0
		for k, score := range outputs {
			share[k] = elementary.Exp2(score)
			total += share[k]
		}
		for k := range share {
			share[k] /= total
		}
		by := learned.Shares{Clean: share[0], Robust: share[1]}
		_, scale := samples[i].loss(by)
		d := samples[i].slopes(by)
		to := [3]float64{scale * d.Clean, scale * d.Robust, 0}
		inner := to[0]*share[0] + to[1]*share[1]
		for k := range share {
			slope[k] = math.Ln2 * share[k] * (to[k] - inner)
		}
	}
	p := o.fit(l)
	p.SecondBias[1] += whole(bolder * (1 << 24))
	return p
}
