package learners

import (
	"math"
	"runtime"

	"superres/learners/sparse"
)

// twoStageMemory is what alternate takes at its peak, with an update that takes so many
// bytes. Beside Y twice more, as signals and as residual, it has the codes of this iteration
// and of the last and the rows of X all the time; while it codes the atoms once, while it
// updates them thrice.
func twoStageMemory(m, n, k, s int, update float64) float64 {
	signals, atoms, nonZeros := float64(m)*float64(n), float64(m)*float64(k), float64(n)*float64(min(s, k))
	held, working := sparse.Memory(m, k, n, s)
	const code, place = 12, 12 // bytes of a non-zero in codes and in the rows of X
	always := 8*2*signals + held + (code+place)*nonZeros + 8*float64(n) + 8*5*float64(k)
	return always + max(8*atoms+working, 8*3*atoms+max(update, replacing*float64(n)))
}

// replacing is how many bytes worstSignals and what it is given take for a signal.
const replacing = 16

// workers is how many there are at most for the signals, in ranges of 64.
func workers(n int) float64 {
	return min(float64(runtime.GOMAXPROCS(0)), math.Ceil(float64(n)/64))
}

func square(n int) float64 { return float64(n) * float64(n) }
