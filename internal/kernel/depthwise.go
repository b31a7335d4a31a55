package kernel

// ConvolveDepthwise is Convolve for a layer whose output c sees channel c alone. Words of the filter is the number of
// samples in a run, and the entries of output c are c, c + Step, c + 2·Step and so on of each run. Weights has, for
// each group of Lanes outputs, for each run, for each sample of a run, one word for each output of the group, with the
// weight in its lower half. Step must be at least Outputs.
func ConvolveDepthwise(dst, src []int16, rows []int, samples int, f *Filter, skip []int16) {
	if f.Step < f.Outputs {
		panic("kernel: samples with fewer channels than outputs")
	}
	f.check(len(dst), f.outputStep(), len(src), rows, samples, (f.Words-1)*f.Step+f.Outputs)
	skip, skipStep := f.checkSkip(skip, samples)
	limits := f.limits(skipStep > 0)
	for samples > 0 {
		n := takeSamples(samples)
		convolveDepthwise(dst, n, src, rows, f.Step, f.Words, f.Weights, f.Bias[:f.Outputs], f.PositiveScale,
			f.NegativeScale, limits[:], skip, skipStep, f.outputStep())
		dst, src = dst[min(n*f.outputStep(), len(dst)):], src[min(n*f.Step, len(src)):]
		skip, samples = skip[min(n*skipStep, len(skip)):], samples-n
	}
}

func convolveDepthwiseGeneric(dst []int16, samples int, src []int16, rows []int, step, taps int, weights,
	bias []int32, positive, negative []float32, limits []int16, skip []int16, skipStep, dstStep int) {
	outputs := len(bias)
	for first := 0; first < outputs; first += Lanes {
		group := weights[first*len(rows)*taps:]
		for s := range samples {
			sums, w := [Lanes]int32(bias[first:]), group
			for _, row := range rows {
				for tap := range taps {
					x, words := (*[Lanes]int16)(src[row+(s+tap)*step+first:]), (*[Lanes]int32)(w)
					for c := range sums {
						sums[c] += int32(x[c]) * int32(int16(words[c]))
					}
					w = w[Lanes:]
				}
			}
			to, add := (*[Lanes]int16)(dst[s*dstStep+first:]), (*[Lanes]int16)(skip[s*skipStep+first:])
			for c, sum := range sums {
				to[c] = scaleAndClip(sum, positive[first+c], negative[first+c], limits, add[c])
			}
		}
	}
}
