package kernel

// peakSums is the number of entries of sums that peak takes.
const peakSums = 24 * Lanes

// peakGeneric adds, rounds times, the product of the lower halves of x and y and that of their upper halves to each
// entry of sums. Its assembly multiplies registers alone, so that its speed bounds that of Convolve and of
// ConvolveTwoRows. It is for benchmarks.
func peakGeneric(sums []int32, x, y int32, rounds int) {
	product := int32(int16(x))*int32(int16(y)) + x>>16*(y>>16)
	for i := range sums[:peakSums] {
		sums[i] += int32(rounds) * product
	}
}
