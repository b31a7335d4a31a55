package main

// lanes is how many numbers of a vector are loaded and stored: all 4, or 1, the first.
type lanes int

// load returns the numbers at an address, followed by zeros.
func (n lanes) load(at value, offset int) value {
	if n == 1 {
		return loadOne(at, offset)
	}
	return load(at, offset)
}

func (n lanes) store(f *function, at value, offset int, v value) {
	if n == 1 {
		f.storeLane(at, offset, v, 0)
	} else {
		f.store(at, offset, v)
	}
}

// simdCombine writes combine, dst[x] = Σ_k weight[k]·src[at[k]+x], or combineOnto, which adds base[x] and clips to
// 0..1. It processes dst four vectors at a time, then one vector, then one number.
func (f *function) simdCombine(onto bool) {
	rest, k := f.int(f.arg("dstLen")), f.int(number(0))
	dst, src, base := f.int(f.arg("dst")), f.int(f.arg("src")), f.int(number(0))
	if onto {
		f.set(base, f.arg("base"))
	}
	from, w, acc := f.int(number(0)), f.vectors(1)[0], f.vectors(4)
	for _, part := range []struct {
		vectors int
		lanes
	}{{4, 4}, {1, 4}, {1, 1}} {
		n := part.vectors * int(part.lanes)
		f.while(above(rest.value(), number(n-1)), func() {
			for i, a := range acc[:part.vectors] {
				if onto {
					f.set(a, part.load(base.value(), 16*i))
				} else {
					f.set(a, same(0))
				}
			}
			f.set(k, number(0))
			f.while(below(k.value(), f.arg("atLen")), func() {
				f.set(from, add(src.value(), shift(word(add(f.arg("at"), shift(k.value(), 3)), 0), 2)))
				f.set(w, loadSplat(add(f.arg("weight"), shift(k.value(), 2)), 0))
				for i, a := range acc[:part.vectors] {
					f.set(a, addFloats(a.value(), mulFloats(w.value(), part.load(from.value(), 16*i))))
				}
				f.increase(k, number(1))
			})
			for i, a := range acc[:part.vectors] {
				v := a.value()
				if onto {
					v = minFloats(maxFloats(same(0), v), same(floatOne)) // NaN becomes 0
				}
				part.store(f, dst.value(), 16*i, v)
			}
			for _, p := range []local{dst, src, base} {
				f.increase(p, number(4*n))
			}
			f.increase(rest, number(-n))
		})
	}
}

// simdAddPixels has a loop for each scale. A loop processes all pixels of a sample together.
func simdAddPixels(f *function) {
	step := f.int(shift(f.arg("step"), 2))
	left, own := f.int(f.arg("sums")), f.int(add(step.value(), shift(f.arg("outputs"), 2)))
	next := f.int(add(left.value(), shift(own.value(), 1)))
	f.set(own, add(left.value(), own.value()))
	dst, was, n := f.int(f.arg("dst")), f.int(f.arg("was")), f.int(f.arg("n"))
	rows := map[string]local{}
	for _, name := range []string{"share", "least", "most"} {
		rows[name] = f.int(f.arg(name))
	}
	v := f.vectors(1)[0]
	for scale := 2; scale <= 4; scale++ {
		pixels := func(at local) value {
			switch scale {
			case 2:
				return loadTwo(at.value(), 0)
			case 3:
				return loadLane(at.value(), 8, loadTwo(at.value(), 0), 2)
			}
			return load(at.value(), 0)
		}
		f.when(equal(f.arg("scale"), number(scale)), func() {
			f.repeat(func() value {
				bound := func(name string) value { return loadSplat(rows[name].value(), 0) }
				f.set(v, addFloats(addFloats(pixels(left), pixels(own)), pixels(next)))
				f.set(v, addFloats(pixels(was), mulFloats(bound("share"), v.value())))
				f.set(v, minFloats(maxFloats(bound("least"), v.value()), bound("most"))) // NaN becomes the least value
				switch scale {
				case 4:
					f.store(dst.value(), 0, v.value())
				case 3:
					f.storeLane(dst.value(), 8, v.value(), 2)
					fallthrough
				case 2:
					f.storeTwo(dst.value(), 0, v.value())
				}
				f.increase(dst, number(4*scale))
				f.increase(was, number(4*scale))
				for _, p := range []local{left, own, next} {
					f.increase(p, step.value())
				}
				for _, name := range []string{"share", "least", "most"} {
					f.increase(rows[name], shift(f.arg(name+"Step"), 2))
				}
				f.increase(n, number(-1))
				return n.value()
			})
		}, nil)
	}
}

// around writes a loop over groups of four positions: body gets the nine samples around each position one after
// another, the middle one first, and then finish gets the byte offset of the group.
func (f *function) around(finish func(at local), body func(first bool, sample value)) {
	at := f.int(number(0))
	x := f.vectors(1)[0]
	f.while(below(at.value(), shift(f.arg("leastLen"), 2)), func() {
		for i, row := range []string{"row", "above", "below"} {
			for k, column := range []int{1, 0, 2} {
				f.set(x, load(add(f.arg(row), at.value()), 4*column))
				body(i+k == 0, x.value())
			}
		}
		finish(at)
		f.increase(at, number(16))
	})
}

// simdBoundFlatAreas writes boundFlatAreas for WebAssembly: least and most get the minimum and the maximum of the
// nine samples around a position, or −Inf and +Inf where fewer than three samples equal the minimum or the maximum.
func simdBoundFlatAreas(f *function) {
	const many = 2 // equal samples that are not enough
	nine := f.vectors(9)
	lo, hi, los, his := f.vectors(1)[0], f.vectors(1)[0], f.vectors(1)[0], f.vectors(1)[0]
	i := 0
	f.around(func(at local) {
		f.set(los, same(0))
		f.set(his, same(0))
		for _, v := range nine {
			f.set(los, subInts(los.value(), equalInts(v.value(), lo.value()))) // minus −1 if equal
			f.set(his, subInts(his.value(), equalInts(v.value(), hi.value())))
		}
		f.store(add(f.arg("least"), at.value()), 0,
			choose(lo.value(), same(minusInf32), aboveInts(los.value(), same(many))))
		f.store(add(f.arg("most"), at.value()), 0, choose(hi.value(), same(inf32), aboveInts(his.value(), same(many))))
	}, func(first bool, sample value) {
		f.set(nine[i], sample)
		i++
		f.extend(first, sample, lo, hi, minUnsigned, maxInts)
	})
}

// extend sets lo and hi to the first sample, or to the lesser and greater of a later sample and their values.
func (f *function) extend(first bool, sample value, lo, hi local, lesser, greater func(x, y value) value) {
	if first {
		f.set(lo, sample)
		f.set(hi, sample)
	} else {
		f.set(lo, lesser(lo.value(), sample))
		f.set(hi, greater(hi.value(), sample))
	}
}

var _ = register(operation{
	name:      "boundRange",
	signature: "(least, most, above, row, below []float32)",
	lengths:   []string{"least"},
	needs:     "len(least) is a multiple of 8",
	simd: func(f *function) {
		lo, hi, width := f.vectors(1)[0], f.vectors(1)[0], f.vectors(1)[0]
		f.around(func(at local) {
			f.set(width, subFloats(hi.value(), lo.value()))
			f.store(add(f.arg("least"), at.value()), 0, subFloats(lo.value(), width.value()))
			f.store(add(f.arg("most"), at.value()), 0, addFloats(hi.value(), width.value()))
		}, func(first bool, sample value) { f.extend(first, sample, lo, hi, leastFloats, greatestFloats) })
	},
	tiers: []string{SIMD128},
})
