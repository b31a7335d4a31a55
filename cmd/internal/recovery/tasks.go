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

// tasks returns the trials to run, in the order of panels, then of N, of problems and of learners.
func (opt Options) tasks() ([]planted.Task, error) {
	count := 0.0
	for _, p := range opt.Panels {
		count += float64(opt.Trials) * float64(len(opt.Learners)) * float64(len(opt.sizes(p)))
	}
	if count > parts.MaxTrials {
		return nil, console.Usage("%.0f trials are asked for, expected %d at most; use a smaller --trials or "+
			"several -o", count, parts.MaxTrials)
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

// sizes returns the numbers of signals to try with a panel: those of --n, else those of the paper for its panels,
// else multiples of K.
func (opt Options) sizes(p planted.Panel) []int {
	if len(opt.Sizes) > 0 {
		return opt.Sizes
	}
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

// enoughMemory refuses trials that, run at a time on all processors, need more memory than the limit, in bytes: for
// learning, and for comparing every atom found with every true one.
func enoughMemory(tasks []planted.Task, memory int64) error {
	for _, t := range tasks {
		learner, err := learners.New(t.Learner)
		if err != nil {
			return err
		}
		workers := float64(min(runtime.GOMAXPROCS(0), len(tasks)))
		need := console.Process(workers * (8*float64(t.M)*float64(t.N) + learner.Memory(t.M, t.N, t.K, t.S) +
			8*float64(t.K)*float64(t.K+2*t.M)))
		if need > float64(memory) {
			return console.Fail(console.ExitLimit,
				fmt.Errorf("%s with M,K,S = %d,%d,%d and N = %d needs %s for %.0f trials at a time, the limit is "+
					"%s; use --max-memory, a smaller -j or a smaller --n",
					t.Learner, t.M, t.K, t.S, t.N, console.Bytes(int64(min(need, 1<<60))), workers,
					console.Bytes(memory)))
		}
	}
	return nil
}
