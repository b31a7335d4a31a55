package kernel

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// randomWords are words of bytes from least to most.
func randomWords(n, least, most int, seed uint64) []int32 {
	rng := rand.New(rand.NewPCG(seed, 1))
	v := make([]int32, n)
	for i := range v {
		for range Quad {
			v[i] = v[i]<<8 | int32(least+rng.IntN(most-least+1))&0xff
		}
	}
	return v
}

// randomPairs are words of two integers of 16 bits, of at most so much.
func randomPairs(n, most int, seed uint64) []int32 {
	rng := rand.New(rand.NewPCG(seed, 1))
	v := make([]int32, n)
	for i := range v {
		for range 2 {
			v[i] = v[i]<<16 | int32(rng.IntN(2*most+1)-most)&0xffff
		}
	}
	return v
}

func abs(n int) int { return max(n, -n) }

// dot is the product of two words: the bytes of the second have Offset.
func dot(signed, offset int32) (sum int32) {
	for shift := 0; shift < 32; shift += 8 {
		sum += int32(int8(signed>>shift)) * (offset>>shift&0xff - Offset)
	}
	return sum
}

// The operations on bytes have no rounding that depends on the form: they are compared
// to the last bit.

// Integers are the entries over their scale, at most half of it away.
func TestPairs(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		for n := 0; n <= 80; n += 16 {
			for entries := 1; entries <= 9; entries++ {
				for _, peak := range []int{1, 8191, 32767} {
					ldp, ld := n+3, n+5
					p := random32(ldp*entries, 1)
					if n > 0 {
						for i := range entries {
							p[i*ldp], p[i*ldp+1], p[i*ldp+2] = 0, 1e30*p[i*ldp+1], 1e-33*p[i*ldp+2]
							p[i*ldp+3] = float32(i) - 3.5 // halves
						}
					}
					words, scale := randomWords(ld*(entries+1)/2, 0, 255, 2), make([]float32, n)
					want, wantScale := slices.Clone(words), make([]float32, n)
					Pairs(words, ld, scale, p, ldp, entries, peak)
					if n > 0 {
						pairsGeneric(want, ld, wantScale, p, ldp, entries, float32(peak))
					}
					if !slices.Equal(words, want) || !slices.Equal(scale, wantScale) {
						t.Fatalf("%d lanes of %d differ from what is defined", n, entries)
					}
					for b := range n {
						for i := range entries + entries%2 {
							v := int(int16(words[i/2*ld+b] >> (16 * (i % 2))))
							if i >= entries && v != 0 || abs(v) > peak || i < entries && math.Abs(float64(p[i*ldp+b]-float32(v)*scale[b])) > 0.51*float64(scale[b]) {
								t.Fatalf("lane %d, entry %d of %d: %d, peak %d", b, i, entries, v, peak)
							}
						}
					}
				}
			}
		}
	})
}

func TestMulPairs(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		for _, rows := range []int{0, 8, 16, 40} {
			for _, words := range []int{1, 2, 5, 40} {
				for cols := 0; cols <= 144; cols += 16 {
					lda, ldb, ldc := rows+3, cols+2, cols+5
					// No sum exceeds 31 bits: 80 products of 25.
					a, b := randomPairs(lda*words, 1023, 1), randomPairs(ldb*words, 32767, 2)
					c := randomWords(ldc*rows+cols, 0, 255, 3)
					want := slices.Clone(c)
					for r := range rows {
						for k := range cols {
							sum := int32(0)
							for i := range words {
								x, y := a[i*lda+r], b[i*ldb+k]
								sum += int32(int16(x))*int32(int16(y)) + (x>>16)*(y>>16)
							}
							want[r*ldc+k] = sum
						}
					}
					MulPairs(c, ldc, a, lda, b, ldb, rows, words, cols)
					if !slices.Equal(c, want) {
						t.Fatalf("%d×%d×%d differs", rows, words, cols)
					}
				}
			}
		}
	})
}

// The largest sums that a stage can have come out whole, of both signs.
func TestMulPairsAtItsLimit(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		const words, peak, entry = 129, 4054, 1992 // 258 samples, of length 65,000 and 32,000
		pair := func(v int32) int32 { return v&0xffff | v<<16 }
		a, b, c := make([]int32, 8*words), make([]int32, 16*words), make([]int32, 8*16)
		for i := range words {
			for r := range 8 {
				a[8*i+r] = pair(entry * int32(1-r%2*2))
			}
			for k := range 16 {
				b[16*i+k] = pair(peak * int32(1-k%2*2))
			}
		}
		MulPairs(c, 16, a, 8, b, 16, 8, words, 16)
		for i, v := range c {
			want := int32(2 * words * peak * entry)
			if (i/16+i)%2 == 1 {
				want = -want
			}
			if v != want {
				t.Fatalf("entry %d: %d, expected %d", i, v, want)
			}
		}
	})
}

// Bytes are the entries over their scale, at most half of it away.
func TestPack(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		for n := 0; n <= 80; n += 16 {
			for k := 8; k <= 64; k += 8 {
				ldc, ld := n+3, PadTo(k/Quad, PackRows)+2
				c := randomWords(ldc*k, 0, 255, 1)
				for i := range c {
					c[i] >>= 1 + i%20
				}
				if n > 0 {
					for i := range k {
						c[i*ldc], c[i*ldc+1], c[i*ldc+2] = 0, int32(i&1), int32(2*i-127) // halves
					}
				}
				words, scale, sum := randomWords(ld*n, 0, 255, 2), random32(n, 4), make([]int32, n)
				was := slices.Clone(scale)
				wantWords, wantScale, wantSum := slices.Clone(words), slices.Clone(scale), make([]int32, n)
				Pack(words, ld, scale, sum, c, ldc, k)
				packGeneric(wantWords, ld, wantScale, wantSum, c, ldc, k)
				if !slices.Equal(words, wantWords) || !slices.Equal(scale, wantScale) || !slices.Equal(sum, wantSum) {
					t.Fatalf("%d lanes of %d differ from what is defined", n, k)
				}
				for b := range n {
					total, step := int32(0), float64(scale[b])/float64(was[b])
					for i := range ld - 2 {
						for j := range Quad {
							v := int32(int8(words[b*ld+i] >> (8 * j)))
							total += v
							if e := i*Quad + j; e >= k && v != 0 || e < k && math.Abs(float64(c[e*ldc+b])-float64(v)*step) > 0.501*step {
								t.Fatalf("lane %d, entry %d of %d: %d", b, e, k, v)
							}
						}
					}
					if total != sum[b] {
						t.Fatalf("lane %d: a sum of %d, expected %d", b, sum[b], total)
					}
				}
			}
		}
	})
}

// The best vector is found at every place and lane, of equal ones the first.
func TestNearest(t *testing.T) {
	eachTier(t, func(t *testing.T) {
		for n := 0; n <= 112; n += 16 {
			for _, words := range []int{1, 2, 4, 9} {
				const m, lda = 24, 29
				ldz := n + 3
				z, at := randomWords(ldz*words+n, -127, 127, 1), randomWords(lda*words+m, 0, 255, 2)
				for i := range words {
					at[i*lda+17] = at[i*lda+4] // a tie
					at[i*lda+3] = 0            // the least there is
					if n > 0 {
						z[i*ldz+n/3] = 0
						z[i*ldz+n/2] = 0x7f7f7f7f // the greatest
					}
				}
				index, best, want := make([]int32, n), make([]int32, n), make([]int32, n)
				Nearest(index, best, z, ldz, at, lda, m, words)
				for b := range want {
					most := int32(math.MinInt32)
					for j := range int32(m) {
						score := int32(0)
						for i := range words {
							score += dot(z[i*ldz+b], at[i*lda+int(j)])
						}
						if score > most {
							most, want[b] = score, j
						}
					}
				}
				if !slices.Equal(index, want) {
					t.Fatalf("%d lanes, %d words: %v, defined as %v", n, words, index, want)
				}
				if n > 0 && index[n/3] != 0 {
					t.Fatalf("%d lanes: %d for zeros", n, index[n/3])
				}
			}
		}
		// The place of every maximum is known.
		const lanes, m = 80, 40
		z, at := make([]int32, m*lanes), slices.Repeat([]int32{-0x7f7f7f80}, m*m)
		for b := range lanes {
			z[(b*7)%m*lanes+b], z[m/2*lanes+b] = 2, 2
		}
		for j := range m {
			at[j*m+j]++
		}
		index, best := make([]int32, lanes), make([]int32, lanes)
		Nearest(index, best, z, lanes, at, m, m, m)
		for b := range lanes {
			if int(index[b]) != min(b*7%m, m/2) {
				t.Fatalf("lane %d: %d, expected %d", b, index[b], min(b*7%m, m/2))
			}
		}
	})
}

func TestTranspose(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	eachTier(t, func(t *testing.T) {
		for n := 0; n <= 80; n += 16 {
			for k := 0; k <= 36; k += 4 {
				stride, ld := k+k%5, n+7
				src, order := randomWords(50*stride+k, 0, 255, 1), make([]int32, n)
				for i := range order {
					order[i] = rng.Int32N(50)
				}
				got := randomWords(ld*k+n, 0, 255, 2)
				want := slices.Clone(got)
				Transpose(got, ld, src, stride, order, k)
				transposeGeneric(want, ld, src, stride, order, k)
				if !slices.Equal(got, want) {
					t.Fatalf("%d rows of %d", n, k)
				}
			}
		}
		src, dst, order := random32(16*4, 1), make([]float32, 16*4), make([]int32, 16)
		for i := range order {
			order[i] = int32(i)
		}
		Transpose(dst, 16, src, 4, order, 4)
		if dst[16*3+5] != src[5*4+3] {
			t.Error("float32 are not transposed")
		}
	})
}

// Patches go through the maps of their groups, which are empty, small and large.
func TestRegress(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	eachTier(t, func(t *testing.T) {
		for _, words := range []int{1, 3, 10} {
			for _, out := range []int{1, 8, 9, 16, 20, 24, 33, 48, 49, 144} {
				const rows = 30
				ldq, ldr := words+2, PadTo(out, Lanes)+1
				q, scale, sum := randomWords(rows*ldq, -127, 127, 1), random32(rows, 3), make([]int32, rows)
				for j := range sum {
					for i := range words {
						sum[j] += dot(q[j*ldq+i], 0x01010101+-0x7f7f7f80)
					}
				}
				start := []int32{0, 0, 1, 3, 6, 10, 10, 15, 21, 28}
				maps := &Maps{Words: words, Out: out, Steps: random32(len(start)-1, 4)}
				maps.Bytes = make([]uint8, maps.size()*len(maps.Steps)+MapRoom)
				for i := range maps.Bytes {
					maps.Bytes[i] = uint8(rng.IntN(256))
				}
				order := make([]int32, start[len(start)-1])
				for i, j := range rng.Perm(rows)[:len(order)] {
					order[i] = int32(j)
				}
				got := random32(rows*ldr, 2)
				want := slices.Clone(got)
				Regress(got, ldr, q, ldq, scale, sum, order, start, maps)
				for k, step := range maps.Steps {
					for _, j := range order[start[k]:start[k+1]] {
						for c := range out {
							total := int32(0)
							for i := range Quad * words {
								total += int32(int8(q[int(j)*ldq+i/Quad]>>(8*(i%Quad)))) * (int32(maps.Bytes[k*maps.size()+i/Quad*Quad*out+c*Quad+i%Quad]) - Offset)
							}
							if w := float32(total) * (scale[j] * step); got[int(j)*ldr+c] != w {
								t.Fatalf("%d×%d, map %d, row %d: %g, expected %g", words, out, k, j, got[int(j)*ldr+c], w)
							}
						}
						copy(want[int(j)*ldr:][:ldr-1], got[int(j)*ldr:])
					}
				}
				if !slices.Equal(got, want) {
					t.Fatalf("%d×%d: a row that is in no group was changed", words, out)
				}
			}
		}
	})
}

func TestRefusesBytes(t *testing.T) {
	v, w, i, c := make([]float32, 256), make([]int32, 256), make([]int32, 16), make([]uint8, 4*10+MapRoom)
	far := append(make([]int32, 15), 250)
	one := func(n int, bytes []uint8) *Maps { return &Maps{Words: 1, Out: n, Bytes: bytes, Steps: v[:1]} }
	Regress(nil, 16, nil, 4, nil, nil, nil, []int32{0, 0}, one(10, c)) // no patches need no memory
	for name, call := range map[string]func(){
		"lanes":        func() { Nearest(i[:15], i, w, 16, w, 8, 8, 1) },
		"vectors":      func() { Nearest(i, i, w, 16, w, 8, 7, 1) },
		"short z":      func() { Nearest(i, i, w[:31:31], 16, w, 8, 8, 2) },
		"entries":      func() { Pack(w, 4, v[:16], i, w, 16, 7) },
		"short rows":   func() { Pack(w[:63:63], 4, v[:16], i, w, 16, 8) },
		"peak":         func() { Pairs(w, 16, v[:16], v, 16, 4, 32768) },
		"short p":      func() { Pairs(w, 16, v[:16], v[:63:63], 16, 4, 8191) },
		"short pairs":  func() { Pairs(w[:31:31], 16, v[:16], v, 16, 3, 8191) },
		"rows":         func() { MulPairs(w, 16, w, 8, w, 16, 7, 1, 16) },
		"short C":      func() { MulPairs(w[:127:127], 16, w, 8, w, 16, 8, 1, 16) },
		"row":          func() { Transpose(v, 16, v, 16, far, 4) },
		"negative row": func() { Transpose(v, 16, v, 16, append(make([]int32, 15), -1), 4) },
		"short map":    func() { Regress(v, 16, w, 4, v, w, i[:1], []int32{0, 1}, one(10, c[:len(c)-1])) },
		"short r":      func() { Regress(v[:15:15], 16, w, 4, v, w, i[:1], []int32{0, 1}, one(10, c)) },
		"groups":       func() { Regress(v, 16, w, 4, v, w, i[:1], []int32{0, 1, 1}, one(10, c)) },
		"scale":        func() { Regress(v, 16, w, 4, v[:2], w, []int32{3}, []int32{0, 1}, one(10, c)) },
		"sum":          func() { Regress(v, 16, w, 4, v, w[:2], []int32{3}, []int32{0, 1}, one(10, c)) },
		"no size":      func() { Regress(v, 16, w, 4, v, w, i[:1], []int32{0, 1}, one(0, c)) },
	} {
		refuses(t, name, call)
	}
}

// All of a, b, c and their orders, ties and wraps, at all lengths.
func TestPaeth(t *testing.T) {
	near := func(a, b, c int) int { // as the standard puts it
		p := a + b - c
		toA, toB, toC := abs(p-a), abs(p-b), abs(p-c)
		switch {
		case toA <= toB && toA <= toC:
			return a
		case toB <= toC:
			return b
		}
		return c
	}
	values := []int{0, 1, 2, 63, 64, 126, 127, 128, 129, 200, 253, 254, 255}
	var x, a, b, c []byte
	for i := range len(values) * len(values) * len(values) {
		a = append(a, byte(values[i%len(values)]))
		b = append(b, byte(values[i/len(values)%len(values)]))
		c = append(c, byte(values[i/len(values)/len(values)]))
		x = append(x, byte(i*37))
	}
	eachTier(t, func(t *testing.T) {
		for _, n := range []int{0, 1, 31, 32, 33, 95, 96, len(x)} {
			out := slices.Repeat([]byte{7}, len(x)+1)
			sum := Paeth(out, x[:n], a, b, c)
			want := 0
			for i := range n {
				v := byte(int(x[i]) - near(int(a[i]), int(b[i]), int(c[i])))
				if want += abs(int(int8(v))); out[i] != v {
					t.Fatalf("%d bytes, %d: %d of %d, %d, %d, %d, expected %d", n, i, out[i], x[i], a[i], b[i], c[i], v)
				}
			}
			if sum != want || out[n] != 7 {
				t.Fatalf("%d bytes: a sum of %d, expected %d; then %d", n, sum, want, out[n])
			}
		}
	})
}
