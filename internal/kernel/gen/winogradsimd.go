package main

var _ = register(operation{
	name: "convolveTiles",
	signature: "(dst []int16, second, samples int, src []int16, rows []int, step, channels int, v []int16, " +
		"stride int, sums []int32, sumStride int, weights, bias []int32, positive, negative []float32, " +
		"limits []int16, skip []int16, skipSecond, skipStep, dstStep int)",
	lengths: []string{"bias"},
	needs:   "samples is at least 24, channels a multiple of 8, at least 8, len(bias) a multiple of 16, at least 16",
	simd: func(f *function) {
		f.eachTiles(func(first value) {
			outputs, dstStep, skipStep := f.arg("biasLen"), f.arg("dstStep"), f.arg("skipStep")
			dst := add(f.arg("dst"), shift(multiply(first, dstStep), 1))
			skip := add(f.arg("skip"), shift(multiply(first, skipStep), 1))
			f.call(f.module.operation("transformOutput"), dst, f.arg("second"), f.arg("sums"), f.arg("sumStride"),
				number(tilesPerCall), outputs, f.arg("positive"), f.arg("negative"), f.arg("limits"), skip,
				f.arg("skipSecond"), skipStep, dstStep)
		})
	},
	tiers: []string{SIMD128},
})

// tilesPerCall is the constant of package kernel.
const tilesPerCall = 12

// eachTiles emits code for a loop over the samples of two rows, as many at a time as tilesPerCall tiles of 2×2 outputs
// cover. The loop computes the transformed sums of these tiles. finish emits the rest of the loop, which turns the sums
// into outputs; the value first is the index of their first sample.
func (f *function) eachTiles(finish func(first value)) {
	f.eachGroup("samples", 2*tilesPerCall, func(first value) {
		f.call(f.module.operation("transformInput"), f.arg("v"), f.arg("stride"),
			add(f.arg("src"), shift(multiply(first, f.arg("step")), 1)), f.arg("rows"), f.arg("step"),
			number(tilesPerCall), f.arg("channels"))
		f.call(f.module.operation("multiplyTiles"), f.arg("sums"), f.arg("sumStride"), f.arg("v"), f.arg("stride"),
			number(tilesPerCall), f.arg("channels"), f.arg("weights"), f.arg("bias"), f.arg("biasLen"))
		finish(first)
	})
}

// eachGroup writes a loop over groups of `tall` items. count names the parameter with the number of items, at least
// tall; body writes the work on the group from first on. The last group ends with the last item and may overlap.
func (f *function) eachGroup(count string, tall int, body func(first value)) {
	first, last := f.int(number(0)), f.int(sub(f.arg(count), number(tall)))
	done := f.int(number(0))
	f.repeat(func() value {
		body(first.value())
		f.set(done, equal(first.value(), last.value()))
		f.increase(first, number(tall))
		f.when(above(first.value(), last.value()), func() { f.set(first, last.value()) }, nil)
		return equal(done.value(), number(0))
	})
}

// simdTransformInput writes BᵀdB of the 4×4 samples d of each tile of a row, 8 channels at a time. Two of the four
// columns of a tile are also columns of the tile before.
func simdTransformInput(f *function) {
	channel := f.int(number(0))
	step, entry := f.int(shift(f.arg("step"), 1)), f.int(shift(f.arg("stride"), 1))
	tile := f.int(shift(f.arg("channels"), 1))
	entries := [4]value{1: entry.value(), 2: f.int(shift(entry.value(), 1)).value(),
		3: f.int(multiply(entry.value(), number(3))).value()}
	column := f.int(shift(entry.value(), 2))
	var src, to [4]local
	for y := range 4 {
		src[y], to[y] = f.int(number(0)), f.int(number(0))
	}
	left := f.int(number(0))
	var columns [4][]local
	for x := range columns {
		columns[x] = f.vectors(4)
	}
	read := func(x int) {
		for y, rows := range transformRows {
			a, b := load(src[rows[0]].value(), 0), load(src[rows[1]].value(), 0)
			f.set(columns[x][y], simdTransformEntry(y, a, b))
		}
		for _, p := range src {
			f.increase(p, step.value())
		}
	}
	f.while(below(channel.value(), f.arg("channels")), func() {
		for y := range 4 {
			f.set(src[y], add(f.arg("src"), shift(add(word(f.arg("rows"), 8*y), channel.value()), 1)))
			if y == 0 {
				f.set(to[y], add(f.arg("v"), shift(channel.value(), 1)))
			} else {
				f.set(to[y], add(to[y-1].value(), column.value()))
			}
		}
		read(2)
		read(3)
		f.set(left, f.arg("n"))
		f.repeat(func() value {
			for y := range 4 {
				f.set(columns[0][y], columns[2][y].value())
				f.set(columns[1][y], columns[3][y].value())
			}
			read(2)
			read(3)
			for i, y := range columnOrder {
				for x, with := range transformRows {
					at := to[x].value()
					if i > 0 {
						at = add(at, entries[i])
					}
					f.store(at, 0, simdTransformEntry(x, columns[with[0]][y].value(), columns[with[1]][y].value()))
				}
			}
			for _, p := range to {
				f.increase(p, tile.value())
			}
			f.increase(left, number(-1))
			return left.value()
		})
		f.increase(channel, number(8))
	})
}

// simdTransformEntry computes entry i of Bᵀ times a column: x − y, or in row 1 x + y.
func simdTransformEntry(i int, x, y value) value {
	if i == 1 {
		return addShorts(x, y)
	}
	return subShorts(x, y)
}

// simdMultiplyTiles sums products of input and filter transforms in registers, for an entry, 4 tiles and 8 outputs at
// a time. Rows 1 and 2 come first: the output transform adds their sum to its row 0, their difference to its row 1.
func simdMultiplyTiles(f *function) {
	const tall, wide, unrolled = 4, 2, 4
	tile, line := f.int(shift(f.arg("channels"), 1)), f.int(shift(f.arg("biasLen"), 2))
	entry := f.int(shift(f.arg("stride"), 1))
	toNext := f.int(sub(entry.value(), tile.value())) // from the end of an entry to the next one
	second := f.int(shift(f.arg("sumStride"), 2))
	column, v, weights, sums := f.int(number(0)), f.int(f.arg("v")), f.int(f.arg("weights")), f.int(f.arg("sums"))
	output, left, w := f.int(number(0)), f.int(number(0)), f.int(number(0))
	var at [tall]local
	for s := range at {
		at[s] = f.int(number(0))
	}
	bias := f.vectors(wide)
	acc, kept := f.vectors(tall*wide), f.vectors(tall*wide)
	x, words := f.vectors(1)[0], f.vectors(wide)
	// products adds the products of entry e, and moves the pointers to tiles to the next entry.
	products := func(e int) {
		f.set(w, add(weights.value(), output.value()))
		if e >= 2 {
			f.increase(w, multiply(f.arg("channels"), line.value()))
		}
		if e%2 == 1 {
			f.increase(w, line.value())
		}
		f.set(left, f.arg("channels"))
		f.repeat(func() value {
			for k := range unrolled {
				for i := range wide {
					f.set(words[i], load(w.value(), 16*i))
				}
				for s := range tall {
					f.addProducts(acc[s*wide:][:wide], words, x, loadSplat(at[s].value(), 4*k))
				}
				f.increase(w, shift(line.value(), 1))
			}
			for _, p := range at {
				f.increase(p, number(4*unrolled))
			}
			f.increase(left, number(-2*unrolled))
			return left.value()
		})
		for _, p := range at {
			f.increase(p, toNext.value())
		}
	}
	f.repeat(func() value {
		f.set(output, number(0))
		f.repeat(func() value {
			f.when(equal(column.value(), number(1)), func() {
				for i, b := range bias {
					f.set(b, load(add(f.arg("bias"), output.value()), 16*i))
				}
			}, func() {
				for _, b := range bias {
					f.set(b, same(0))
				}
			})
			f.eachGroup("n", tall, func(first value) {
				f.set(at[0], add(v.value(), multiply(first, tile.value())))
				for s := 1; s < tall; s++ {
					f.set(at[s], add(at[s-1].value(), tile.value()))
				}
				for i, a := range acc {
					f.set(a, bias[i%wide].value())
				}
				products(0)
				for i, a := range acc {
					f.set(kept[i], a.value())
					f.set(a, same(0))
				}
				products(1)
				for i, a := range acc {
					f.set(x, a.value())
					f.set(a, addInts(kept[i].value(), x.value()))
					f.set(kept[i], subInts(kept[i].value(), x.value()))
				}
				products(2)
				to := f.int(add(sums.value(), add(multiply(first, line.value()), output.value())))
				write := func(to value) {
					for s := range tall {
						row := to
						if s > 0 {
							row = add(to, multiply(line.value(), number(s)))
						}
						for i := range wide {
							f.store(row, 16*i, acc[s*wide+i].value())
						}
					}
				}
				write(to.value())
				for i, a := range acc {
					f.set(a, kept[i].value())
				}
				products(3)
				f.increase(to, second.value())
				write(to.value())
			})
			f.increase(output, number(16*wide))
			return below(output.value(), line.value())
		})
		f.increase(v, shift(entry.value(), 2))
		f.increase(weights, shift(multiply(f.arg("channels"), line.value()), 1))
		f.increase(sums, shift(second.value(), 1))
		f.increase(column, number(1))
		return below(column.value(), number(4))
	})
}

// addProducts sets x to sample, which has the same pair of 16-bit samples in every lane. To each lane of acc[i] it
// adds the products of the first and of the second sample with the two weights in the same lane of words[i].
func (f *function) addProducts(acc, words []local, x local, sample value) {
	f.set(x, sample)
	for i, to := range acc {
		f.set(to, addInts(to.value(), dot(x.value(), words[i].value())))
	}
}

// simdOutputs writes a loop over the outputs of tiles, in groups of 32 and finally of 16. body writes the code for 8
// outputs, which begin offset entries after output. lanes are the byte offsets, after the sums of output, of the two
// vectors of sums for these outputs, as ordered by sumLane.
func (f *function) simdOutputs(body func(output value, offset int, lanes [2]int)) {
	output, rest := f.int(number(0)), f.int(f.arg("outputs"))
	for _, group := range []int{32, 16} {
		f.while(above(rest.value(), number(group-1)), func() {
			for i := range group / 8 {
				body(output.value(), 8*i, [2]int{16 * i, 16*i + 2*group})
			}
			f.increase(output, number(group))
			f.increase(rest, number(-group))
		})
	}
}

// tileSums holds pointers to the two rows of sums of a tile, and the bytes from its first column to each other.
type tileSums struct {
	rows           [2]local
	two, four, six local
}

func (f *function) newTileSums() tileSums {
	two := f.int(shift(f.arg("stride"), 3))
	return tileSums{[2]local{f.int(number(0)), f.int(number(0))}, two, f.int(shift(two.value(), 1)),
		f.int(multiply(two.value(), number(3)))}
}

// begin sets the pointers to the sums of the first tile, beginning with the given output.
func (sums tileSums) begin(f *function, output value) {
	f.set(sums.rows[0], add(f.arg("sums"), shift(output, 2)))
	f.set(sums.rows[1], add(sums.rows[0].value(), shift(f.arg("stride"), 2)))
}

// output returns the sums for output (x, y) of a tile: a vector of outputs, lane bytes after the pointers.
func (sums tileSums) output(y, x, lane int) value {
	p := sums.rows[y].value()
	one, two := load(add(p, sums.two.value()), lane), load(add(p, sums.four.value()), lane)
	if x == 0 {
		return addInts(addInts(one, two), load(p, lane))
	}
	return addInts(subInts(one, two), load(add(p, sums.six.value()), lane))
}

// simdTransformOutput writes its loops over outputs and tiles twice: once with skip, once without.
func simdTransformOutput(f *function) {
	limits := f.simdLimits()
	sums := f.newTileSums()
	left, dst, skip := f.int(number(0)), f.int(number(0)), f.int(number(0))
	dstSecond, skipSecond := f.int(shift(f.arg("second"), 1)), f.int(shift(f.arg("skipSecond"), 1))
	dstStep, skipStep := f.int(shift(f.arg("dstStep"), 1)), f.int(shift(f.arg("skipStep"), 1))
	positive, negative := f.vectors(2), f.vectors(2)
	v := f.vectors(2)
	groups := func(adds bool) {
		f.simdOutputs(func(output value, offset int, lanes [2]int) {
			sums.begin(f, output)
			f.set(dst, add(f.arg("dst"), shift(output, 1)))
			f.set(skip, add(f.arg("skip"), shift(output, 1)))
			for i, lane := range lanes {
				f.set(positive[i], load(add(f.arg("positive"), shift(output, 2)), lane))
				f.set(negative[i], load(add(f.arg("negative"), shift(output, 2)), lane))
			}
			f.set(left, f.arg("n"))
			f.repeat(func() value {
				for y := range 2 {
					for x := range 2 {
						for i, lane := range lanes {
							f.set(v[i], sums.output(y, x, lane))
							f.simdScale(v[i], positive[i], negative[i], limits)
						}
						at := func(p, second, step local) value {
							a := p.value()
							if y == 1 {
								a = add(a, second.value())
							}
							if x == 1 {
								a = add(a, step.value())
							}
							return a
						}
						out := narrow(v[0].value(), v[1].value())
						if adds {
							out = limits.sum(out, load(at(skip, skipSecond, skipStep), 2*offset))
						}
						f.store(at(dst, dstSecond, dstStep), 2*offset, out)
					}
				}
				f.increase(dst, shift(dstStep.value(), 1))
				f.increase(skip, shift(skipStep.value(), 1))
				for _, p := range sums.rows {
					f.increase(p, shift(f.arg("outputs"), 2))
				}
				f.increase(left, number(-1))
				return left.value()
			})
		})
	}
	f.when(f.arg("skipStep"), func() { groups(true) }, func() { groups(false) })
}
