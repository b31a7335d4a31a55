// Command judge learns how much of each model suits a picture: the file judge.bin of package flaws.
//
//	go run ./cmd/internal/judge sample [-n 9000] [-seed 1] [-whole | -drawn] -o samples.json FOLDER...
//	go run ./cmd/internal/judge fit -o superres/flaws/judge.bin samples.json...
//	go run ./cmd/internal/judge report samples.json...
//	go run ./cmd/internal/judge bounds [-n 600] [-seed 1] [-check] FOLDER...
//
// sample degrades parts of the PNG files in folders in known ways, reduces them by 2, enlarges them by photo,
// photo-real and interpolation, and writes the traits of each with what is known of the errors. fit learns from that.
// report compares the judge of this program with the choice by noise and compression alone, on samples of other
// pictures. bounds learns the weights of superres.Bounds, and prints them; with -check it tells how those of this
// program hold. Judges are chosen on pictures that nothing was learned from. The one in this program comes from
//
//	sample -n 9000 -seed 31 -o photographs.json kodak open pexels skimage unsplash
//	sample -drawn -n 2000 -seed 41 -o drawings.json
//	fit -o judge.bin photographs.json drawings.json
//
// and the weights in superres/bounds.go from
//
//	bounds -n 600 -seed 5 kodak open pexels skimage unsplash
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"image"
	_ "image/png" // pictures
	"io"
	"os"
	"os/signal"

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
	output := options.String("o", "", "the file that is written")
	check := options.Bool("check", false, "tell how the bounds of this program hold, instead of learning others")
	file := options.String("judge", "", "a file that fit wrote; the judge of this program if it is not given")
	if err := options.Parse(args[1:]); err != nil {
		return err
	}
	switch args[0] {
	case "sample":
		return writeSamples(*output, options.Args(), *count, *seed, *whole, *drawn)
	case "bounds":
		return boundErrors(os.Stdout, options.Args(), *count, *seed, *check)
	case "fit":
		samples, err := readSamples(options.Args())
		if err != nil {
			return err
		}
		defaults.seed = *seed
		j := defaults.fit(samples)
		var b bytes.Buffer
		if err := binary.Write(&b, binary.LittleEndian, j); err != nil {
			return err
		}
		if err := os.WriteFile(*output, b.Bytes(), 0o666); err != nil {
			return err
		}
		return report(os.Stdout, samples, j.Shares)
	case "report":
		samples, err := readSamples(options.Args())
		if err != nil {
			return err
		}
		judge := flaws.JudgeTraits
		if *file != "" {
			var j flaws.Judge
			content, err := os.ReadFile(*file)
			if err != nil {
				return err
			}
			if _, err := binary.Decode(content, binary.LittleEndian, &j); err != nil {
				return fmt.Errorf("%s: %w", *file, err)
			}
			judge = j.Shares
		}
		return report(os.Stdout, samples, judge)
	}
	return errUsage
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

func writeSamples(output string, folders []string, count int, seed uint64, whole, drawn bool) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	s, err := newSampler(folders, seed, whole, drawn)
	if err != nil {
		return err
	}
	f, err := os.Create(output)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	if err := s.make(ctx, count, func(one sample) error { return json.NewEncoder(w).Encode(one) }); err != nil {
		return err
	}
	return errors.Join(w.Flush(), f.Close())
}

func readSamples(names []string) (list []sample, err error) {
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for d := json.NewDecoder(bytes.NewReader(text)); ; {
			var s sample
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
