// Package learning makes the files that package learned has embedded, from photographs and from drawings that it makes
// itself. It degrades these in known ways and reduces them, and learns what would have undone that:
//
//   - correction.bin: how blur is undone, from the gains that would (correction_test.go);
//   - softener.npz: how likely a picture was sharpened, from patches (softener_test.go);
//   - strength.bin: at which strength the robust model suits a picture, from what it makes of each (strength_test.go);
//   - judge.bin: which shares of the models suit it, from what they make of it (shares_test.go).
//
// All that is random comes from seeds, samples are in the order of their numbers, and sums in the order of samples. So
// on processors of a kind the same pictures give the same bytes, whatever the number of workers. Perceptrons compute
// in float64 while they learn (fit_test.go), and the softener as convolutional/learning does.
//
// Each file is learned by what the files before it say, as this program has them embedded. .ci/estimators makes them
// one after another, by go test, which builds a program for each; so all files here are tests. Two cores with AVX-512
// take 11 minutes, 80 minutes, 7 and 8 minutes. Where the number of traits changes, the program needs files of as many
// first, whatever they say.
//
// All four were made so. The first tables of superres/README.md on pictures that are not clean say what they gain; with
// other seeds, rows change by up to 0.05 dB.
package learning

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"

	"superres/internal/parallel"
	"superres/superres/flaws/learned"
)

// Options says from what, and how much, is learned.
type Options struct {
	// Folders have the photographs, as PNG files.
	Folders []string
	// Share is the share of the samples, and of the steps and the margins of learning, more than 0; 1: all.
	Share float64
	// Report gets the losses of the steps in which the softener learns.
	Report io.Writer
	// Checkpoints is the folder for checkpoints of the softener, from which an interrupted run goes on; "": none.
	Checkpoints string
}

// of returns the share of n, at least 1.
func (o Options) of(n int) int { return max(1, int(o.Share*float64(n))) }

// part says how many samples of one kind are computed. They come from parts of photographs unless drawn is true.
type part struct {
	count     int
	seed      uint64
	drawn     bool // samples come from drawings
	vivid     bool // photographs are sharpened first, as cameras do it, and are then the truth
	retouched bool // size, contrast and gamma of photographs are changed first, so that few stand for more
}

// estimators lists the files in the order in which they must be made, each with the function that makes it.
var estimators = [...]struct {
	file string
	make func(context.Context, *sampler, Options) (written, error)
}{
	{"correction.bin", fitted((*sampler).correction, fitCorrections, correctionFitting,
		part{count: 40_000, seed: 51}, part{count: 3_000, seed: 61, drawn: true})},
	{"softener.npz", func(ctx context.Context, s *sampler, o Options) (written, error) {
		s.seed = 7
		return s.learnSoftener(ctx, o)
	}},
	{"strength.bin", fitted((*sampler).strength, fitStrengths, strengthFitting,
		part{count: 12_000, seed: 71}, part{count: 3_000, seed: 72, vivid: true},
		part{count: 1_500, seed: 73, drawn: true})},
	{"judge.bin", fitted((*sampler).shares, fitShares, judgeFitting,
		part{count: 9_000, seed: 31}, part{count: 4_000, seed: 42, drawn: true},
		part{count: 3_000, seed: 34, vivid: true, retouched: true}, part{count: 8_000, seed: 37},
		part{count: 9_000, seed: 31, retouched: true})},
}

// written is what can be written to a file.
type written interface{ Write(io.Writer) error }

// Files returns the names of the files, in the order in which they must be made.
func Files() (names []string) {
	for _, e := range estimators {
		names = append(names, e.file)
	}
	return names
}

// Make returns the bytes of a file, which must be one of Files.
func Make(ctx context.Context, file string, o Options) ([]byte, error) {
	s, err := newSampler(o.Folders, false)
	if err != nil {
		return nil, err
	}
	for _, e := range estimators {
		if e.file != file {
			continue
		}
		w, err := e.make(ctx, s, o)
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		err = w.Write(&b)
		return b.Bytes(), err
	}
	return nil, fmt.Errorf("learning: %s is none of %v", file, Files())
}

// traited is a sample, which has no traits if its picture is too small for them.
type traited interface{ hasTraits() bool }

// fitted returns a function that makes a perceptron: it gets samples from sample, and calls learn with all of them.
func fitted[T traited](
	sample func(*sampler, context.Context, int) (T, error), learn func(fitting, []T) *learned.Perceptron, f fitting,
	parts ...part,
) func(context.Context, *sampler, Options) (written, error) {
	return func(ctx context.Context, s *sampler, o Options) (written, error) {
		var all []T
		for _, p := range parts {
			s.part = p
			list, err := samples(ctx, o.of(p.count), func(ctx context.Context, number int) (T, error) {
				return sample(s, ctx, number)
			})
			if err != nil {
				return nil, err
			}
			all = append(all, list...)
		}
		all = slices.DeleteFunc(all, func(one T) bool { return !one.hasTraits() })
		if len(all) == 0 {
			return nil, fmt.Errorf("learning: no samples: the pictures in %v are too small", o.Folders)
		}
		now := f
		now.steps = o.of(f.steps)
		return learn(now, all), nil
	}
}

// samples calls make with the numbers 0 to count − 1, and returns the results in the order of the numbers.
func samples[T any](ctx context.Context, count int, make func(context.Context, int) (T, error)) ([]T, error) {
	all, numbers := slices.Repeat([]T{*new(T)}, count), slices.Repeat([]int{0}, count)
	for i := range numbers {
		numbers[i] = i
	}
	err := parallel.Each(ctx, numbers, func(ctx context.Context, number int) (struct{}, error) {
		one, err := make(ctx, number)
		all[number] = one
		return struct{}{}, err
	}, func(struct{}) error { return nil })
	return all, err
}
