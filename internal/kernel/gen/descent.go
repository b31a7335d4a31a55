package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var _ = portable("convolve32",
	"(dst []float32, dstStep int, src []float32, runs []int, step, k int, weight []float32, pitch, gap int, "+
		"bias []float32, n int)", []string{"runs", "bias"},
	"len(bias) is a multiple of 16; len(runs), k and n are at least 1", (*code).convolve32)

// convolve32 writes bias plus the products of each sample's runs of k entries with weights, which lie pitch apart from
// entry to entry, gap apart for each 16 outputs. Several samples of 16 or, with AVX-512, 32 outputs fill registers.
func (c *code) convolve32() {
	tiles, widths := []int{6, 1}, []int{16 / c.lanes32()} // samples of a tile, and vectors of outputs
	if c.lanes == 8 {
		tiles, widths = []int{12, 6, 1}, []int{2, 1}
	}
	acc, right := c.newVectors(widths[0]*tiles[0]), c.newVectors(widths[0])
	room, step := c.bytesOf(lengthName("bias")), c.stepOf()
	for _, w := range widths {
		c.while(room, w*c.bytes(), func() {
			from, to, n := c.param("src"), c.param("dst"), c.param("n")
			for _, tall := range tiles {
				c.while(n, tall, func() {
					c.sumSamples32(step, from, acc[:w*tall], right[:w])
					move := c.bytesOf("dstStep")
					for i, v := range acc[:w*tall] {
						if c.store(v, to, i%w*c.bytes()); i%w == w-1 {
							c.plus(to, move)
						}
					}
					step.skip(from, tall)
					c.increase(n, -tall)
				})
			}
			c.increase(room, -w*c.bytes())
			outputs := c.zeroNumber()
			c.increase(outputs, w*c.bytes())
			c.moveParam("dst", outputs)
			c.moveParam("bias", outputs)
			for range w * c.lanes32() / 16 {
				c.moveParam("weight", c.bytesOf("gap"))
			}
		})
	}
}

// sumSamples32 sets acc to the sums of len(acc)/len(right) samples at and after from: len(right) vectors of outputs
// for each sample. right is for the weights of one entry of a run, which lie pitch after the previous entry's.
func (c *code) sumSamples32(step *stepping, from integer, acc, right []vector) {
	w, bias, left := len(right), c.param("bias"), c.newVector()
	for j := range w {
		c.loadTo(bias, j*c.bytes(), acc[j])
	}
	for i := w; i < len(acc); i++ {
		c.setVector(acc[i], acc[i%w])
	}
	runs, count, weight, pitch := c.param("runs"), c.lengthOf("runs"), c.param("weight"), c.bytesOf("pitch")
	var gap integer
	if w*c.lanes32() > 16 {
		gap = c.bytesOf("gap")
	}
	c.repeat(count, func() {
		samples, k := step.from(c.entry(from, runs, 0), len(acc)/w), c.param("k")
		c.repeat(k, func() {
			for j := range w {
				place := Mem{Base: weight.GPVirtual}
				if c.lanes == 8 && j > 0 {
					place.Index, place.Scale = gap.GPVirtual, 1
					VMOVUPS(place, right[j].VecVirtual)
				} else {
					c.loadTo(weight, j*c.bytes(), right[j])
				}
				if c.arm == nil && j*c.bytes()%64 == 0 {
					place.Disp = ahead
					PREFETCHT0(place)
				}
			}
			for i := range len(acc) / w {
				if w == 1 && c.lanes == 8 {
					VFMADD231PS_BCST(step.at(samples, i), right[0].VecVirtual, acc[i].VecVirtual)
					continue
				}
				step.spread(samples, i, left)
				for j := range w {
					c.multiplyAdd(right[j], left, acc[i*w+j])
				}
			}
			step.next(samples)
			c.plus(weight, pitch)
		})
		c.increase(runs, 8)
	})
}

// stepping addresses samples at multiples of a step: on amd64 seven samples from one pointer, on arm64 one.
type stepping struct {
	*code
	one, three, five integer
}

// stepOf returns the stepping by the parameter step, on amd64 with registers of three and of five steps.
func (c *code) stepOf() *stepping {
	s := &stepping{code: c, one: c.bytesOf("step")}
	if c.arm == nil {
		s.three, s.five = c.newNumber(), c.newNumber()
		LEAQ(Mem{Base: s.one.GPVirtual, Index: s.one.GPVirtual, Scale: 2}, s.three.GPVirtual)
		LEAQ(Mem{Base: s.one.GPVirtual, Index: s.one.GPVirtual, Scale: 4}, s.five.GPVirtual)
	}
	return s
}

// skip moves the pointer p forward by the given number of samples, which are s.one bytes apart.
func (s *stepping) skip(p integer, samples int) {
	if s.arm == nil {
		move := GP64()
		IMUL3Q(U8(samples), s.one.GPVirtual, move)
		ADDQ(move, p.GPVirtual)
		return
	}
	for range samples {
		s.plus(p, s.one)
	}
}

// from returns the pointers from which at and spread reach the given number of samples; first points to the first. On
// arm64 each sample has a pointer, on amd64 seven samples share one.
func (s *stepping) from(first integer, samples int) []integer {
	list := []integer{first}
	switch {
	case s.arm != nil:
		for len(list) < samples {
			list = append(list, s.copyOf(list[len(list)-1]))
			s.plus(list[len(list)-1], s.one)
		}
	case samples > 7:
		list = append(list, s.newNumber())
		LEAQ(Mem{Base: first.GPVirtual, Index: s.five.GPVirtual, Scale: 1}, list[1].GPVirtual)
		LEAQ(Mem{Base: list[1].GPVirtual, Index: s.one.GPVirtual, Scale: 2}, list[1].GPVirtual)
	}
	return list
}

// at returns the memory of sample i on amd64. samples holds a pointer to every seventh sample.
func (s *stepping) at(samples []integer, i int) Mem {
	base := samples[i/7]
	switch i %= 7; i {
	case 0:
		return Mem{Base: base.GPVirtual}
	case 1, 2, 4:
		return Mem{Base: base.GPVirtual, Index: s.one.GPVirtual, Scale: uint8(i)}
	case 3, 6:
		return Mem{Base: base.GPVirtual, Index: s.three.GPVirtual, Scale: uint8(i / 3)}
	default:
		return Mem{Base: base.GPVirtual, Index: s.five.GPVirtual, Scale: 1}
	}
}

// spread sets all lanes of v to the present entry of sample i. next then moves all samples to their next entries; on
// arm64 it does nothing, because spread has already moved sample i.
func (s *stepping) spread(samples []integer, i int, v vector) {
	if s.arm != nil {
		s.spreadNext(samples[i], v)
	} else {
		VBROADCASTSS(s.at(samples, i), v.VecVirtual)
	}
}

func (s *stepping) next(samples []integer) {
	for _, p := range samples {
		if s.arm == nil {
			s.increase(p, 4)
		}
	}
}

var _ = register(operation{
	name:      "correlate",
	signature: "(c []float32, cols int, a []float32, step, strideA int, b []float32, strideB, rows, n, k int)",
	needs:     "k is a multiple of 8, cols of 16; rows and n are at least 1",
	assembly:  tier.correlate,
})

// correlate keeps sums for several entries and one or two vectors of channels in registers, and loops over all samples.
func (t tier) correlate() {
	tall, widths := 8, []int{2, 1}
	if t.lanes == 4 {
		tall, widths = 4, []int{2}
	}
	acc, right, left := t.vecs(widths[0]*tall), t.vecs(widths[0]), t.vec()
	c, a, b, pitch, step, k := pointer("c"), pointer("a"), pointer("b"), pointer("cols"), pointer("step"), pointer("k")
	SHLQ(U8(2), pitch)
	SHLQ(U8(2), step)
	while(k, tall, func() {
		cols, column := pointer("cols"), GP64()
		XORQ(column, column)
		for _, w := range widths {
			while(cols, w*t.lanes32(), func() {
				// tile loads the sums acc of a tile from c or, with store, stores them there.
				tile := func(store bool) {
					at, corner := GP64(), c
					LEAQ(Mem{Base: corner, Index: column, Scale: 1}, at)
					for r := range tall {
						for j := range w {
							if store {
								VMOVUPS(acc[r*w+j], from(at, j*t.bytes()))
							} else {
								VMOVUPS(from(at, j*t.bytes()), acc[r*w+j])
								PREFETCHT0(from(at, ahead+j*t.bytes()))
							}
						}
						ADDQ(pitch, at)
					}
				}
				tile(false)
				rows, rowA, rowB := pointer("rows"), GP64(), GP64()
				MOVQ(a, rowA)
				LEAQ(Mem{Base: b, Index: column, Scale: 1}, rowB)
				while(rows, 1, func() {
					n, pa, pb := pointer("n"), GP64(), GP64()
					MOVQ(rowA, pa)
					MOVQ(rowB, pb)
					loop := label("loop")
					Label(loop)
					for j := range w {
						VMOVUPS(from(pb, j*t.bytes()), right[j])
					}
					for r := range tall {
						if w == 1 && t.lanes == 8 {
							VFMADD231PS_BCST(from(pa, 4*r), right[0], acc[r])
							continue
						}
						VBROADCASTSS(from(pa, 4*r), left)
						for j := range w {
							VFMADD231PS(right[j], left, acc[r*w+j])
						}
					}
					ADDQ(step, pa)
					ADDQ(pitch, pb)
					DECQ(n)
					JNZ(LabelRef(loop))
					stride := pointer("strideA")
					LEAQ(Mem{Base: rowA, Index: stride, Scale: 4}, rowA)
					stride = pointer("strideB")
					LEAQ(Mem{Base: rowB, Index: stride, Scale: 4}, rowB)
					DECQ(rows)
				})
				tile(true)
				ADDQ(U32(w*t.bytes()), column)
				SUBQ(U8(w*t.lanes32()), cols)
			})
		}
		for range tall {
			ADDQ(pitch, c)
		}
		ADDQ(U8(4*tall), a)
		SUBQ(U8(tall), k)
	})
}

var _ = register(operation{
	name:      "activate",
	signature: "(h, z, slope []float32)",
	lengths:   []string{"z", "slope"},
	needs:     "len(slope) is a multiple of 16, len(z) of len(slope)",
	assembly:  tier.activate,
})

// channels writes a loop over the vectors of a sample's channels. body gets the bytes to a vector and of all channels.
func (t tier) channels(slice string, body func(offset, pitch reg.GPVirtual)) {
	n, pitch, offset := lengthOf(slice), GP64(), GP64()
	MOVQ(n, pitch)
	SHLQ(U8(2), pitch)
	XORQ(offset, offset)
	while(n, t.lanes32(), func() {
		body(offset, pitch)
		ADDQ(U8(t.bytes()), offset)
		SUBQ(U8(t.lanes32()), n)
	})
}

// activate computes max(z, 0) + slope·min(z, 0), for one vector of channels at a time, over all samples.
func (t tier) activate() {
	h, z, slope, zero := pointer("h"), pointer("z"), pointer("slope"), t.zero()
	t.channels("slope", func(offset, pitch reg.GPVirtual) {
		s, i, end := t.load(at(slope, offset, 0)), GP64(), lengthOf("z")
		MOVQ(offset, i)
		SHLQ(U8(2), end)
		loop := label("loop")
		Label(loop)
		v, low := t.load(at(z, i, 0)), t.vec()
		VMINPS(zero, v, low)
		VMAXPS(zero, v, v)
		VFMADD231PS(s, low, v)
		VMOVUPS(v, at(h, i, 0))
		ADDQ(pitch, i)
		CMPQ(i, end)
		JL(LabelRef(loop))
	})
}

var _ = register(operation{
	name:      "activateBack",
	signature: "(d, z, slope, toSlope, toBias []float32)",
	lengths:   []string{"d", "slope"},
	needs:     "len(slope) is a multiple of 16, len(d) of len(slope)",
	assembly:  tier.activateBack,
})

// activateBack adds d·z to toSlope and multiplies d by slope where z < 0, and then adds d to toBias everywhere. The
// sums for a vector of channels stay in registers over all samples.
func (t tier) activateBack() {
	d, z, slope, zero := pointer("d"), pointer("z"), pointer("slope"), t.zero()
	toSlope, toBias := pointer("toSlope"), pointer("toBias")
	t.channels("slope", func(offset, pitch reg.GPVirtual) {
		s, slopes, biases := t.load(at(slope, offset, 0)), t.load(at(toSlope, offset, 0)), t.load(at(toBias, offset, 0))
		i, end := GP64(), lengthOf("d")
		MOVQ(offset, i)
		SHLQ(U8(2), end)
		loop := label("loop")
		Label(loop)
		v, low, scaled := t.load(at(d, i, 0)), t.load(at(z, i, 0)), t.vec()
		below := t.compare(less, low, zero)
		VMINPS(zero, low, low)
		VFMADD231PS(low, v, slopes)
		VMULPS(s, v, scaled)
		t.choose(below, scaled, v)
		VADDPS(v, biases, biases)
		VMOVUPS(v, at(d, i, 0))
		ADDQ(pitch, i)
		CMPQ(i, end)
		JL(LabelRef(loop))
		VMOVUPS(slopes, at(toSlope, offset, 0))
		VMOVUPS(biases, at(toBias, offset, 0))
	})
}

var _ = register(operation{
	name:      "adam",
	signature: "(p, m, v, grad []float32, clip, rest1, rest2, rate, least float32)",
	lengths:   []string{"p"},
	needs:     "len(p) is a multiple of 16",
	assembly:  tier.adam,
})

// adam writes Adam: with x = clip·grad, m += rest1·(x − m), v += rest2·(x² − v) and p −= rate·m/(√v + least).
func (t tier) adam() {
	p, m, v, grad := pointer("p"), pointer("m"), pointer("v"), pointer("grad")
	clip, rest1, rest2 := t.number32("clip"), t.number32("rest1"), t.number32("rest2")
	rate, least := t.number32("rate"), t.number32("least")
	n, i := lengthOf("p"), GP64()
	XORQ(i, i)
	while(n, t.lanes32(), func() {
		x, mean, square, old := t.load(at(grad, i, 0)), t.load(at(m, i, 0)), t.load(at(v, i, 0)), t.load(at(p, i, 0))
		VMULPS(clip, x, x)
		d := t.vec()
		VSUBPS(mean, x, d)
		VFMADD231PS(d, rest1, mean)
		VMULPS(x, x, x)
		VSUBPS(square, x, x)
		VFMADD231PS(x, rest2, square)
		VMOVUPS(mean, at(m, i, 0))
		VMOVUPS(square, at(v, i, 0))
		VSQRTPS(square, square)
		VADDPS(least, square, square)
		VMULPS(rate, mean, mean)
		VDIVPS(square, mean, mean)
		VSUBPS(mean, old, old)
		VMOVUPS(old, at(p, i, 0))
		ADDQ(U8(t.bytes()), i)
		SUBQ(U8(t.lanes32()), n)
	})
}
