package main

// simdLimits holds the largest and smallest output before skip is added, as floats, and after, as integers.
type simdLimits struct{ clip, least, most, lowest local }

// simdLimits loads the limits into variables.
func (f *function) simdLimits() simdLimits {
	const each = 64 // bytes of each limit, which is repeated
	p := f.arg("limits")
	return simdLimits{f.vector(toFloats(splat(short(p, 0)))), f.vector(toFloats(splat(short(p, each)))),
		f.vector(load(p, 2*each)), f.vector(load(p, 3*each))}
}

// simdScale scales, clips and rounds the sums in v as kernel's scaleAndClip does before it adds skip.
func (f *function) simdScale(v, positive, negative local, limits simdLimits) {
	const large, bits = 3 << 22, 0x4b400000 // so large that v+large has no fraction
	by := choose(negative.value(), positive.value(), signs(v.value()))
	scaled := mulFloats(toFloats(v.value()), by)
	clipped := maxFloats(minFloats(scaled, limits.clip.value()), limits.least.value())
	f.set(v, subInts(addFloats(clipped, sameFloat(large)), same(bits)))
}

// sum adds skip to the outputs v and clips the result.
func (l simdLimits) sum(v, skip value) value {
	return maxShorts(minShorts(addShortsSaturated(v, skip), l.most.value()), l.lowest.value())
}

// simdConvolve writes convolve for WebAssembly: it scales and clips 8 sums of 4 samples, adds skip, clips again.
func simdConvolve(f *function) {
	limits := f.simdLimits()
	positive, negative := f.vectors(2), f.vectors(2)
	dst, skip := f.int(number(0)), f.int(number(0))
	f.simdFilter(func(acc []local, sample, output value) {
		f.set(dst, add(f.arg("dst"), shift(add(multiply(sample, f.arg("dstStep")), output), 1)))
		f.set(skip, add(f.arg("skip"), shift(add(multiply(sample, f.arg("skipStep")), output), 1)))
		for i := range 2 {
			f.set(positive[i], load(add(f.arg("positive"), shift(output, 2)), 16*i))
			f.set(negative[i], load(add(f.arg("negative"), shift(output, 2)), 16*i))
		}
		for s := range len(acc) / 2 {
			for i, v := range acc[2*s:][:2] {
				f.simdScale(v, positive[i], negative[i], limits)
			}
			f.store(dst.value(), 0, limits.sum(narrow(acc[2*s].value(), acc[2*s+1].value()), load(skip.value(), 0)))
			f.increase(dst, shift(f.arg("dstStep"), 1))
			f.increase(skip, shift(f.arg("skipStep"), 1))
		}
	})
}

// simdResidual writes residual for WebAssembly: it stores sums times the scale of their output as float32.
func simdResidual(f *function) {
	scale, dst := f.vectors(2), f.int(number(0))
	f.simdFilter(func(acc []local, sample, output value) {
		f.set(dst, add(f.arg("dst"), shift(add(multiply(sample, f.arg("biasLen")), output), 2)))
		for i := range scale {
			f.set(scale[i], load(add(f.arg("scale"), shift(output, 2)), 16*i))
		}
		for s := range len(acc) / 2 {
			for i, v := range acc[2*s:][:2] {
				f.store(dst.value(), 16*i, mulFloats(toFloats(v.value()), scale[i].value()))
			}
			f.increase(dst, shift(f.arg("biasLen"), 2))
		}
	})
}

// simdFilter sums up 8 outputs, from output on, of 4 samples, from sample on, at a time. finish gets the sums as two
// vectors for each sample. The last 4 samples end where the row ends, so that some samples are computed twice.
func (f *function) simdFilter(finish func(acc []local, sample, output value)) {
	const tall, wide, group = 4, 2, 16
	output, row, left, pairs := f.int(number(0)), f.int(number(0)), f.int(number(0)), f.int(number(0))
	step, weights := f.int(shift(f.arg("step"), 1)), f.int(number(0))
	block := f.int(multiply(f.arg("rowsLen"), shift(f.arg("words"), 2))) // bytes of the weights of an output
	acc, x, words := f.vectors(tall*wide), f.vectors(1)[0], f.vectors(wide)
	var at [tall]local
	for s := range at {
		at[s] = f.int(number(0))
	}
	f.repeat(func() value {
		f.eachGroup("samples", tall, func(first value) {
			for s := range tall {
				for i := range wide {
					f.set(acc[s*wide+i], load(add(f.arg("bias"), shift(output.value(), 2)), 16*i))
				}
			}
			f.set(weights, add(f.arg("weights"), add(multiply(block.value(), and(output.value(), number(-group))),
				shift(and(output.value(), number(group-1)), 2))))
			f.set(row, f.arg("rows"))
			f.set(left, f.arg("rowsLen"))
			f.repeat(func() value {
				f.set(at[0], add(add(f.arg("src"), shift(word(row.value(), 0), 1)), multiply(first, step.value())))
				for s := 1; s < tall; s++ {
					f.set(at[s], add(at[s-1].value(), step.value()))
				}
				f.set(pairs, f.arg("words"))
				f.repeat(func() value {
					for i := range wide {
						f.set(words[i], load(weights.value(), 16*i))
					}
					for s := range tall {
						f.addProducts(acc[s*wide:][:wide], words, x, loadSplat(at[s].value(), 0))
						f.increase(at[s], number(4))
					}
					f.increase(weights, number(4*group))
					f.increase(pairs, number(-1))
					return pairs.value()
				})
				f.increase(row, number(8))
				f.increase(left, number(-1))
				return left.value()
			})
			finish(acc, first, output.value())
		})
		f.increase(output, number(4*wide))
		return below(output.value(), f.arg("biasLen"))
	})
}
