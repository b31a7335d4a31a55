package consoletest

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// PutNetwork writes a small network with random weights from seed in the format of ncnn: its layers to path, which ends
// in .param, and its weights to the .bin file beside it. The network enlarges RGB by scale, 1 to 4: two convolutions of
// 3×3, with 16 channels between, are added to the picture enlarged by repeating its pixels.
func PutNetwork(t *testing.T, path string, scale int, seed uint64) {
	t.Helper()
	const hidden = 16
	out := 3 * scale * scale
	param := fmt.Sprintf(`7767517
8 9
Input     data 0 1 data 0=0 1=0 2=3
Split     copy 1 2 data one two
Convolution first 1 1 one first 0=%d 1=3 4=1 5=1 6=%d
PReLU     slope 1 1 first slope 0=%d
Convolution last 1 1 slope last 0=%d 1=3 4=1 5=1 6=%d
PixelShuffle shuffle 1 1 last shuffle 0=%d
Interp    near 1 1 two near 0=1 1=%d.0 2=%d.0
BinaryOp  add 2 1 shuffle near output 0=0
`, hidden, 9*3*hidden, hidden, out, 9*hidden*out, scale, scale, scale)
	random := rand.New(rand.NewPCG(seed, 1))
	var bin []byte
	put := func(count int, size float64) { // size is the standard deviation
		for range count {
			v := float32(size * random.NormFloat64())
			bin = binary.LittleEndian.AppendUint32(bin, math.Float32bits(v))
		}
	}
	put(1, 0)               // a tag of 0: the weights have 32 bits
	put(9*3*hidden, 0.2)    // weights of the first convolution
	put(hidden, 0.01)       // its biases
	put(hidden, 0.2)        // slopes of the PReLU
	put(1, 0)               // a tag, as above
	put(9*hidden*out, 0.02) // weights of the last convolution
	put(out, 0.01)          // its biases
	Put(t, path, []byte(param))
	Put(t, strings.TrimSuffix(path, ".param")+".bin", bin)
}
