// Command estimators makes all files that superres/flaws/learned has embedded again, and prints the weights of
// superres/bounds.go:
//
//	go run ./cmd/internal/estimators -o superres/flaws/learned FOLDER...
//
// with the folders kodak, open, pexels, skimage and unsplash of photographs, in any order. Each file is learned by what
// those before it say, so the command runs itself, as it then is, for each. With -file NAME it makes one file alone,
// with -share 0.01 from a hundredth of the samples in as much less time, and with -check it tells what this program
// makes of photographs from which nothing was learned. See superres/flaws/learning.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"

	"superres/superres/flaws/learning"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "estimators:", err)
		os.Exit(1)
	}
}

// bounds is what -file takes for the weights.
const bounds = "bounds"

func run(ctx context.Context, args []string) error {
	options := flag.NewFlagSet("estimators", flag.ContinueOnError)
	output := options.String("o", "", "the folder of the files")
	file := options.String("file", "", "the only file to make, or bounds; all, if it is not given")
	share := options.Float64("share", 1, "the share of the samples to learn from")
	check := options.Bool("check", false, "tell what this program makes of pictures instead")
	if err := options.Parse(args); err != nil {
		return err
	}
	o := learning.Options{Folders: options.Args(), Share: *share, Report: os.Stdout}
	slices.Sort(o.Folders)
	if !(*share > 0 && *share <= 1) {
		return fmt.Errorf("-share %g: expected more than 0, at most 1", *share)
	}
	switch {
	case *check:
		return learning.Check(ctx, os.Stdout, o)
	case *file == bounds:
		weights, err := learning.Bounds(ctx, o)
		for _, w := range weights {
			fmt.Printf("%.4f\n", w)
		}
		return err
	case *output == "":
		return errors.New("name the folder of the files with -o, such as superres/flaws/learned")
	case *file != "":
		data, err := learning.Make(ctx, *file, o)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(*output, *file), data, 0o666)
	}
	for _, name := range append(learning.Files(), bounds) {
		fmt.Println(name)
		again := append([]string{"run", "./cmd/internal/estimators", "-file", name}, args...)
		c := exec.CommandContext(ctx, "go", again...)
		c.Stdout, c.Stderr = os.Stdout, os.Stderr
		if err := c.Run(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}
