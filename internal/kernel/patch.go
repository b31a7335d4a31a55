package kernel

// The bits of the form of a square patch: what makes it canonical. First it is
// mirrored across and down, then its rows become columns, and its sign is changed.
const (
	FlipX int32 = 1 << iota
	FlipY
	Turned
	Negative
)

// Forms sets, for every lane, mean to the first of the four moments
//
//	m_c = Σ_i weights[4i+c]·raw[offsets_i + lane]
//
// of a patch and forms to the bits that its others say: Negative when m_3 < 0, and with
// the signs of m_1, m_2 changed then, FlipX when m_1 < 0, FlipY when m_2 < 0, Turned
// when |m_2| > |m_1|. Every product and every sum, in the order of the entries, is
// rounded, so that all machines find the same. The number of lanes, len(forms), is a
// multiple of Lanes.
func Forms(forms []int32, mean, raw []float32, offsets []int32, weights []float32) {
	n := len(forms)
	needOf(n, Lanes)
	if n == 0 {
		return
	}
	inside(offsets, n, len(raw))
	_, _ = mean[n-1], weights[:4*len(offsets)]
	if len(offsets) == 0 {
		panic("kernel: a patch without entries")
	}
	formsOf(forms, mean[:n], raw, offsets, weights)
}

// together is a number of lanes whose sums are held together.
const together = 48

// formsOfGeneric converts every product to float32, so that it is not fused with the sum:
// see Forms.
func formsOfGeneric(forms []int32, mean, raw []float32, offsets []int32, weights []float32) {
	for from := 0; from < len(forms); from += together {
		n := min(together, len(forms)-from)
		var m, gx, gy, e [together]float32
		for i, o := range offsets {
			w := weights[4*i : 4*i+4]
			for b, v := range raw[int(o)+from : int(o)+from+n] {
				m[b] += float32(w[0] * v)
				gx[b] += float32(w[1] * v)
				gy[b] += float32(w[2] * v)
				e[b] += float32(w[3] * v)
			}
		}
		copy(mean[from:from+n], m[:])
		for b := range n {
			forms[from+b] = formOf(gx[b], gy[b], e[b])
		}
	}
}

func formOf(gx, gy, e float32) (form int32) {
	if e < 0 {
		form, gx, gy = Negative, -gx, -gy
	}
	if gx < 0 {
		form, gx = form|FlipX, -gx
	}
	if gy < 0 {
		form, gy = form|FlipY, -gy
	}
	if gy > gx {
		form |= Turned
	}
	return form
}

// Orbit is how many entries of a patch are in an orbit: those at x, y mirrored and
// turned, some of them the same. Number i of them is that at x, y turned when Turned is
// in i, then mirrored down for FlipY and across for FlipX.
const Orbit = 8

// Orient brings patches into their canonical form: every lane is taken less its mean,
// mirrored, turned and its sign changed as its form says. Entry e of a patch in src
// begins at the offset that from has for it, and in dst at that of to. Both list
// orbits, Orbit entries each. The number of lanes, len(forms), is a multiple of Lanes.
func Orient(dst []float32, to []int32, src []float32, from, forms []int32, mean []float32) {
	if n := fits(dst, to, src, from, forms); n > 0 {
		_ = mean[n-1]
		orient(dst, to, src, from, forms, mean)
	}
}

func orientGeneric(dst []float32, to []int32, src []float32, from, forms []int32, mean []float32) {
	for b, form := range forms {
		sign, of, m := signOf(form), &turns[form&7], mean[b]
		for o := 0; o < len(to); o += Orbit {
			to, from := to[o:o+Orbit], from[o:o+Orbit]
			for i, j := range of {
				dst[int(to[i])+b] = sign * (src[int(from[j])+b] - m)
			}
		}
	}
}

// Restore undoes Orient, but for the mean, and takes integers: scale is what 1 stands for
// in every lane.
func Restore(dst []float32, to, src, from, forms []int32, scale []float32) {
	if n := fits(dst, to, src, from, forms); n > 0 {
		_ = scale[n-1]
		restore(dst, to, src, from, forms, scale)
	}
}

func restoreGeneric(dst []float32, to, src, from, forms []int32, scale []float32) {
	for b, form := range forms {
		by, of := signOf(form)*scale[b], &returns[form&7]
		for o := 0; o < len(to); o += Orbit {
			to, from := to[o:o+Orbit], from[o:o+Orbit]
			for i, j := range of {
				dst[int(to[i])+b] = by * float32(src[int(from[j])+b])
			}
		}
	}
}

func signOf(form int32) float32 {
	if form&Negative != 0 {
		return -1
	}
	return 1
}

// turns tells, for every form but for its sign, which entry of an orbit comes to which
// place: when patches are oriented, and when they are restored.
var turns, returns = func() (there, back [8][Orbit]uint8) {
	exchange := func(v *[Orbit]uint8, form, bit int32, pairs ...int) {
		for i := 0; i < len(pairs) && form&bit != 0; i += 2 {
			v[pairs[i]], v[pairs[i+1]] = v[pairs[i+1]], v[pairs[i]]
		}
	}
	for form := range int32(8) {
		for i := range uint8(Orbit) {
			there[form][i], back[form][i] = i, i
		}
		exchange(&there[form], form, FlipX, 0, 1, 2, 3, 4, 5, 6, 7)
		exchange(&there[form], form, FlipY, 0, 2, 1, 3, 4, 6, 5, 7)
		exchange(&there[form], form, Turned, 0, 4, 1, 6, 2, 5, 3, 7)
		for i, j := range there[form] {
			back[form][j] = uint8(i)
		}
	}
	return there, back
}()

// fits returns the number of lanes, or 0 when there is nothing to do.
func fits[T float32 | int32](dst []float32, to []int32, src []T, from, forms []int32) int {
	n := len(forms)
	needOf(n, Lanes)
	needOf(len(to), Orbit)
	if len(from) != len(to) {
		panic("kernel: lists of different lengths")
	}
	if n == 0 || len(to) == 0 {
		return 0
	}
	inside(to, n, len(dst))
	inside(from, n, len(src))
	return n
}
