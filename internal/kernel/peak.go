package kernel

// peakSums is the number of entries of sums that peak uses.
const peakSums = 24 * Lanes

// peakGeneric multiplies the lower halves of x and y, and their upper halves, and adds both products to each entry of
// sums, rounds times. Its assembly multiplies only registers, so that its speed is a bound on the speed of Convolve and
// ConvolveTwoRows. It is for benchmarks.
func peakGeneric(sums []int32, x, y int32, rounds int) {
	product := int32(int16(x))*int32(int16(y)) + x>>16*(y>>16)
	for i := range sums[:peakSums] {
		sums[i] += int32(rounds) * product
	}
}
