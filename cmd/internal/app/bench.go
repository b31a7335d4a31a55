package app

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
	"gonum.org/v1/gonum/mat"

	"superres/internal/kernel"
	"superres/learners"
	"superres/learners/planted"
	"superres/learners/sparse"
)

func benchCommand(s *streams) *cli.Command {
	return command(&cli.Command{
		Name: "bench", Usage: "measure the speed of this machine", ArgsUsage: "[FLAGS]",
		Description: `   superres bench                one processor
   superres bench -j 0 --json    all of them, as JSON
   superres bench --only photo   the tasks of that name alone`,
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "jobs", Aliases: []string{"j"}, Value: 1, Usage: "use `N` processors at most; 0 means all"},
			&cli.IntFlag{Name: "runs", Value: 5, Usage: "take the best of `R` runs"},
			&cli.StringFlag{Name: "only", Usage: "measure only tasks whose names match the regular expression `RE`"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
		},
		Action: func(c *cli.Context) error { return bench(c, s) },
	})
}

// benchReport is what bench prints.
type benchReport struct {
	Version string       `json:"version"`
	Go      string       `json:"go"`
	Machine string       `json:"machine"`
	Kernel  string       `json:"kernel"` // the form of package kernel in use
	Workers int          `json:"workers"`
	Tasks   []benchSpeed `json:"tasks"`
}

// benchSpeed is the speed of a task.
type benchSpeed struct {
	Task  string  `json:"task"`
	Speed float64 `json:"speed"`
	Unit  string  `json:"unit"`
}

// benchTask measures one task. run does it once and returns the time that counts.
type benchTask struct {
	name, unit string
	count      float64 // units in a run; 0: the speed is the time itself
	run        func(ctx context.Context) (time.Duration, error)
}

func bench(c *cli.Context, s *streams) error {
	jobs, runs := c.Int("jobs"), c.Int("runs")
	only, err := regexp.Compile(c.String("only"))
	switch {
	case err != nil:
		return usage("--only: %v", err)
	case c.NArg() > 0:
		return usage("bench takes no argument, got %q", c.Args().First())
	case jobs < 0:
		return usage("--jobs %d: expected 0 or more", jobs)
	case runs < 1:
		return usage("--runs %d: expected at least 1", runs)
	case jobs > 0:
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(jobs))
	}
	r := benchReport{
		Version: version, Go: runtime.Version(), Machine: machineName(), Kernel: kernel.Tier(), Workers: runtime.GOMAXPROCS(0),
	}
	var tasks []benchTask
	for _, add := range []func() ([]benchTask, error){fileTasks, pictureTasks, coderTasks, ropTasks, ksvdTasks} {
		more, err := add()
		if err != nil {
			return err
		}
		tasks = append(tasks, more...)
	}
	for _, t := range tasks {
		if !only.MatchString(t.name) {
			continue
		}
		speed, err := r.measure(c.Context, t, runs)
		if err != nil {
			return err
		}
		r.Tasks = append(r.Tasks, speed)
	}
	if c.Bool("json") {
		enc := json.NewEncoder(s.out)
		enc.SetIndent("", "  ")
		return enc.Encode(r)
	}
	_, err = fmt.Fprint(s.out, r.text())
	return err
}

// measure takes the best of some runs.
func (r benchReport) measure(ctx context.Context, t benchTask, runs int) (benchSpeed, error) {
	best := time.Duration(0)
	for range runs {
		took, err := t.run(ctx)
		if err != nil {
			return benchSpeed{}, err
		}
		if best == 0 || took < best {
			best = took
		}
	}
	seconds := best.Seconds()
	speed := benchSpeed{Task: t.name, Unit: t.unit, Speed: seconds}
	if t.count > 0 {
		speed.Speed = t.count / seconds
	}
	return speed, nil
}

func (r benchReport) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "superres %s, %s, %s, kernel %s, workers: %d\n\n", r.Version, r.Go, r.Machine, r.Kernel, r.Workers)
	for _, t := range r.Tasks {
		form := "%-32s %10.0f %-12s"
		if t.Speed < 1000 {
			form = "%-32s %10.3g %-12s"
		}
		line := fmt.Sprintf(form, t.Task, t.Speed, t.Unit)
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// machineName is the name of the processor where the system tells it.
func machineName() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOOS + "/" + runtime.GOARCH
}

// The sizes of ROP's task.
const benchM, benchN, benchK = 32, 1600, 64

// coderTasks code signals by OMP at four sizes.
func coderTasks() (tasks []benchTask, err error) {
	for _, c := range []struct{ n, k, s int }{{9, 128, 3}, {30, 512, 5}, {64, 512, 5}, {64, 1024, 3}} {
		const signals = 20000
		p, err := planted.New(planted.Panel{M: c.n, K: c.k, S: c.s}, signals, 0.3, 1, 0)
		if err != nil {
			return nil, err
		}
		coder := sparse.OMP{Sparsity: c.s}
		tasks = append(tasks, benchTask{
			name: fmt.Sprintf("OMP n=%d K=%d S=%d", c.n, c.k, c.s), unit: "signals/s", count: signals,
			run: func(ctx context.Context) (time.Duration, error) {
				began := time.Now()
				_, err := coder.Code(ctx, p.Dictionary, p.Y)
				return time.Since(began), err
			},
		})
	}
	return tasks, nil
}

// ropTasks are the iterations of ROP, without its start.
func ropTasks() ([]benchTask, error) {
	p, err := planted.New(planted.Panel{M: benchM, K: benchK, S: 6}, benchN, 0, 1, 0)
	if err != nil {
		return nil, err
	}
	const iterations = 20
	return []benchTask{{
		name: fmt.Sprintf("ROP M=%d N=%d K=%d", benchM, benchN, benchK), unit: "iterations/s", count: iterations,
		run: func(ctx context.Context) (time.Duration, error) {
			r, err := learners.ROP{Penalty: 10}.Learn(ctx, p.Y, learners.Options{Atoms: benchK, Iterations: iterations + 1, Seed: 1})
			if err != nil {
				return 0, err
			}
			return r.Steps[iterations].Elapsed - r.Steps[0].Elapsed, nil
		},
	}}, nil
}

// ksvdTasks learn 128 atoms for 10,000 signals of 45 entries in 20 iterations: the size
// of stacked patches of digits.
func ksvdTasks() ([]benchTask, error) {
	p, err := planted.New(planted.Panel{M: 45, K: 128, S: 3}, 10000, 0.3, 1, 0)
	if err != nil {
		return nil, err
	}
	task := func(name string, l learners.Learner) benchTask {
		return benchTask{name: name, unit: "s", run: func(ctx context.Context) (time.Duration, error) {
			return learnTime(ctx, l, p.Y)
		}}
	}
	return []benchTask{
		task("K-SVD approximate, 20 iterations", learners.KSVD{Approximate: true}),
		task("K-SVD exact, 20 iterations", learners.KSVD{}),
	}, nil
}

func learnTime(ctx context.Context, l learners.Learner, y *mat.Dense) (time.Duration, error) {
	began := time.Now()
	_, err := l.Learn(ctx, y, learners.Options{Atoms: 128, Iterations: 20, Seed: 1, Coder: sparse.OMP{Sparsity: 3}})
	return time.Since(began), err
}
