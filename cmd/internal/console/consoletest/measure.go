package consoletest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Measure compares memory that was promised with what was taken, in a table that it prints in the
// end. It is for measurements, which .ci/measure runs one at a time: on a machine that is busy
// with other things garbage is collected later.
type Measure struct {
	t    *testing.T
	most float64
	rows []string
}

// NewMeasure begins a table under a title. What is promised is to be at least what is taken, and
// at most a number of times that.
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

// runs is how often each thing is done: when garbage is collected, and how much of the work of two
// threads comes together, is chance.
const runs = 2

// slack is the part of what is taken by which a promise may be too small or too large in one
// measurement before it fails: the table shows every miss, and what a busy machine does must fail
// no change.
const slack = 0.15

// Add does something twice, which returns the bytes that it has taken. A promise is too
// small where the lesser is more, and too large where it is too many times the greater.
func (m *Measure) Add(name string, promised int64, do func() int64) {
	m.t.Helper()
	least := do()
	greatest := least
	for range runs - 1 {
		taken := do()
		least, greatest = min(least, taken), max(greatest, taken)
	}
	ratio := float64(promised) / float64(least)
	sign := ""
	if ratio < 1-slack || float64(promised) > (m.most+slack)*float64(greatest) {
		m.t.Errorf("%s: promised %d MiB, taken %d to %d MiB, expected 1 to %.2g times that",
			name, promised>>20, least>>20, greatest>>20, m.most)
		sign = " !"
	}
	m.rows = append(m.rows, fmt.Sprintf("%-58s %8.1f %8.1f %6.2f%s", name, mib(promised), mib(least), ratio, sign))
}

// Program is Add for what a program takes in a folder, in a process of its own. A stdin that is
// not nil is its standard input.
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
