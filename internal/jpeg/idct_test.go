package jpeg

import (
	"math"
	"math/rand/v2"
	"testing"
)

// exact is the inverse cosine transform by its definition (T.81, A.3.3), rounded once.
func exact(block *[64]int32) (samples [64]byte) {
	for y := range 8 {
		for x := range 8 {
			sum := 0.0
			for v := range 8 {
				for u := range 8 {
					sum += scaleOf(u) * scaleOf(v) * float64(block[8*v+u]) * cosine(x, u) * cosine(y, v)
				}
			}
			samples[8*y+x] = byte(min(max(math.Floor(sum/4+128.5), 0), 255))
		}
	}
	return samples
}

func scaleOf(u int) float64 {
	if u == 0 {
		return math.Sqrt(0.5)
	}
	return 1
}

func cosine(x, u int) float64 { return math.Cos(float64((2*x+1)*u) * math.Pi / 16) }

// The transform is within one level of its definition and hardly ever off, for blocks of few and of all coefficients.
// By the precisions of libjpeg, 1 sample in 60 is off by one; by image/jpeg, 1 in 110 is.
func TestInverse(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const blocks = 500
	off, sum := 0, 0
	for n := range blocks {
		var block [64]int32
		for range 1 + n%64 {
			k := r.IntN(64)
			size := 1 + 1200/(1+k)
			block[k] = int32(r.IntN(2*size) - size)
		}
		want, given := exact(&block), block
		var got [64]byte
		inverse(&block, got[:], 8)
		for i := range got {
			if d := int(got[i]) - int(want[i]); d != 0 {
				off, sum = off+1, sum+d
				if d < -1 || d > 1 {
					t.Fatalf("block %v: sample %d is %d, expected %d", given, i, got[i], want[i])
				}
			}
		}
	}
	t.Logf("%d of %d samples are off by 1; their sum is %d", off, 64*blocks, sum)
	if off > 64*blocks/50 || max(sum, -sum) > off/2 {
		t.Errorf("%d of %d samples are off, in sum by %d", off, 64*blocks, sum)
	}
}

// A block of its first coefficient alone has the same samples by the shorter way.
func TestFlat(t *testing.T) {
	for first := int32(-3000); first <= 3000; first++ {
		var a, b [64]byte
		fillBlock(first, a[:], 8)
		inverse(&[64]int32{first}, b[:], 8)
		if a != b {
			t.Fatalf("%d: %d, and %d by the whole transform", first, a[0], b[0])
		}
	}
}
