package usage

import "fmt"

// Bytes returns n bytes as text, in MiB, rounded down, or in GiB from 1 GiB.
func Bytes(n int64) string {
	if n < 1<<30 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}
