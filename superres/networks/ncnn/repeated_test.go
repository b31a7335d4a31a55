package ncnn

import (
	"fmt"
	"strings"
	"testing"

	"superres/internal/heap"
)

// TestManySmall reads files in which small things repeat: no more than three times the size of the file is in memory
// beside it, and no more than 16 MiB for files of less.
func TestManySmall(t *testing.T) {
	const floor = 16 << 20 // bytes
	ones := strings.Repeat(",1", 4096)
	const input = "7767517\n20000 9\nInput in 0 1 a\n"
	repeat := func(text string, size int) []byte { return []byte(strings.Repeat(text, size/len(text))) }
	for what, param := range map[string][]byte{
		"counts":      append([]byte("7767517\n"), repeat("1 ", 14<<20)...),
		"inputs":      append([]byte(input+"Concat c 7000000 1 "), repeat("a ", 14<<20)...),
		"outputs":     append([]byte(input+"Split s 1 7000000 a "), repeat("b ", 14<<20)...),
		"parameters":  append([]byte(input+"ReLU r 1 1 a b "), repeat("0=1 ", 14<<20)...),
		"an array":    append([]byte(input+"ReLU r 1 1 a b -23300=7000000"), repeat(",1", 14<<20)...),
		"arrays":      append([]byte(input), repeat("ReLU r 1 1 a b -23300=4096"+ones+"\n", 14<<20)...),
		"empty lines": append([]byte(input), repeat("\n", 14<<20)...),
		"blobs": func() []byte {
			var b strings.Builder
			b.WriteString(input)
			for i := range 8_000 {
				fmt.Fprintf(&b, "Split s 1 250 a")
				for k := range 250 {
					fmt.Fprintf(&b, " v%x", i*250+k)
				}
				b.WriteString("\n")
			}
			return []byte(b.String())
		}(),
		"layers": func() []byte {
			var b strings.Builder
			b.WriteString(input)
			for i := range 19_999 {
				fmt.Fprintf(&b, "ReLU r 1 1 a v%x\n", i)
			}
			return []byte(b.String())
		}(),
	} {
		most := max(3*int64(len(param)), floor)
		took := heap.Within(most, func() { _, _ = Read(param, nil) })
		t.Logf("%s: %d KB for %d KB", what, took>>10, len(param)>>10)
		if took > most {
			t.Errorf("%s: %d KB for %d KB", what, took>>10, len(param)>>10)
		}
	}
}
