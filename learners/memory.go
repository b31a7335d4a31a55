package learners

import (
	"math"
	"runtime"

	"superres/learners/sparse"
)

// twoStageMemory returns the peak memory of the loop alternate, in bytes, for k atoms, n signals of m entries and s
// non-zeros in a code; update is what the update takes besides. The loop always has two copies of Y, as signals and as
// residual, the codes of this iteration and of the last, the rows of X, and the best atoms of all checks (restart.go).
// It has the atoms once more during coding, and three times during the update.
func twoStageMemory(m, n, k, s int, update float64) float64 {
	signals, atoms, nonZeros := float64(m)*float64(n), float64(m)*float64(k), float64(n)*float64(min(s, k))
	result, working := sparse.Memory(m, k, n, s)
	const code, position = 12, 12 // bytes of a non-zero in codes and in the rows of X
	always := 8*2*signals + result + (code+position)*nonZeros + 8*float64(n) + 8*5*float64(k) + 8*atoms
	return always + max(8*atoms+working, 8*3*atoms+max(update, replacementBytes*float64(n)))
}

// replacementBytes is how many bytes a signal takes while unused atoms are replaced: its error, and its entry in the
// list of worstSignals.
const replacementBytes = 16

// workers returns how many workers process n signals, if each takes 64 at a time.
func workers(n int) float64 {
	return min(float64(runtime.GOMAXPROCS(0)), math.Ceil(float64(n)/64))
}

// square returns n².
func square(n int) float64 { return float64(n) * float64(n) }
