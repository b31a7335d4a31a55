// Command judge learns what is judged of a picture before it is enlarged, for package flaws: how much of each model
// suits it, the file judge.bin, and how its blur or sharpening is undone, correction.bin.
//
//	go run ./cmd/internal/judge sample [-corrections] [-n 9000] [-seed 1] [-whole | -drawn | -vivid]
//		-o samples.json FOLDER...
//	go run ./cmd/internal/judge fit [-corrections] [-seed 1] -o superres/flaws/judge.bin samples.json...
//	go run ./cmd/internal/judge report [-corrections] [-of FILE] samples.json...
//	go run ./cmd/internal/judge bounds [-n 600] [-seed 1] [-check] FOLDER...
//
// sample degrades parts of the PNG files in folders in known ways, and reduces them by 2. It writes the traits of each
// with, for corrections, the gains that undo blur and sharpening. Otherwise it undoes its blur as this program does,
// enlarges it, and what softening makes of it, by photo, photo-real and interpolation, and writes what is known of the
// errors; with -vivid pictures are sharpened first, as cameras do, and that is the truth. fit learns from that. report
// tells what a judge, that of this program or of a file, is worth on samples of other pictures. bounds learns the
// weights of superres.Bounds, and prints them; with -check it tells how those of this program hold. All are chosen
// on pictures that nothing was learned from. First come the corrections of this program, from
//
//	sample -corrections -n 40000 -seed 51 -o photographs.json kodak open pexels skimage unsplash
//	sample -corrections -drawn -n 3000 -seed 61 -o drawings.json
//	fit -corrections -seed 3 -o superres/flaws/correction.bin photographs.json drawings.json
//
// then, by these, the judge, from
//
//	sample -n 12000 -seed 31 -o 1.json kodak open pexels skimage unsplash
//	sample -n 12000 -seed 32 -o 2.json kodak open pexels skimage unsplash
//	sample -n 12000 -seed 33 -o 3.json kodak open pexels skimage unsplash
//	sample -vivid -n 7000 -seed 34 -o vivid.json kodak open pexels skimage unsplash
//	sample -drawn -n 3000 -seed 41 -o drawings.json
//	fit -seed 3 -o superres/flaws/judge.bin 1.json 2.json 3.json vivid.json drawings.json
//
// and at last the weights in superres/bounds.go, from
//
//	bounds -n 600 -seed 5 kodak open pexels skimage unsplash
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"image"
	_ "image/png" // pictures
	"io"
	"os"
	"os/signal"
	"slices"

	"superres/internal/parallel"
	"superres/superres/flaws"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "judge:", err)
		os.Exit(1)
	}
}

var errUsage = errors.New("expected sample, fit, report or bounds, with files: see the comment of cmd/internal/judge")

func run(args []string) error {
	if len(args) < 2 {
		return errUsage
	}
	options := flag.NewFlagSet(args[0], flag.ContinueOnError)
	count := options.Int("n", 9000, "the number of samples")
	seed := options.Uint64("seed", 1, "the seed of all that is random")
	whole := options.Bool("whole", false, "take each picture with each kind of damage, instead of random parts")
	drawn := options.Bool("drawn", false, "make drawings instead of taking pictures")
	vivid := options.Bool("vivid", false, "sharpen pictures first, as cameras do")
	output := options.String("o", "", "the file that is written")
	check := options.Bool("check", false, "tell how the bounds of this program hold, instead of learning others")
	file := options.String("of", "", "a file that fit wrote; what this program has, if it is not given")
	corrections := options.Bool("corrections", false, "learn corrections, instead of a judge")
	if err := options.Parse(args[1:]); err != nil {
		return err
	}
	switch names := options.Args(); args[0] {
	case "sample":
		s, err := newSampler(names, *seed, *whole, *drawn)
		if err != nil {
			return err
		}
		s.vivid = *vivid
		if *whole {
			*count = len(s.pictures) * len(distinctKinds)
		}
		if *corrections {
			return writeSamples(*output, *count, s.correction, correctionSample.hasTraits)
		}
		return writeSamples(*output, *count, s.one, sample.hasTraits)
	case "bounds":
		return boundErrors(os.Stdout, names, *count, *seed, *check)
	case "fit":
		if *corrections {
			return fit(*output, names, *seed, correctionFitting, fitting.fitCorrections, reportCorrections)
		}
		return fit(*output, names, *seed, judgeFitting, fitting.fitJudge, report)
	case "report":
		if *corrections {
			return reportFiles(names, *file, flaws.Corrector, reportCorrections)
		}
		return reportFiles(names, *file, flaws.Judge, report)
	}
	return errUsage
}

// fit learns from samples in files, writes what was learned, and reports how well it does on the same.
func fit[T any](
	output string, names []string, seed uint64, o fitting, learn func(fitting, []T) *flaws.Perceptron,
	report func(io.Writer, []T, *flaws.Perceptron) error,
) error {
	samples, err := readSamples[T](names)
	if err != nil {
		return err
	}
	o.seed = seed
	p := learn(o, samples)
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		return err
	}
	return errors.Join(os.WriteFile(output, b.Bytes(), 0o666), report(os.Stdout, samples, p))
}

// reportFiles reports on samples in files by the perceptron of a file, or, if that is "", by the one of this program.
func reportFiles[T any](
	names []string, file string, ours func() *flaws.Perceptron, report func(io.Writer, []T, *flaws.Perceptron) error,
) error {
	samples, err := readSamples[T](names)
	if err != nil {
		return err
	}
	if file == "" {
		return report(os.Stdout, samples, ours())
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	p, err := flaws.ReadPerceptron(bufio.NewReader(f))
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return report(os.Stdout, samples, p)
}

func readPicture(name string) (image.Image, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	img, _, err := image.Decode(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return img, nil
}

// writeSamples writes the samples 0 to count − 1 that make returns, in order, without those of pictures that are too
// small for traits.
func writeSamples[T any](
	output string, count int, make func(context.Context, int) (T, error), hasTraits func(T) bool,
) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	f, err := os.Create(output)
	if err != nil {
		return err
	}
	defer f.Close()
	all := slices.Repeat([]T{*new(T)}, count)
	err = parallel.Each(ctx, numbersBelow(count), func(ctx context.Context, number int) (struct{}, error) {
		one, err := make(ctx, number)
		all[number] = one
		return struct{}{}, err
	}, func(struct{}) error { return nil })
	if err != nil {
		return err
	}
	w := bufio.NewWriter(f)
	e := json.NewEncoder(w)
	for _, one := range all {
		if !hasTraits(one) {
			continue
		}
		if err := e.Encode(one); err != nil {
			return err
		}
	}
	return errors.Join(w.Flush(), f.Close())
}

func readSamples[T any](names []string) (list []T, err error) {
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for d := json.NewDecoder(bytes.NewReader(text)); ; {
			var s T
			if err := d.Decode(&s); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			list = append(list, s)
		}
	}
	if len(list) == 0 {
		return nil, errors.New("no samples")
	}
	return list, nil
}
