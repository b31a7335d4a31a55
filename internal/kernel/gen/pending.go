package main

var _ = func() struct{} {
	for name, signature := range map[string]string{
		"depthwise32":     "(dst []float32, dstStep int, src []float32, runs []int, step int, weight, bias []float32, n int)",
		"finishFloats":    "(dst []float32, dstStep int, slope, skip []float32, skipStep, n int)",
		"spreadRows":      "(dst []float32, dstGap, dstStep int, src []float32, rows []int, srcStep, k, n int)",
		"gatherRows":      "(dst []float32, rows []int, dstStep int, src []float32, gap int, slope, skip []float32, skipRows []int, skipStep, n int)",
		"divideFloats":    "(dst, a, b []float32)",
		"minFloats":       "(dst, a, b []float32)",
		"maxFloats":       "(dst, a, b []float32)",
		"clipFloats":      "(dst, src []float32, least, most float32)",
		"scaleFloats":     "(dst, src, factor, offset []float32)",
		"inclineFloats":   "(dst, src, slope []float32)",
		"addScaledFloats": "(dst, a, b, factor []float32)",
		"scaleSamples":    "(dst, src []float32, step int, factor []float32, factorStep, n int)",
		"sumSamples":      "(sums, src []float32, step, n int)",
		"sumSquares":      "(sums, mean, src []float32, step, n int)",
	} {
		register(operation{name: name, signature: signature, tiers: []string{}})
	}
	for _, name := range []string{"exp", "sigmoid", "tanh", "erf", "silu", "gelu", "geluTanh", "mish", "elu", "softplus",
		"hardSigmoid", "hardSwish", "abs", "square", "sqrt"} {
		register(operation{name: name + "Floats", signature: "(dst, src []float32)", tiers: []string{}})
	}
	return struct{}{}
}()
