package console

import "testing"

func TestQuantity(t *testing.T) {
	for n, want := range map[float64]string{
		0: "0", 7: "7", 999.4: "999", 999.6: "1 K", 24_912: "24.9 K", 1_000_000: "1 M", 388_800_000: "389 M",
		0.389e9: "389 M", 85e12: "85 T", 999.6e12: "1 P", 3.5e20: "350 E",
	} {
		if got := Quantity(n); got != want {
			t.Errorf("%g: %q, expected %q", n, got, want)
		}
	}
}
