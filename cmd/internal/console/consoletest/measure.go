package consoletest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Measure compares memory that was promised with memory that was taken, in a table that it prints at the end. It is for
// tests that .ci/measure runs one at a time, since garbage is collected later on a busy machine.
type Measure struct {
	t    *testing.T
	most float64
	rows []string
}

// NewMeasure begins a table under title. A promise must be at least the memory taken and at most most times that.
func NewMeasure(t *testing.T, title string, most float64) *Measure {
	t.Helper()
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("this system does not tell the peak of a process")
	}
	m := &Measure{t: t, most: most}
	t.Cleanup(func() {
		fmt.Printf("\n%-58s %8s %8s %6s\n", title, "promised", "taken", "ratio")
		for _, row := range m.rows {
			fmt.Println(row)
		}
	})
	return m
}

// runs is how often each piece of work is done at most, since the time of garbage collection and the timing of threads
// are chance.
const runs = 2

// slack is the share of the memory taken by which a promise may miss its limits before the test fails, so that a busy
// machine does not fail it. The table shows every miss.
const slack = 0.15

// Add runs do, which returns the bytes that it took, and again if promised, in bytes, does not fit. The test fails if
// promised is less than the least result, or more than most times the greatest, beyond slack.
func (m *Measure) Add(name string, promised int64, do func() int64) {
	m.t.Helper()
	least := do()
	greatest := least
	fits := func(slack float64) bool {
		return float64(promised) >= (1-slack)*float64(least) && float64(promised) <= (m.most+slack)*float64(greatest)
	}
	for i := 1; i < runs && !fits(0); i++ {
		taken := do()
		least, greatest = min(least, taken), max(greatest, taken)
	}
	sign := ""
	if !fits(slack) {
		m.t.Errorf("%s: promised %d MiB, taken %d to %d MiB, expected 1 to %.2g times that",
			name, promised>>20, least>>20, greatest>>20, m.most)
		sign = " !"
	}
	ratio := float64(promised) / float64(least)
	m.rows = append(m.rows, fmt.Sprintf("%-58s %8.1f %8.1f %6.2f%s", name, mib(promised), mib(least), ratio, sign))
}

// Program is Add for the peak memory of the program with args, run in the folder dir in a process of its own. stdin is
// its standard input, unless nil.
func (m *Measure) Program(dir, name string, promised int64, stdin []byte, args ...string) {
	m.t.Helper()
	m.Add(name, promised, func() int64 {
		peak := filepath.Join(dir, "peak")
		cmd := Process(dir, args...)
		cmd.Env = append(cmd.Env, NotePeak(peak))
		if stdin != nil {
			cmd.Stdin = bytes.NewReader(stdin)
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			m.t.Fatalf("%s: %v\n%s", name, err, out)
		}
		return Peak(m.t, peak)
	})
}

func mib(bytes int64) float64 { return float64(bytes) / (1 << 20) }
