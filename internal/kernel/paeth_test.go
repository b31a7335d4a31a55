package kernel

import (
	"slices"
	"testing"
)

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

// The fifth filter of PNG over a row of 4,096 pixels of three bytes.
func BenchmarkPaeth(b *testing.B) {
	const n = 3 * 4096
	out, x, above := make([]byte, n), make([]byte, n+3), make([]byte, n+3)
	for i := range x {
		x[i], above[i] = byte(i*i>>5), byte(i*i>>6)
	}
	benchmark(b, "row", 0, 4*n, func() { Paeth(out, x[3:], x[:n], above[3:], above[:n]) })
}
