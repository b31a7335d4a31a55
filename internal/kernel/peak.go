package kernel

// peakSums is the number of sums that peak adds to.
const peakSums = 24 * Lanes

// peakGeneric adds to each of the first peakSums sums, as often as rounds says, the product of the lower 16 bits of
// x and y and the product of their upper 16 bits. The assembly multiplies only registers, so its speed is a bound on
// the speed of Convolve and ConvolveTwoRows. It is for benchmarks.
func peakGeneric(sums []int32, x, y int32, rounds int) {
	product := int32(int16(x))*int32(int16(y)) + x>>16*(y>>16)
	for i := range sums[:peakSums] {
		sums[i] += int32(rounds) * product
	}
}
