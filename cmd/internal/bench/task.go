package bench

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"
)

// task is a piece of work whose speed is measured.
type task struct {
	name, unit string
	count      float64 // how many units a run has; 0 where the time itself is reported
	// run does the work once and returns the time that counts.
	run func(ctx context.Context) (time.Duration, error)
}

// allTasks returns the tasks in the order in which they are measured. It prepares their data, so that this time does
// not count.
func allTasks() (tasks []task, err error) {
	for _, list := range []func() ([]task, error){fileTasks, pictureTasks, coderTasks, ropTasks, ksvdTasks} {
		listed, err := list()
		if err != nil {
			return nil, err
		}
		tasks = append(tasks, listed...)
	}
	return tasks, nil
}

// measure returns the speed of the fastest of a number of runs.
func (t task) measure(ctx context.Context, runs int) (speed, error) {
	best := time.Duration(0)
	for range runs {
		took, err := t.run(ctx)
		if err != nil {
			return speed{}, err
		}
		if best == 0 || took < best {
			best = took
		}
	}
	v := speed{Task: t.name, Unit: t.unit, Speed: best.Seconds()}
	if t.count > 0 {
		v.Speed = t.count / best.Seconds()
	}
	return v, nil
}

// speed is the measured speed of a task.
type speed struct {
	// Task is its name.
	Task string `json:"task"`
	// Speed is how many units it does in a second, or how many seconds it takes.
	Speed float64 `json:"speed"`
	// Unit is that of Speed.
	Unit string `json:"unit"`
}

// report is the output of superres bench.
type report struct {
	// Version is that of the program.
	Version string `json:"version"`
	// Go is the version of the compiler.
	Go string `json:"go"`
	// Machine is the name of the processor, or its kind where the system does not tell it.
	Machine string `json:"machine"`
	// Kernel is the form of the innermost loops in use.
	Kernel string `json:"kernel"`
	// Workers is how many processors were used at most.
	Workers int `json:"workers"`
	// Tasks are those that were measured, in order.
	Tasks []speed `json:"tasks"`
}

// head returns the first lines of the report as text.
func (r report) head() string {
	return fmt.Sprintf("superres %s, %s, %s, kernel %s, workers: %d\n\n", r.Version, r.Go, r.Machine,
		r.Kernel, r.Workers)
}

// line returns the line of a task in the report as text.
func (v speed) line() string {
	form := "%-32s %10.0f %-12s"
	if v.Speed < 1000 {
		form = "%-32s %10.3g %-12s"
	}
	return strings.TrimRight(fmt.Sprintf(form, v.Task, v.Speed, v.Unit), " ") + "\n"
}

// machineName returns the name of the processor or, where the system does not say it, the system and the architecture.
func machineName() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOOS + "/" + runtime.GOARCH
}
