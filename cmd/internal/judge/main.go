// Command judge learns what is judged of a picture before it is enlarged, for package flaws: how its blur or sharpening
// is undone, the files correction.bin and softener.npz, at which strength the robust model suits it, strength.bin, and
// how much of each model, judge.bin.
//
//	go run ./cmd/internal/judge sample [-what WHAT] [-n 9000] [-seed 1] [-whole | -drawn | -vivid | -retouched]
//		[-quick] -o samples.json FOLDER...
//	go run ./cmd/internal/judge fit [-what WHAT] [-seed 1] -o superres/flaws/learned/judge.bin samples.json...
//	go run ./cmd/internal/judge report [-what WHAT] [-of FILE] samples.json...
//	go run ./cmd/internal/judge soften [-n 9000] [-seed 1] -o superres/flaws/learned/softener.npz FOLDER...
//	go run ./cmd/internal/judge bounds [-n 600] [-seed 1] [-check] FOLDER...
//
// WHAT is corrections, strengths or judge, which is the default. sample degrades parts of the PNG files in folders in
// known ways, and reduces them by 2. It writes the traits of each with, for corrections, the gains that undo blur and
// sharpening. For strengths it undoes its blur as this program does, and writes the errors of photo-real at each
// strength; for the judge it undoes sharpening, too, enlarges the picture by photo, photo-real and interpolation, and
// writes what is known of the errors. With -vivid pictures are sharpened first, as cameras do, and that is the truth;
// with -retouched their size, contrast and gamma are changed first, so that 147 of them stand for more. -quick takes
// the models for the effort fast, whose results want about the same shares. fit learns from that. report tells what
// was learned, in this program or in a file, is worth on samples of other pictures. soften learns, in a number of
// steps, to tell how pictures were sharpened. bounds learns the weights of superres.Bounds, and prints them; with
// -check it tells how those of this program hold. All are chosen on pictures that nothing was learned from. First come
// the corrections of this program, from
//
//	sample -what corrections -n 40000 -seed 51 -o photographs.json kodak open pexels skimage unsplash
//	sample -what corrections -drawn -n 3000 -seed 61 -o drawings.json
//	fit -what corrections -seed 3 -o superres/flaws/learned/correction.bin photographs.json drawings.json
//
// and the softener, in 50 minutes on two cores, from
//
//	soften -n 80000 -seed 7 -o superres/flaws/learned/softener.npz kodak open pexels skimage unsplash
//
// then, by these, the strengths, from
//
//	sample -what strengths -n 12000 -seed 71 -o 1.json kodak open pexels skimage unsplash
//	sample -what strengths -vivid -n 3000 -seed 72 -o vivid.json kodak open pexels skimage unsplash
//	sample -what strengths -drawn -n 1500 -seed 73 -o drawings.json
//	fit -what strengths -seed 3 -o superres/flaws/learned/strength.bin 1.json vivid.json drawings.json
//
// then, by all of them, the judge, from
//
//	sample -quick -n 9000 -seed 31 -o 1.json kodak open pexels skimage unsplash
//	sample -quick -drawn -n 4000 -seed 42 -o 2.json
//	sample -quick -retouched -vivid -n 3000 -seed 34 -o 3.json kodak open pexels skimage unsplash
//	sample -quick -n 8000 -seed 37 -o 4.json kodak open pexels skimage unsplash
//	sample -quick -retouched -n 9000 -seed 31 -o 5.json kodak open pexels skimage unsplash
//	fit -seed 3 -o superres/flaws/learned/judge.bin 1.json 2.json 3.json 4.json 5.json
//
// Both learned by an earlier softener, which looked at four parts of 64×64 samples in place of 80×80, took clean
// pictures to be 3 times as likely as sharpened ones, and gave no share to plain interpolation. So the same commands
// make other files today, and no better ones: of 83 pictures in colour of general-dev, open-valid and T91 at ×2,
// clean ones gain 0.01 dB less by them, those reduced by block means 0.02 more, blurred by 1.2 0.04 less, and others
// the same to 0.01. Where the number of traits changes, the program needs files of as many first, whatever they say.
// At last come the weights in superres/bounds.go, from
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
	"superres/superres"
	"superres/superres/flaws/learned"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "judge:", err)
		os.Exit(1)
	}
}

var errUsage = errors.New("expected sample, fit, report, soften or bounds, with files: see the comment of " +
	"cmd/internal/judge")

func run(args []string) error {
	if len(args) < 2 {
		return errUsage
	}
	options := flag.NewFlagSet(args[0], flag.ContinueOnError)
	count := options.Int("n", 9000, "the number of samples, or of steps")
	seed := options.Uint64("seed", 1, "the seed of all that is random")
	whole := options.Bool("whole", false, "take each picture with each kind of damage, instead of random parts")
	drawn := options.Bool("drawn", false, "make drawings instead of taking pictures")
	vivid := options.Bool("vivid", false, "sharpen pictures first, as cameras do")
	retouched := options.Bool("retouched", false, "reduce pictures and change their contrast at random first")
	quick := options.Bool("quick", false, "enlarge by the models for the effort fast")
	output := options.String("o", "", "the file that is written")
	check := options.Bool("check", false, "tell how the bounds of this program hold, instead of learning others")
	file := options.String("of", "", "a file that fit wrote; what this program has, if it is not given")
	what := options.String("what", "judge", "what is learned: judge, corrections or strengths")
	if err := options.Parse(args[1:]); err != nil {
		return err
	}
	of, ok := subjects[*what]
	if !ok {
		return fmt.Errorf("-what %s: expected judge, corrections or strengths", *what)
	}
	switch names := options.Args(); args[0] {
	case "sample":
		s, err := newSampler(names, *seed, *whole, *drawn)
		if err != nil {
			return err
		}
		s.vivid, s.retouched = *vivid, *retouched
		if *quick {
			for _, m := range []**superres.Model{&s.clean, &s.auto} {
				if *m, err = (*m).Effort("fast"); err != nil {
					return err
				}
			}
			s.robust = s.fast
		}
		if *whole {
			*count = len(s.pictures) * len(distinctKinds)
		}
		return of.sample(s, *output, *count)
	case "soften":
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		defer stop()
		s, err := newSampler(names, *seed, false, false)
		if err != nil {
			return err
		}
		return s.learnSoftener(ctx, os.Stdout, *output, *count)
	case "bounds":
		return boundErrors(os.Stdout, names, *count, *seed, *check)
	case "fit":
		return of.fit(*output, names, *seed)
	case "report":
		return of.report(names, *file)
	}
	return errUsage
}

// subject is what can be learned, with the commands for it.
type subject struct {
	sample func(s *sampler, output string, count int) error
	fit    func(output string, names []string, seed uint64) error
	report func(names []string, file string) error
}

// subjects has all of them by the name that -what takes.
var subjects = map[string]subject{
	"judge": newSubject((*sampler).one, judgeFitting, fitting.fitJudge, report, learned.Judge),
	"corrections": newSubject((*sampler).correction, correctionFitting, fitting.fitCorrections, reportCorrections,
		learned.Corrector),
	"strengths": newSubject((*sampler).strength, strengthFitting, fitting.fitStrengths, reportStrengths,
		learned.Assessor),
}

// newSubject returns the subject that is learned from samples of type T: one makes sample number, learn learns from
// all with the options o, report reports on what was learned, and ours returns what this program has of it.
func newSubject[T traited](
	one func(s *sampler, ctx context.Context, number int) (T, error), o fitting,
	learn func(fitting, []T) *learned.Perceptron, report func(io.Writer, []T, *learned.Perceptron) error,
	ours func() *learned.Perceptron,
) subject {
	return subject{
		sample: func(s *sampler, output string, count int) error {
			return writeSamples(output, count, func(ctx context.Context, number int) (T, error) {
				return one(s, ctx, number)
			})
		},
		fit: func(output string, names []string, seed uint64) error {
			return fit(output, names, seed, o, learn, report)
		},
		report: func(names []string, file string) error { return reportFiles(names, file, ours, report) },
	}
}

// traited is a sample, which has no traits if its picture is too small for them.
type traited interface{ hasTraits() bool }

// fit learns from samples in files, writes what was learned, and reports how well it does on the same.
func fit[T any](
	output string, names []string, seed uint64, o fitting, learn func(fitting, []T) *learned.Perceptron,
	report func(io.Writer, []T, *learned.Perceptron) error,
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
	names []string, file string, ours func() *learned.Perceptron,
	report func(io.Writer, []T, *learned.Perceptron) error,
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
	p, err := learned.ReadPerceptron(bufio.NewReader(f))
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
func writeSamples[T traited](output string, count int, make func(context.Context, int) (T, error)) error {
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
		if !one.hasTraits() {
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
