package main

import "strings"

// entries writes a loop over the vectors of dst. body gets the vectors of the given rows and returns the result.
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

// ofPairs registers an operation that applies op to two rows, entry by entry.
func ofPairs(name string, op operator) struct{} {
	return entrywise(name, "(dst, a, b []float32)", []string{"dst"}, "len(dst) is a multiple of 16", func(c *code) {
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

var _ = entrywise("clipFloats", "(dst, src []float32, least, most float32)", []string{"dst"},
	"len(dst) is a multiple of 16", func(c *code) {
		least, most := c.float("least"), c.float("most")
		c.entries([]string{"src"}, func(in []vector) vector {
			return c.of(opLesser, most, c.of(opGreater, least, in[0]))
		})
	})

// ofSamples registers an operation on rows of samples, with parameters that have a value for each channel. body gets
// a vector v of src and the vectors by of the parameters for the same channels, and returns the vector for dst.
func ofSamples(name string, parameters []string, body func(c *code, v vector, by []vector) vector) struct{} {
	return entrywise(name, "(dst, src, "+strings.Join(parameters, ", ")+" []float32)", []string{"dst", parameters[0]},
		"len(dst) is a multiple of len("+parameters[0]+"), a multiple of 16", func(c *code) {
			n, dst, src := c.lengthOf("dst"), c.param("dst"), c.param("src")
			c.while(n, 1, func() {
				left, pointers := c.lengthOf(parameters[0]), []integer{dst, src}
				c.minus(n, left)
				for _, p := range parameters {
					pointers = append(pointers, c.param(p))
				}
				c.while(left, c.lanes32(), func() {
					var by []vector
					for _, p := range pointers[2:] {
						by = append(by, c.load(p, 0))
					}
					c.store(body(c, c.load(src, 0), by), dst, 0)
					for _, p := range pointers {
						c.increase(p, c.bytes())
					}
					c.increase(left, -c.lanes32())
				})
			})
		})
}

var (
	_ = ofSamples("scaleFloats", []string{"factor", "offset"},
		func(c *code, v vector, by []vector) vector { return c.fuse(v, by[0], by[1]) })
	_ = ofSamples("inclineFloats", []string{"slope"},
		func(c *code, v vector, by []vector) vector { return c.inclined(v, by[0]) })
)

var _ = entrywise("finishFloats", "(dst []float32, dstStep int, slope, skip []float32, skipStep, n int)",
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

// depthwise32 keeps the sums of up to 6 samples, for a vector of channels, in registers for all taps.
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
