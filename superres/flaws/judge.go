package flaws

import (
	"context"
	_ "embed" // the judge
	"encoding/binary"
	"fmt"
	"image"
	"sync"
)

// Shares are the shares, 0 to 1, of a result: of the model for clean pictures, of the robust model, and of plain
// interpolation, which has the rest.
type Shares struct{ Clean, Robust float64 }

// shareSteps is the number of steps of a share from 0 to 1. Two models take twice as long as one, so that less than
// leastShare steps of one is given to the other, and of interpolation to the greater share.
const (
	shareSteps = 32
	leastShare = 3
)

// Judge is a small network that says from the traits of a picture which shares of three results come nearest to the
// truth: one layer of hidden numbers, clipped to ±1, and one of three scores, whose powers of two are in the
// proportion of the shares. It computes in integers, so that all machines agree.
//
// It learned from pictures that were degraded in known ways, reduced by 2 and enlarged by all three: see
// cmd/internal/judge, which has the command and the figures.
type Judge struct {
	// Least and Most limit each trait.
	Least, Most [traitCount]int32
	// First has, for each hidden number, a weight for each trait in steps of 2⁻²⁰, and FirstBias the constants.
	First     [Hidden][traitCount]int32
	FirstBias [Hidden]int32
	// Second has, for each score, a weight for each hidden number in steps of 2⁻¹², and SecondBias the constants, in
	// steps of 2⁻²⁴.
	Second     [scores][Hidden]int32
	SecondBias [scores]int32
}

// Hidden is the number of hidden numbers of a Judge.
const Hidden = 96

const (
	scores     = 3 // clean, robust, plain
	firstBits  = 20
	secondBits = 12
)

//go:embed judge.bin
var judgeFile []byte

// learned returns the judge of this program.
var learned = sync.OnceValue(func() *Judge {
	j := &Judge{}
	if _, err := binary.Decode(judgeFile, binary.LittleEndian, j); err != nil {
		panic(fmt.Sprintf("flaws: judge.bin: %v", err))
	}
	return j
})

// Shares returns the shares that suit a picture, from its traits, of which there are traitCount.
func (j *Judge) Shares(traits []int32) Shares {
	var seen [traitCount]int64
	for i, v := range traits {
		seen[i] = int64(min(max(v, j.Least[i]), j.Most[i]))
	}
	var powers [scores]int64
	score := [scores]int64{}
	for i, b := range j.SecondBias {
		score[i] = int64(b)
	}
	for h, weights := range j.First {
		sum := int64(j.FirstBias[h])
		for i, w := range weights {
			sum += int64(w) * seen[i]
		}
		sum = min(max(sum, -1<<firstBits), 1<<firstBits) >> (firstBits - secondBits)
		for i := range score {
			score[i] += int64(j.Second[i][h]) * sum
		}
	}
	most := max(score[0], score[1], score[2])
	total := int64(0)
	for i, s := range score {
		powers[i] = powerOfTwo((s - most) >> (2*secondBits - 8))
		total += powers[i]
	}
	steps := func(i int) int64 { return (2*shareSteps*powers[i] + total) / (2 * total) }
	clean, robust := steps(0), steps(1)
	if shareSteps-clean-robust < leastShare { // of interpolation
		if clean >= robust {
			clean = shareSteps - robust
		} else {
			robust = shareSteps - clean
		}
	}
	switch {
	case clean >= robust && robust < leastShare:
		clean, robust = clean+robust, 0
	case robust > clean && clean < leastShare:
		clean, robust = 0, clean+robust
	}
	return Shares{float64(clean) / shareSteps, float64(robust) / shareSteps}
}

// powerOfTwo returns 2²⁰ times two to the power of v/256, which is at most 0; it is linear between whole powers.
func powerOfTwo(v int64) int64 {
	whole, part := v>>8, v&255
	if whole < -20 {
		return 0
	}
	return (256 + part) << 12 >> -whole
}

// JudgeTraits returns the shares that suit a picture, from its traits.
func JudgeTraits(traits []int32) Shares { return learned().Shares(traits) }

// leastJudgedSide is the least side of a picture that is judged: that of a window of the evidence. Too little can be
// told of smaller ones: a clean one of 64×64 lost 0.3 dB.
const leastJudgedSide = evidenceSide

// Shares returns the shares that suit the picture img with the flaws f. ok is false where it is too small to tell. It
// returns the errors of by.
func (f Flaws) Shares(ctx context.Context, img image.Image, by Doubles) (s Shares, ok bool, err error) {
	if b := img.Bounds(); min(b.Dx(), b.Dy()) < leastJudgedSide {
		return s, false, nil
	}
	t, err := Traits(ctx, img, f, by)
	if t == nil || err != nil {
		return s, false, err
	}
	return JudgeTraits(t), true, nil
}
