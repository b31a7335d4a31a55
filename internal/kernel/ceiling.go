package kernel

// Stream reads and writes both vectors, swapping their signs: the ceiling of memory.
func Stream(a, b []float64) {
	need(len(a))
	if len(a) > 0 {
		_ = b[len(a)-1]
		stream(a, b)
	}
}

// MultiplyAdd does multiply-adds on registers, the ceiling of arithmetic, and returns
// how many floating-point operations they were.
func MultiplyAdd(rounds int) (operations float64) { return multiplyAdd(rounds) * float64(rounds) }
