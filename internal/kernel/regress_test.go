package kernel

import (
	"math/rand/v2"
	"slices"
	"testing"
)

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

func TestRegressRefuses(t *testing.T) {
	v, w, i, c := make([]float32, 256), make([]int32, 256), make([]int32, 16), make([]uint8, 4*10+MapRoom)
	far := append(make([]int32, 15), 250)
	one := func(n int, bytes []uint8) *Maps { return &Maps{Words: 1, Out: n, Bytes: bytes, Steps: v[:1]} }
	Regress(nil, 16, nil, 4, nil, nil, nil, []int32{0, 0}, one(10, c)) // no patches need no memory
	refuses(t, map[string]func(){
		"row":          func() { Transpose(v, 16, v, 16, far, 4) },
		"negative row": func() { Transpose(v, 16, v, 16, append(make([]int32, 15), -1), 4) },
		"short map":    func() { Regress(v, 16, w, 4, v, w, i[:1], []int32{0, 1}, one(10, c[:len(c)-1])) },
		"short r":      func() { Regress(v[:15:15], 16, w, 4, v, w, i[:1], []int32{0, 1}, one(10, c)) },
		"groups":       func() { Regress(v, 16, w, 4, v, w, i[:1], []int32{0, 1, 1}, one(10, c)) },
		"scale":        func() { Regress(v, 16, w, 4, v[:2], w, []int32{3}, []int32{0, 1}, one(10, c)) },
		"sum":          func() { Regress(v, 16, w, 4, v, w[:2], []int32{3}, []int32{0, 1}, one(10, c)) },
		"no size":      func() { Regress(v, 16, w, 4, v, w, i[:1], []int32{0, 1}, one(0, c)) },
	})
}
