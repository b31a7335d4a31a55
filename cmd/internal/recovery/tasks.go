package recovery

import (
	"fmt"
	"runtime"

	"superres/cmd/internal/console"
	"superres/cmd/internal/parts"
	"superres/cmd/internal/plugins"
	"superres/learners"
	"superres/learners/planted"
)

// tasks makes the trials: by panel, number of signals, trial and learner.
func (opt Options) tasks() ([]planted.Task, error) {
	count := 0.0
	for _, p := range opt.Panels {
		count += float64(opt.Trials) * float64(len(opt.Learners)) * float64(len(opt.sizes(p)))
	}
	if count > parts.MaxTrials {
		return nil, console.Usage("%.0f trials are asked for, expected %d at most; use a smaller --trials or several -o", count, parts.MaxTrials)
	}
	var tasks []planted.Task
	for _, p := range opt.Panels {
		coder, err := plugins.WithSparsity(opt.Coder, p.S)
		if err != nil {
			return nil, err
		}
		programs, err := plugins.Fingerprints(opt.Learners, coder)
		if err != nil {
			return nil, err
		}
		for _, n := range opt.sizes(p) {
			for trial := range opt.Trials {
				for i, name := range opt.Learners {
					tasks = append(tasks, planted.Task{
						M: p.M, K: p.K, S: p.S, N: n, Noise: opt.Noise, Trial: trial, Seed: opt.Seed,
						Learner: name, Coder: coder, Limit: opt.Iterations, Program: programs[i],
					})
				}
			}
		}
	}
	return tasks, nil
}

// sizes are the numbers of signals at which a panel is drawn.
func (opt Options) sizes(p planted.Panel) []int {
	if len(opt.Sizes) > 0 {
		return opt.Sizes
	}
	return usualSizes(p)
}

// usualSizes returns the numbers of signals at which a panel is drawn: those of the
// paper's panels, else multiples of K.
func usualSizes(p planted.Panel) []int {
	for _, f := range planted.Figure1 {
		if f.Panel == p {
			return f.N
		}
	}
	var list []int
	for _, f := range []int{2, 3, 5, 7, 10, 14, 20, 28} {
		list = append(list, f*p.K)
	}
	return list
}

// enoughMemory refuses trials that take more memory than there is, beside one another:
// to learn, and to compare every atom with every other.
func enoughMemory(tasks []planted.Task, memory int64) error {
	for _, t := range tasks {
		learner, err := learners.New(t.Learner)
		if err != nil {
			return err
		}
		together := float64(min(runtime.GOMAXPROCS(0), len(tasks)))
		need := console.Process(together * (8*float64(t.M)*float64(t.N) + learner.Memory(t.M, t.N, t.K, t.S) + 8*float64(t.K)*float64(t.K+2*t.M)))
		if need > float64(memory) {
			return console.Fail(
				console.ExitLimit, fmt.Errorf("%s with M,K,S = %d,%d,%d and N = %d needs %s for %.0f trials at a time, the limit is %s; use --max-memory, a smaller -j or a smaller --n",
					t.Learner, t.M, t.K, t.S, t.N, console.Bytes(int64(min(need, 1<<60))), together, console.Bytes(memory)))

		}
	}
	return nil
}
