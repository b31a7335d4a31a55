package bench

import (
	"context"
	"fmt"
	"time"

	"superres/learners"
	"superres/learners/planted"
	"superres/learners/sparse"
)

// coderTasks returns tasks that code signals by OMP, at four sizes.
func coderTasks() (tasks []task, err error) {
	for _, c := range []struct{ n, k, s int }{{9, 128, 3}, {30, 512, 5}, {64, 512, 5}, {64, 1024, 3}} {
		const signals = 20000
		p, err := planted.New(planted.Panel{M: c.n, K: c.k, S: c.s}, signals, 0.3, 1, 0)
		if err != nil {
			return nil, err
		}
		coder := sparse.OMP{Sparsity: c.s}
		tasks = append(tasks, task{
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

// ropTasks returns a task of iterations of ROP, without its start.
func ropTasks() ([]task, error) {
	const m, n, k, iterations = 32, 1600, 64, 20
	p, err := planted.New(planted.Panel{M: m, K: k, S: 6}, n, 0, 1, 0)
	if err != nil {
		return nil, err
	}
	return []task{{
		name: fmt.Sprintf("ROP M=%d N=%d K=%d", m, n, k), unit: "iterations/s", count: iterations,
		run: func(ctx context.Context) (time.Duration, error) {
			r, err := learners.ROP{Penalty: 10}.Learn(ctx, p.Y,
				learners.Options{Atoms: k, Iterations: iterations + 1, Seed: 1})
			if err != nil {
				return 0, err
			}
			return r.Steps[iterations].Elapsed - r.Steps[0].Elapsed, nil
		},
	}}, nil
}

// ksvdTasks returns tasks that learn 128 atoms from 10,000 signals of 45 entries, which is the size of stacked
// patches of digits, in 20 iterations.
func ksvdTasks() ([]task, error) {
	p, err := planted.New(planted.Panel{M: 45, K: 128, S: 3}, 10000, 0.3, 1, 0)
	if err != nil {
		return nil, err
	}
	opt := learners.Options{Atoms: 128, Iterations: 20, Seed: 1, Coder: sparse.OMP{Sparsity: 3}}
	timed := func(name string, l learners.Learner) task {
		return task{name: name, unit: "s", run: func(ctx context.Context) (time.Duration, error) {
			began := time.Now()
			_, err := l.Learn(ctx, p.Y, opt)
			return time.Since(began), err
		}}
	}
	return []task{
		timed("K-SVD approximate, 20 iterations", learners.KSVD{Approximate: true}),
		timed("K-SVD exact, 20 iterations", learners.KSVD{}),
	}, nil
}
