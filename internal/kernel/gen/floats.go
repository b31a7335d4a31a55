package main

// entries writes a loop over the entries of dst, a vector at a time: body gets those of the given rows, and returns what
// is stored.
func (c *code) entries(rows []string, body func(in []vector) vector) {
	n, dst := c.lengthOf("dst"), c.param("dst")
	pointers := []integer{dst}
	for _, r := range rows {
		pointers = append(pointers, c.param(r))
	}
	c.while(n, c.lanes32(), func() {
		var in []vector
		for _, p := range pointers[1:] {
			in = append(in, c.load(p, 0))
		}
		c.store(body(in), dst, 0)
		for _, p := range pointers {
			c.increase(p, c.bytes())
		}
		c.increase(n, -c.lanes32())
	})
}

// ofPairs registers an operation on two rows, entry by entry.
func ofPairs(name string, op operator) struct{} {
	return portable(name, "(dst, a, b []float32)", []string{"dst"}, "len(dst) is a multiple of 16", func(c *code) {
		c.entries([]string{"a", "b"}, func(in []vector) vector { return c.of(op, in[0], in[1]) })
	})
}

var (
	_ = ofPairs("addFloats", opAdd)
	_ = ofPairs("subtractFloats", opSub)
	_ = ofPairs("multiplyFloats", opMul)
	_ = ofPairs("divideFloats", opDiv)
	_ = ofPairs("minFloats", opLesser)
	_ = ofPairs("maxFloats", opGreater)
)

var _ = portable("clipFloats", "(dst, src []float32, least, most float32)", []string{"dst"},
	"len(dst) is a multiple of 16", func(c *code) {
		least, most := c.float("least"), c.float("most")
		c.entries([]string{"src"}, func(in []vector) vector {
			return c.of(opLesser, most, c.of(opGreater, least, in[0]))
		})
	})

// ofSamples registers an operation on rows of whole samples, with parameters for each channel.
func ofSamples(name, signature string, rows, parameters []string, body func(c *code, in, by []vector) vector) struct{} {
	return portable(name, signature, []string{"dst", parameters[0]},
		"len(dst) is a multiple of len("+parameters[0]+"), and that of 16", func(c *code) {
			n, dst := c.lengthOf("dst"), c.param("dst")
			pointers := []integer{dst}
			for _, r := range rows {
				pointers = append(pointers, c.param(r))
			}
			c.while(n, 1, func() {
				left := c.lengthOf(parameters[0])
				c.minus(n, left)
				var by []integer
				for _, p := range parameters {
					by = append(by, c.param(p))
				}
				c.while(left, c.lanes32(), func() {
					var in, with []vector
					for _, p := range pointers[1:] {
						in = append(in, c.load(p, 0))
					}
					for _, p := range by {
						with = append(with, c.load(p, 0))
					}
					c.store(body(c, in, with), dst, 0)
					for _, p := range append(by, pointers...) {
						c.increase(p, c.bytes())
					}
					c.increase(left, -c.lanes32())
				})
			})
		})
}

var (
	_ = ofSamples("scaleFloats", "(dst, src, factor, offset []float32)", []string{"src"}, []string{"factor", "offset"},
		func(c *code, in, by []vector) vector { return c.fuse(in[0], by[0], by[1]) })
	_ = ofSamples("inclineFloats", "(dst, src, slope []float32)", []string{"src"}, []string{"slope"},
		func(c *code, in, by []vector) vector { return c.inclined(in[0], by[0]) })
	_ = ofSamples("addScaledFloats", "(dst, a, b, factor []float32)", []string{"a", "b"}, []string{"factor"},
		func(c *code, in, by []vector) vector { return c.fuse(in[1], by[0], in[0]) })
)

var _ = portable("scaleSamples", "(dst, src []float32, step int, factor []float32, factorStep, n int)", nil,
	"step is a multiple of 16, n at least 1", func(c *code) {
		dst, src, factor := c.param("dst"), c.param("src"), c.param("factor")
		c.repeat(c.param("n"), func() {
			by, left := c.newVector(), c.param("step")
			c.spreadTo(factor, by)
			c.while(left, c.lanes32(), func() {
				c.store(c.of(opMul, c.load(src, 0), by), dst, 0)
				c.increase(src, c.bytes())
				c.increase(dst, c.bytes())
				c.increase(left, -c.lanes32())
			})
			c.plus(factor, c.bytesOf("factorStep"))
		})
	})

// sumOver writes loops over the samples of each vector of channels: add adds one to the sum.
func (c *code) sumOver(add func(sum, v vector, column integer)) {
	c.eachChannel("sums", func(column integer) {
		sums, src, step := c.param("sums"), c.param("src"), c.bytesOf("step")
		c.plus(sums, column)
		c.plus(src, column)
		sum := c.load(sums, 0)
		c.repeat(c.param("n"), func() {
			add(sum, c.load(src, 0), column)
			c.plus(src, step)
		})
		c.store(sum, sums, 0)
	})
}

var _ = portable("sumSamples", "(sums, src []float32, step, n int)", []string{"sums"},
	"len(sums) is a multiple of 16, n at least 1", func(c *code) {
		c.sumOver(func(sum, v vector, _ integer) { c.apply(opAdd, sum, v, sum) })
	})

var _ = portable("sumSquares", "(sums, mean, src []float32, step, n int)", []string{"sums"},
	"len(sums) is a multiple of 16, n at least 1", func(c *code) {
		mean := c.param("mean")
		c.sumOver(func(sum, v vector, column integer) {
			d := c.of(opSub, v, c.loadAt(mean, column))
			c.multiplyAdd(d, d, sum)
		})
	})

var _ = portable("finishFloats", "(dst []float32, dstStep int, slope, skip []float32, skipStep, n int)",
	[]string{"slope"}, "len(slope) is a multiple of 16, n at least 1", func(c *code) {
		dst, skip := c.param("dst"), c.param("skip")
		c.repeat(c.param("n"), func() {
			c.eachChannel("slope", func(column integer) {
				v := c.inclined(c.loadAt(dst, column), c.loadAt(c.param("slope"), column))
				c.storeAt(c.of(opAdd, v, c.loadAt(skip, column)), dst, column)
			})
			c.plus(dst, c.bytesOf("dstStep"))
			c.plus(skip, c.bytesOf("skipStep"))
		})
	})

// depthwise32 holds tiles of samples by a vector of channels in registers while all taps pass.
var _ = portable("depthwise32",
	"(dst []float32, dstStep int, src []float32, runs []int, step int, weight, bias []float32, n int)",
	[]string{"runs", "bias"}, "len(bias) is a multiple of 16; len(runs) and n are at least 1", func(c *code) {
		acc := c.newVectors(6)
		c.eachChannel("bias", func(column integer) {
			n, from, to := c.param("n"), c.param("src"), c.param("dst")
			c.plus(from, column)
			c.plus(to, column)
			for _, tall := range []int{len(acc), 1} {
				c.while(n, tall, func() {
					bias := c.loadAt(c.param("bias"), column)
					for _, v := range acc[:tall] {
						c.setVector(v, bias)
					}
					runs, count, weight := c.param("runs"), c.lengthOf("runs"), c.param("weight")
					step, pitch := c.bytesOf("step"), c.bytesOf(lengthName("bias"))
					c.plus(weight, column)
					c.repeat(count, func() {
						w, at := c.load(weight, 0), c.entry(from, runs, 0)
						for i, v := range acc[:tall] {
							if i > 0 {
								c.plus(at, step)
							}
							c.multiplyAdd(c.load(at, 0), w, v)
						}
						c.plus(weight, pitch)
						c.increase(runs, 8)
					})
					move := c.bytesOf("dstStep")
					for _, v := range acc[:tall] {
						c.store(v, to, 0)
						c.plus(to, move)
						c.plus(from, step)
					}
					c.increase(n, -tall)
				})
			}
		})
	})
