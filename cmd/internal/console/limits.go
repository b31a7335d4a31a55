package console

import (
	"io"

	"superres/internal/enlarging"
)

// Limits limit what a command may use: Memory is --max-memory, 2 GiB by default, and Pixels is --max-pixels.
type Limits = enlarging.Limits

// Process estimates the peak memory, in bytes, of a process with inUse bytes of live data: 30 % more, for garbage that
// Go has not collected yet, and 36 MiB for the program itself.
func Process(inUse float64) float64 { return 36<<20 + 1.3*inUse }

// EnoughMemory returns an error with ExitLimit if need bytes exceed the limit of memory bytes. what names the work in
// the message, and advice follows "use --max-memory" there.
func EnoughMemory(memory int64, what string, need float64, advice string) error {
	if need <= float64(memory) {
		return nil
	}
	size := "more than a million GiB"
	if need < 1<<50 { // a larger one may not fit into an int64
		size = Bytes(int64(need))
	}
	return Failf(ExitLimit, "%s needs %s, the limit is %s; use --max-memory%s", what, size, Bytes(memory), advice)
}

// ReadWhole returns all bytes of r, or an error that ends with advice if there are too many. The most is half bytes,
// half of the memory limit, since the data is in memory twice while the buffer grows. name names r in messages.
func ReadWhole(r io.Reader, name string, half int64, advice string) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, half+1))
	if err != nil {
		return nil, Failf(ExitInput, "%s cannot be read: %w", name, err)
	}
	if int64(len(data)) > half {
		return nil, Failf(ExitLimit, "%s has more than %s, half of the limit; %s", name, Bytes(half), advice)
	}
	return data, nil
}
