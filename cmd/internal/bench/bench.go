// Package bench is the command superres bench: it measures the speed of a machine.
//
// Read it in this order: bench.go, the flags, the measurement and the output; tasks.go, the tasks measured.
package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/internal/kernel"
	"superres/internal/settings"
)

// Command returns the command superres bench.
func Command(s *console.Streams) *cli.Command {
	var opt Options
	return console.Command(&cli.Command{
		Name: "bench", Usage: "measure the speed of this machine",
		Description: `   superres bench                one processor
   superres bench -j 0 --json    all of them, as JSON
   superres bench --only photo   the tasks of that name alone

A speed is that of the fastest run, processor s the time of all processors in the run
that used least, which other programs disturb less.

Which of the innermost loops run (Go, AVX2, AVX-512 with VNNI) is told in the first
line; GODEBUG=cpu.avx512f=off withholds AVX-512.`,
		Flags:  console.Flags(opt.table()),
		Action: func(c *cli.Context) error { return run(c.Context, opt, s) },
	})
}

// table returns the options of superres bench, with their defaults.
func (opt *Options) table() settings.Table {
	return settings.Table{
		{Name: "jobs", Aliases: []string{"j", "threads"}, To: settings.Num(&opt.Jobs, 1).AtLeast(0),
			Help: "use `N` processors at most; 0 means all"},
		{Name: "runs", To: settings.Num(&opt.Runs, 5).AtLeast(1), Help: "take the best of `R` runs"},
		{Name: "only", To: settings.Parsed(&opt.Only, "", readOnly), Help: "measure only tasks whose names match the " +
			"regular expression `RE`"},
		console.JSONOption(&opt.JSON, "print JSON"),
	}
}

// readOnly compiles text, the value of --only. An error is a usage error.
func readOnly(text string) (*regexp.Regexp, error) {
	only, err := regexp.Compile(text)
	if err != nil {
		return nil, console.Usage("--only: %v", err)
	}
	return only, nil
}

// Options are the settings for one run of the command; the options in table set them.
type Options struct {
	Jobs int
	Runs int
	Only *regexp.Regexp // nil: all tasks
	JSON bool
}

// run measures the tasks selected by opt and prints the report, with a warning if other programs are busy.
func run(ctx context.Context, opt Options, s *console.Streams) error {
	if opt.Jobs > 0 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(opt.Jobs))
	}
	r := report{
		Version: console.Version, Go: runtime.Version(), Machine: machineName(), Kernel: kernel.Tier(),
		Workers: runtime.GOMAXPROCS(0),
	}
	r.Free = freeShare(r.Workers)
	tasks, err := allTasks()
	if err != nil {
		return err
	}
	say := func(text string) error { // prints each line at once, as all tasks take a minute; nothing with --json
		if opt.JSON {
			return nil
		}
		_, err := io.WriteString(s.Out, text)
		return err
	}
	if err := say(r.head()); err != nil {
		return err
	}
	for _, t := range tasks {
		if opt.Only != nil && !opt.Only.MatchString(t.name) {
			continue
		}
		v, err := t.measure(ctx, opt.Runs)
		if err != nil {
			return err
		}
		r.Tasks = append(r.Tasks, v)
		if err := say(v.line()); err != nil {
			return err
		}
	}
	if opt.JSON {
		return console.WriteJSON(s.Out, r)
	}
	return say(r.busy())
}

// freeShare returns how much of the time of count processors, 0 to 1, this process gets if it tries to use all of them
// without a pause: 1 if no other program is busy.
func freeShare(count int) float64 {
	const duration = 100 * time.Millisecond
	began, used := time.Now(), processorTime()
	var all sync.WaitGroup
	for range count {
		all.Go(func() {
			for time.Since(began) < duration {
			}
		})
	}
	all.Wait()
	return min((processorTime()-used).Seconds()/(float64(count)*time.Since(began).Seconds()), 1)
}

// task is a piece of work whose speed is measured.
type task struct {
	name, unit string
	count      float64 // number of units in a run; 0: the speed is the time of a run, in unit
	// run does the work once and returns the time to report, which leaves out preparations.
	run func(ctx context.Context) (time.Duration, error)
}

// allTasks returns the tasks in the order of measurement. It also prepares their data, which is not measured.
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

// measure returns the speed of the fastest of the given number of runs, in units a second or, if t.count is 0, as its
// time in seconds, and the least processor time of a run.
func (t task) measure(ctx context.Context, runs int) (speed, error) {
	best, least := time.Duration(0), 0.0
	for range runs {
		began, used := time.Now(), processorTime()
		took, err := t.run(ctx)
		if err != nil {
			return speed{}, err
		}
		if best == 0 || took < best {
			best = took
		}
		// The part of a run that is not timed is assumed to use processors like the timed part.
		processor := took.Seconds() * (processorTime() - used).Seconds() / time.Since(began).Seconds()
		if least == 0 || processor < least {
			least = processor
		}
	}
	v := speed{Task: t.name, Unit: t.unit, Speed: best.Seconds(), Processor: least}
	if t.count > 0 {
		v.Speed = t.count / best.Seconds()
	}
	return v, nil
}

// speed is the measured speed of a task.
type speed struct {
	Task      string  `json:"task"`              // the name of the task
	Speed     float64 `json:"speed"`             // units a second, or seconds if Unit is a time
	Unit      string  `json:"unit"`              // the unit of Speed
	Processor float64 `json:"processor_seconds"` // the least processor time of a run in seconds, over all processors
}

// report is the output of superres bench.
type report struct {
	Version string  `json:"version"` // the version of superres
	Go      string  `json:"go"`      // the version of the compiler
	Machine string  `json:"machine"` // the name of the processor; if unknown, system and architecture
	Kernel  string  `json:"kernel"`  // which implementation of the innermost loops runs
	Workers int     `json:"workers"` // greatest number of processors in use
	Free    float64 `json:"free"`    // share of processor time left by other programs, 0 to 1
	Tasks   []speed `json:"tasks"`   // the tasks measured, in order
}

// head returns the first lines of the report as text.
func (r report) head() string {
	return fmt.Sprintf("superres %s, %s, %s, kernel %s, workers: %d\n\n", r.Version, r.Go, r.Machine,
		r.Kernel, r.Workers)
}

// line returns the line about task v in the report.
func (v speed) line() string {
	form := "%-32s %10.0f %-12s %8.3g processor s\n"
	if v.Speed < 1000 {
		form = "%-32s %10.3g %-12s %8.3g processor s\n"
	}
	return fmt.Sprintf(form, v.Task, v.Speed, v.Unit, v.Processor)
}

// busy returns a warning if the machine is busy with other work, else "".
func (r report) busy() string {
	const most = 0.9 // below this share, errors of speeds exceed their variation from run to run
	if r.Free >= most {
		return ""
	}
	return fmt.Sprintf("\nThe machine is busy: other programs took %.0f %% of the time. Compare processor seconds.\n",
		100*(1-r.Free))
}

// machineName returns the name of the processor from /proc/cpuinfo, else the operating system and the architecture.
func machineName() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOOS + "/" + runtime.GOARCH
}
