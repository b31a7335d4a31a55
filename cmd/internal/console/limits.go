package console

import (
	"fmt"
	"io"
)

// Limits are what a command may take of the machine.
type Limits struct {
	// Memory is the most that the work may take, in bytes: --max-memory, 2 GiB.
	Memory int64
	// Pixels is how many a picture may have: --max-pixels, 50 million. It is 0 for a command that reads no pictures.
	Pixels int64
}

// Process estimates the peak memory of a process, in bytes, from the bytes that are in use at its peak. It adds the
// program itself, and the garbage that Go lets grow to 30 % before it collects it.
func Process(inUse float64) float64 { return 36<<20 + 1.3*inUse }

// EnoughMemory returns an error if some work needs more memory than the limit, in bytes.
func EnoughMemory(memory int64, what string, need float64, advice string) error {
	if need <= float64(memory) {
		return nil
	}
	size := "more than a million GiB"
	if need < 1<<50 {
		size = Bytes(int64(need))
	}
	return Fail(ExitLimit, fmt.Errorf("%s needs %s, the limit is %s; use --max-memory%s", what, size, Bytes(memory),
		advice))
}

// ReadWhole reads all of r, which may have half bytes: half of the memory limit, since it is held twice.
func ReadWhole(r io.Reader, name string, half int64, advice string) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, half+1))
	if err != nil {
		return nil, Fail(ExitInput, fmt.Errorf("%s cannot be read: %w", name, err))
	}
	if int64(len(data)) > half {
		return nil, Fail(ExitLimit, fmt.Errorf("%s has more than %s, half of the limit; %s", name, Bytes(half), advice))
	}
	return data, nil
}
