package learners

import (
	"context"
	"flag"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"superres/learners/plugin"
)

// BLOTLESS updates a block of s ≤ M atoms with their rows of the codes at a time, by total least squares. With X_b
// (s×N) the rows, D_b the atoms and R_b = Y − D_rest·X_rest what the others leave, a left inverse S of D_b has
// S·R_b = X_b: linear in S and X_b, and neither R_b nor X_b exact. A step takes [R_b; X_b] to the nearest matrix of
// rank M and X_b back to its support,
//
//	[V1; V2] = the s lowest eigenvectors of [R_b; X_b]·[R_b; X_b]ᵀ,
//	W = V1ᵀR_b + V2ᵀX_b,   R̂ = R_b − V1·W,   X_b ← mask ∘ (X_b − V2·W),
//
// where X_b − V2·W is S·R̂ for S = −(V1·V2⁻¹)ᵀ, without the inverse. After Inner steps, all with the same R_b and
// each, but for Plain, going on by half of the change of X_b − V2·W, D_b ← R̂·X_bᵀ(X_b·X_bᵀ)⁻¹, its atoms at length 1
// and the rows of X_b scaled to fit. With K = M and the true support, S annihilates what it should and D is found
// exactly. ‖Y − DX‖ may rise in an update.
//
// Where R_b has only rank r < M, as for stacked patches with one half that follows from the other, r takes the place of
// M. With fewer signals than entries a block is worked on in coordinates of the span of R_b, in which nothing is larger
// than N×N. A step that leaves the rows of X_b dependent is not taken, and ends the block.
//
// The blocks are a random partition of the atoms, another in every iteration, from a sequence that is always the
// same: see the note in blotless.go. A block costs N·M²/2 for R_b·R_bᵀ, and a step about 9·(M+s)³ for the
// eigenvectors and 2·M·s for a signal that uses the block; Inner·K/M steps make an iteration.
//
// Q. Yu, W. Dai, Z. Cvetković, J. Zhu: Dictionary learning with BLOTLESS update, IEEE Trans. Signal Processing 68
// (2020) 1635–1645, arXiv:1906.10211.
type BLOTLESS struct {
	// Inner is the largest number of steps of a block. The default, 0, is 20, as in the paper.
	Inner int
	// Plain leaves out the momentum, as the paper does. By default a step adds half of the change of the step before.
	Plain bool
	// Keep leaves coherent and hardly used atoms as they are. By default they restart: see the note in restart.go.
	Keep bool
}

func init() {
	Register(Info{
		Name:      "blotless",
		Summary:   "BLOTLESS: a block of atoms with their coefficients, by total least squares",
		Reference: "Yu, Dai, Cvetković, Zhu 2020",
		Revision:  1,
		New: func(fs *flag.FlagSet) Learner {
			l := &BLOTLESS{}
			fs.IntVar(&l.Inner, "inner", 20, "total-least-squares steps a block")
			fs.Var(plugin.Not{Value: &l.Plain}, "momentum",
				"let a block go on by half of its last change; false: the paper's step")
			bindRestart(fs, &l.Keep)
			return l
		},
	})
}

// blotlessSeed is the seed of the partitions. Options.Seed is not, so that with the same first dictionary the result
// does not depend on the seed.
//
// Note: mean error by optimal assignment on 40 planted problems, (M,K,S) = (16,32,3), at most 500 iterations; the
// differences between the lines are 1.8 to 9 times their standard error:
//
//	N                    100    150    200    400
//	consecutive blocks   0.198  0.126  0.084  0.022
//	random partitions    0.156  0.056  0.036  0.013
//	and momentum 0.8     0.137  0.030  0.019  0.006
//
// With the problems of superres recover --seed 1, 20 of them, N = 100 and 150: 0.170 and 0.074 without momentum,
// 0.142 and 0.059 with 0.3, 0.130 and 0.052 with 0.5; an independent program, without, has 0.132 and 0.056. Where
// nothing is exactly sparse, as in patches of photographs, momentum ends at a larger residual, 0.8 much more so.
const (
	blotlessSeed     = 1
	blotlessMomentum = 0.5
)

// Check refuses parameters without a meaning.
func (l BLOTLESS) Check() error {
	return plugin.CheckNumbers("learners: blotless", map[string]float64{"inner": float64(l.Inner)})
}

// Memory implements Learner. It counts the non-zeros of a block, R_b·R_bᵀ with its decomposition, the decomposition
// of [R_b; X_b]·[R_b; X_b]ᵀ, the matrices of the sizes of X_b·R_bᵀ and X_b·X_bᵀ and, with fewer signals than entries,
// the coordinates.
func (BLOTLESS) Memory(m, n, k, s int) float64 {
	width := float64(min(m, n))
	atoms := min(width, float64(k))
	nonZeros := float64(n) * min(float64(s), atoms)
	matrices := width*width + 3*(width+atoms)*(width+atoms) + 6*atoms*width + 8*atoms*atoms
	if n < m {
		matrices += 2*width*width + atoms*float64(m)
	}
	return twoStageMemory(m, n, k, s, 40*nonZeros+24*float64(n)+8*float64(k)+8*matrices)
}

// Learn implements Learner.
func (l BLOTLESS) Learn(ctx context.Context, y *mat.Dense, opt Options) (*Result, error) {
	if err := l.Check(); err != nil {
		return nil, err
	}
	if l.Inner == 0 {
		l.Inner = 20
	}
	rng := rand.New(rand.NewPCG(blotlessSeed, 0))
	return alternate(ctx, y, opt, l.Keep, func(ctx context.Context, p *problem) error {
		return l.update(ctx, p, rng.Perm(p.k))
	})
}

// update updates the atoms in the given order, in blocks of as many as R_b can have dimensions. An atom that no
// signal uses belongs to no block, since its row of X_b would be zero.
func (l BLOTLESS) update(ctx context.Context, p *problem, order []int) error {
	order = slices.DeleteFunc(order, func(k int) bool { return p.rowStart[k] == p.rowStart[k+1] })
	for size := min(p.m, p.n); len(order) > 0; {
		b := newBlock(p, order[:min(size, len(order))])
		if err := b.open(); err != nil {
			return err
		}
		if 0 < b.rank && b.rank < len(b.atoms) {
			size = b.rank // no more rows of X_b can be independent
			b.close()
			continue
		}
		momentum := blotlessMomentum
		if l.Plain {
			momentum = 0
		}
		for stepped := true; stepped && b.steps < l.Inner; {
			if err := ctx.Err(); err != nil {
				return err
			}
			var err error
			if stepped, err = b.step(momentum); err != nil {
				return err
			}
		}
		if b.steps > 0 {
			if err := b.fit(); err != nil {
				return err
			}
		}
		b.close()
		order = order[len(b.atoms):]
	}
	return nil
}
