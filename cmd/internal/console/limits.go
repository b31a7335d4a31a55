package console

import (
	"fmt"
	"io"
	"runtime"
	"slices"

	"github.com/urfave/cli/v2"
)

// ProgressFlags say what is shown while a command is at work: see NewProgress.
var ProgressFlags = []cli.Flag{
	&cli.StringFlag{Name: "progress", Value: "auto", Usage: "`HOW` to show progress: auto, bar, plain (lines that stay) or none; auto is a bar on a terminal, or lines where it takes none, and none elsewhere"},
	&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "show errors only"},
}

// WorkFlags are the flags of all commands that take long.
var WorkFlags = append(slices.Clone(ProgressFlags),
	&cli.IntFlag{Name: "jobs", Aliases: []string{"j"}, Usage: "use `N` processors at most; 0 means all"},
	&cli.Int64Flag{Name: "max-memory", Usage: "refuse what needs more than `N` MiB", Value: 2048})

// PictureFlags are those of the commands that read pictures.
var PictureFlags = append(slices.Clone(WorkFlags),
	&cli.Int64Flag{Name: "max-pixels", Usage: "refuse pictures of more than `N` megapixels", Value: 50})

// Limits are what a command may take of the machine.
type Limits struct {
	// Memory is the most that the work may take, in bytes: --max-memory, 2 GiB.
	Memory int64
	// Pixels is how many a picture may have: --max-pixels, 50 million. It is 0 for a
	// command that reads no pictures.
	Pixels int64
}

// ReadLimits reads the flags of a command that takes long, and applies --jobs.
func ReadLimits(c *cli.Context) (l Limits, err error) {
	jobs, mib, megapixels := c.Int("jobs"), c.Int64("max-memory"), c.Int64("max-pixels")
	switch {
	case FlagOf(c.Command, "max-pixels") != nil && (megapixels < 1 || megapixels > 1<<20):
		return l, Usage("--max-pixels %d: expected 1 to %d megapixels", megapixels, 1<<20)
	case jobs < 0:
		return l, Usage("--jobs %d: expected 0 or more", jobs)
	case mib < 1 || mib > 1<<30:
		return l, Usage("--max-memory %d: expected 1 to %d MiB", mib, 1<<30)
	case jobs > 0:
		runtime.GOMAXPROCS(min(jobs, 256)) // more cost, and are of no use
	}
	return Limits{Memory: mib << 20, Pixels: megapixels * 1e6}, nil
}

// Process estimates the bytes of a process that has so many in use at its peak: with the
// program, and with the garbage that it collects when there is 30 % of it.
func Process(inUse float64) float64 { return 36<<20 + 1.3*inUse }

// EnoughMemory refuses what needs more than so many bytes.
func EnoughMemory(memory int64, what string, need float64, advice string) error {
	if need <= float64(memory) {
		return nil
	}
	size := "more than a million GiB"
	if need < 1<<50 {
		size = Bytes(int64(need))
	}
	return Fail(ExitLimit, fmt.Errorf("%s needs %s, the limit is %s; use --max-memory%s", what, size, Bytes(memory), advice))
}

// ReadWhole reads what may take so many bytes, half of the memory there is.
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
