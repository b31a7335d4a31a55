package console

import (
	"io"

	"superres/internal/enlarging"
)

// Limits are how much of the machine a command may use: Memory is --max-memory, 2 GiB by default, and Pixels is
// --max-pixels.
type Limits = enlarging.Limits

// Process estimates the peak memory of a process, in bytes, of which inUse bytes are live: it adds 36 MiB for the
// program itself, and 30 % for garbage that Go has not collected yet.
func Process(inUse float64) float64 { return 36<<20 + 1.3*inUse }

// EnoughMemory returns an error with ExitLimit if need, in bytes, is more than the limit memory, in bytes. what names
// the work, and advice follows "use --max-memory" in the message.
func EnoughMemory(memory int64, what string, need float64, advice string) error {
	if need <= float64(memory) {
		return nil
	}
	size := "more than a million GiB"
	if need < 1<<50 {
		size = Bytes(int64(need))
	}
	return Failf(ExitLimit, "%s needs %s, the limit is %s; use --max-memory%s", what, size, Bytes(memory), advice)
}

// ReadWhole returns all bytes of r, called name in messages, or an error if there are more than half. half is half of
// the memory limit in bytes, since growing the buffer holds the data twice; advice ends the message of that error.
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
