package sparse

import (
	"math"
	"runtime"

	"superres/internal/kernel"
)

// Memory estimates the memory of coding, in bytes, by any coder of this package, without the signals and the atoms:
// for signals of n entries over k atoms, with at most s non-zeros in a code. result stays as long as the dictionary
// and its codes do; working is what coding takes besides. Learners use it in their own estimates. It does not
// overflow for any sizes.
func Memory(n, k, signals, s int) (result, working float64) {
	rows, wide, count := float64(n), kernel.Width*math.Ceil(float64(k)/kernel.Width), float64(signals)
	most := float64(min(s, k))
	widest := min(3*most, rows, float64(k)) // the support of CoSaMP, which is the largest of all coders
	codes := nonZero*most*count + 8*count

	result = 8*wide*(rows+wide) + codes
	batch := min(batchSize, kernel.Rows*math.Ceil(count/kernel.Rows))
	worker := 8*batch*(2*rows+wide) + 8*(widest*widest+most*wide+4*(rows+wide)) + nonZero*grain*most
	working = codes + worker*min(float64(runtime.GOMAXPROCS(0)), math.Ceil(count/grain))
	if wide > panel {
		working = max(working, 8*wide*rows) // while the panels are filled
	}
	return result, working
}

// nonZero is how many bytes a non-zero of Codes takes.
const nonZero = 12
