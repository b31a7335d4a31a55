package kernel

// Taps holds the weights of a convolution of float32.
type Taps struct {
	// Outputs and Inputs are the numbers of channels of the result and of the input. Groups is the number of groups
	// into which both are divided; outputs are computed only from inputs of the same group.
	Outputs, Inputs, Groups int
	Height, Width           int // the numbers of rows and columns of taps
	// Weight holds, at index ((o·Inputs/Groups + i)·Height + y)·Width + x, the weight with which tap (y, x) takes input
	// i of output o's group into output o.
	Weight []float32
	Bias   []float32 // one value for each output; nil stands for zeros
}

// FloatFilter is a convolution of rows of float32. It may be used by several goroutines at a time.
//
// Every output is one sum of fused products, or is computed from the 36 such sums of a tile. The order of each sum
// depends only on the filter, so outputs have the same bits in all tiers.
type FloatFilter struct {
	// Outputs is the number of values of an output sample: Taps.Outputs rounded up to a multiple of Lanes. Values after
	// the last output are 0, unless skip adds to them.
	Outputs int
	// OutputStep is the number of values in dst from the outputs of a sample to the outputs of the next sample, and
	// SkipStep the same in skip; 0 stands for Outputs. Values between are not touched.
	OutputStep, SkipStep int
	Slope                []float32 // for each output, the factor for a negative sum; nil stands for factors of 1

	taps   Taps // without weights
	step   int  // values from sample to sample of the input
	stride int  // outputs are computed for every stride-th sample of a row
	// Without tiles, runs are the runs of taps of a sample, and parts say which outputs are computed from them.
	runs            []run
	parts           []filterPart
	tiles           []float32 // the transformed weights of a filter that is computed by tiles; otherwise nil
	zero, one, bias []float32 // for each output: 0, 1 and the output's bias
	depthwise       []float32 // a weight for each tap and channel if each output has its own channel; otherwise nil
}

// run is a run of entries side by side: its row of taps, and its offset from the first column that a sample reads.
type run struct{ row, offset int }

// filterPart computes the outputs first to first+len(bias)−1 from the entries from to from+count−1 of each run.
type filterPart struct {
	first, from, count int
	weight, bias       []float32 // weight: for each run, for each of its entries, a weight for each output
}

// NewFloatFilter returns a filter for rows of samples step values apart. Taps are dilation columns apart, and outputs
// are computed for every stride-th sample of a row. The weights are packed for tiles, for single channels or for runs.
func NewFloatFilter(t Taps, step, dilation, stride int) *FloatFilter {
	if t.Outputs < 1 || t.Inputs < 1 || t.Groups < 1 || t.Outputs%t.Groups != 0 || t.Inputs%t.Groups != 0 ||
		t.Height < 1 || t.Width < 1 || step < t.Inputs || dilation < 1 || stride < 1 {
		panic("kernel: a convolution that cannot be")
	}
	f := &FloatFilter{Outputs: PadTo(t.Outputs, Lanes), taps: t, step: step, stride: stride}
	f.zero, f.one, f.bias = make([]float32, f.Outputs), make([]float32, f.Outputs), make([]float32, f.Outputs)
	for o := range f.one {
		f.one[o] = 1
	}
	copy(f.bias, t.Bias)
	f.taps.Weight, f.taps.Bias = nil, nil
	switch {
	case t.Height == 3 && t.Width == 3 && dilation == 1 && stride == 1 && t.Groups == 1 && t.Inputs >= leastTiled &&
		step%Lanes == 0:
		f.tiles = transformWeights(t, f.Outputs)
	case t.Groups == t.Inputs && t.Outputs == t.Inputs && step >= f.Outputs && t.Groups > 1:
		f.packDepthwise(t, dilation)
	default:
		f.pack(t, dilation)
	}
	return f
}

// leastTiled is the smallest number of inputs for which tiles are faster than runs.
const leastTiled = 12

// Together returns how many rows one call of ConvolveFloats computes: with tiles 4, from a multiple of 4 on, else 1.
func (f *FloatFilter) Together() int {
	if f.tiles != nil {
		return tileSide
	}
	return 1
}

// packDepthwise packs the weights of a filter whose outputs are each computed from one channel of their own: a run
// for each tap, and in f.depthwise a weight for each output. Padded outputs have weights of 0.
func (f *FloatFilter) packDepthwise(t Taps, dilation int) {
	f.depthwise = make([]float32, t.Height*t.Width*f.Outputs)
	for y := range t.Height {
		for x := range t.Width {
			for o := range t.Outputs {
				f.depthwise[len(f.runs)*f.Outputs+o] = t.Weight[(o*t.Height+y)*t.Width+x]
			}
			f.runs = append(f.runs, run{y, x * dilation * f.step})
		}
	}
}

// pack sets f.runs and f.parts for filters that are neither tiled nor depthwise. A run is a row of taps if their
// entries lie side by side, otherwise one tap. A part has for each tap, for each input, the weights of its outputs.
// With groups, a part is Lanes outputs with the inputs of all their groups, and weights of 0 between different groups.
func (f *FloatFilter) pack(t Taps, dilation int) {
	perRun := 1 // taps in a run
	if t.Groups == 1 && dilation == 1 && f.step == t.Inputs {
		perRun = t.Width
	}
	for y := range t.Height {
		for x := 0; x < t.Width; x += perRun {
			f.runs = append(f.runs, run{y, x * dilation * f.step})
		}
	}
	together := f.Outputs // outputs in a part
	if t.Groups > 1 {
		together = Lanes
	}
	in, out := t.Inputs/t.Groups, t.Outputs/t.Groups // channels of a group
	for first := 0; first < f.Outputs; first += together {
		last := min(first+together, t.Outputs) - 1
		from := first / out * in           // the first input of the groups of the outputs first to last
		channels := (last/out+1)*in - from // how many inputs these groups have
		p := filterPart{first: first, from: from, count: perRun * channels, bias: f.bias[first : first+together]}
		p.weight = make([]float32, t.Height*t.Width*channels*together)
		for o := first; o <= last; o++ {
			for i := range in {
				for tap := range t.Height * t.Width {
					to := tap*channels + o/out*in + i - from
					p.weight[to*together+o-first] = t.Weight[(o*in+i)*t.Height*t.Width+tap]
				}
			}
		}
		f.parts = append(f.parts, p)
	}
}

// FloatWork is the working memory of ConvolveFloats. Only one goroutine at a time may use it.
type FloatWork struct {
	runs                         []int
	samples, results, sums, kept []float32
}

// ConvolveFloats computes rows of outputs of the given number of samples. Row k begins at entry to[k] of dst. There are
// f.Together() rows, or fewer at the lower end of a picture. rows holds the offsets in src of the rows of inputs, at
// the first column that the first output needs: one for each row of taps or, with tiles, the 6 rows for 4 rows of
// outputs. If there are fewer rows of outputs, any rows, such as zeros, may stand for the last of the 6.
//
// A negative sum is multiplied by the slope of its output. Then the row of skip that begins at entry skipTo[k] is
// added, unless skip is nil. Only columns that the outputs need are read, and only outputs are written. src must not
// overlap dst; skip may be dst, with the same rows.
func ConvolveFloats(dst []float32, to []int, src []float32, rows []int, samples int, f *FloatFilter, skip []float32,
	skipTo []int, work *FloatWork) {
	if samples < 1 || len(to) == 0 {
		return
	}
	outputStep, skipStep := f.check(dst, to, src, rows, samples, skip, skipTo)
	if f.tiles != nil {
		f.convolveTiles(dst, to, outputStep, src, rows, samples, skip, skipTo, skipStep, work)
		return
	}
	work.runs = work.runs[:0] // from here on, to has one entry: see Together
	for _, r := range f.runs {
		work.runs = append(work.runs, rows[r.row]+r.offset)
	}
	step := f.step * f.stride
	perCall := max(1, multiplicationsPerCall/(len(f.runs)*f.Outputs)) // samples, for short calls of assembly
	if f.depthwise == nil {
		perCall = max(1, perCall/f.taps.Inputs)
	}
	for at := 0; at < samples; at += perCall {
		n := min(perCall, samples-at)
		out, in := dst[to[0]+at*outputStep:], src[at*step:]
		if f.depthwise != nil {
			depthwise32(out, outputStep, in, work.runs, step, f.depthwise, f.bias, n)
		}
		for _, p := range f.parts {
			convolve32(out[p.first:], outputStep, in[p.from:], work.runs, step, p.count, p.weight, len(p.bias), Lanes,
				p.bias, n)
		}
		if skip != nil {
			finishFloats(out, outputStep, f.slopes(), skip[skipTo[0]+at*skipStep:], skipStep, n)
		} else if f.Slope != nil {
			finishFloats(out, outputStep, f.Slope, f.zero, 0, n)
		}
	}
}

// multiplicationsPerCall is a number of products that assembly computes in far less than a millisecond.
const multiplicationsPerCall = 1 << 21

// slopes returns the factor of each output for negative sums.
func (f *FloatFilter) slopes() []float32 {
	if f.Slope != nil {
		return f.Slope
	}
	return f.one
}

// check returns OutputStep and SkipStep, with Outputs in place of 0. It panics unless the operands of ConvolveFloats
// fit. span is the number of entries that one row of inputs must have.
func (f *FloatFilter) check(dst []float32, to []int, src []float32, rows []int, samples int, skip []float32,
	skipTo []int) (outputStep, skipStep int) {
	if outputStep, skipStep = f.OutputStep, f.SkipStep; outputStep == 0 {
		outputStep = f.Outputs
	}
	if skipStep == 0 {
		skipStep = f.Outputs
	}
	needed, span := f.taps.Height, (samples-1)*f.step*f.stride
	if f.tiles != nil {
		needed, span = tileTaken, span+2*f.step+PadTo(f.taps.Inputs, Lanes)
	} else {
		last := f.runs[len(f.runs)-1].offset
		for _, p := range f.parts {
			span = max(span, (samples-1)*f.step*f.stride+last+p.from+p.count)
		}
		if f.depthwise != nil {
			span += last + f.Outputs
		}
	}
	if len(to) > f.Together() || len(rows) != needed || outputStep < f.Outputs ||
		f.Slope != nil && len(f.Slope) != f.Outputs || skip != nil && len(skipTo) != len(to) {
		panic("kernel: operands that do not fit the filter")
	}
	for _, r := range rows {
		_ = src[r:][:span] // panics if src is too short
	}
	for k, at := range to {
		_ = dst[at:][:(samples-1)*outputStep+f.Outputs] // so does dst
		if skip != nil {
			_ = skip[skipTo[k]:][:(samples-1)*skipStep+f.Outputs] // so does skip
		}
	}
	return outputStep, skipStep
}

// depthwise32Generic sets dst to n samples of len(bias) channels. A channel is its bias plus, for each run, which is a
// tap, the product of the channel in src and its weight.
func depthwise32Generic(dst []float32, dstStep int, src []float32, runs []int, step int, weight, bias []float32,
	n int) {
	for x := range n {
		for o, sum := range bias {
			for j, at := range runs {
				sum = fused(src[at+x*step+o], weight[j*len(bias)+o], sum)
			}
			dst[x*dstStep+o] = sum
		}
	}
}

// finishFloatsGeneric changes n samples of len(slope) channels in dst: it multiplies values whose sign is negative by
// the slope of their channel, and then adds skip to all values.
func finishFloatsGeneric(dst []float32, dstStep int, slope, skip []float32, skipStep, n int) {
	for x := range n {
		for o, s := range slope {
			dst[x*dstStep+o] = inclined(dst[x*dstStep+o], s) + skip[x*skipStep+o]
		}
	}
}
