package learned

import (
	_ "embed" // the perceptron
	"sync"

	"superres/superres/flaws/repair"
)

// gains returns the outputs of p for traits as the gains of a correction, with the greatest gain (up, at least 0) and
// the greatest loss (down, at least 0), in steps of 1/256 octave.
func (p *Perceptron) gains(traits []int32) (c repair.Correction, up, down int64) {
	for i, v := range p.Outputs(traits)[:repair.Bands] {
		c[i] = int32(min(max((v+1<<15)>>16, -repair.MostGain), repair.MostGain)) // from steps of 2⁻²⁴ to 1/256
		up, down = max(up, int64(c[i])), max(down, -int64(c[i]))
	}
	return c, up, down
}

// Correction returns the outputs of p for traits as a correction of blur. All gains are multiplied by 1 − d²/m², where
// m is the greatest gain and d the constant doubtful, because most small corrections would be errors (the non-negative
// garrote: L. Breiman, Better subset regression using the nonnegative garrote, Technometrics 37 (1995)). The result is
// zero if m is at most d, or if some gain would lower detail by m or more; for sharpened pictures see Softening.
func (p *Perceptron) Correction(traits []int32) repair.Correction {
	const d = doubtful
	c, up, down := p.gains(traits)
	if up <= max(d, down) {
		return repair.Correction{}
	}
	for i, v := range c {
		c[i] = int32(int64(v) * (up*up - d*d) / (up * up))
	}
	return c
}

// LowersDetail reports whether p would lower the finest detail by a quarter of an octave or more, as in most sharpened
// pictures, and in one of fourteen others.
func (p *Perceptron) LowersDetail(traits []int32) bool {
	c, _, _ := p.gains(traits)
	return c[repair.Bands-1] <= -traitOne/4
}

// doubtful is the greatest gain, in steps of 1/256 octave, that counts as none. The table compares values. First, how
// many clean pictures reduced by 2 Correction takes for blurred: the middles of 193 pictures, in grey, of general-dev,
// T91, open-valid and Kodak, and 218 whole pictures in colour, of these sets and Unsplash. Second, what the default
// model gains on interpolation, in dB, for 36 of general-dev, blurred by 0.7 or 1.2 pixels of the result, reduced by 2.
//
//	gain, octaves   clean middles   whole   0.7    1.2
//	0.3             2
//	0.35            0               3       2.42   3.04
//	0.4             0
//	0.45                            1       2.31   2.86
//
// The three whole pictures are soft by nature, and lost 0.84, 0.76 and 0.32 dB of 42 to 51. With 0.45 one loses 0.2 dB.
const doubtful = 45 * traitOne / 100

//go:embed correction.bin
var correctionFile []byte

var corrector = sync.OnceValue(func() *Perceptron { return embedded(correctionFile) })

// Corrector returns the perceptron of this program for corrections: see Perceptron.Correction. It must not be changed.
func Corrector() *Perceptron { return corrector() }
