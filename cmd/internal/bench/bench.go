// Package bench is the command superres bench: it measures the speed of a machine.
//
// Read it in this order: bench.go, what the flags ask for and one call; task.go, what a task is and what is printed
// of it; pictures.go and learning.go, the tasks themselves.
package bench

import (
	"context"
	"io"
	"regexp"
	"runtime"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/internal/kernel"
)

// Command is superres bench.
func Command(s *console.Streams) *cli.Command {
	return console.Command(&cli.Command{
		Name: "bench", Usage: "measure the speed of this machine", ArgsUsage: "[FLAGS]",
		Description: `   superres bench                one processor
   superres bench -j 0 --json    all of them, as JSON
   superres bench --only photo   the tasks of that name alone

Which of the innermost loops run (Go, AVX2, AVX-512 with VNNI) is told in the first
line; GODEBUG=cpu.avx512f=off withholds AVX-512.`,
		Flags: flags(),
		Action: func(c *cli.Context) error {
			opt, err := readOptions(c)
			if err != nil {
				return err
			}
			return run(c.Context, opt, s)
		},
	})
}

// flags are those of superres bench. They are read by readOptions.
func flags() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "jobs", Aliases: []string{"j"}, Value: 1, Usage: "use `N` processors at most; 0 means all"},
		&cli.IntFlag{Name: "runs", Value: 5, Usage: "take the best of `R` runs"},
		&cli.StringFlag{Name: "only", Usage: "measure only tasks whose names match the regular expression `RE`"},
		&cli.BoolFlag{Name: "json", Usage: "print JSON"},
	}
}

// Options are what the flags ask for.
type Options struct {
	// Jobs is how many processors are used at most: --jobs, 1. 0 is all.
	Jobs int
	// Runs is how often a task is done, of which the best counts: --runs, 5.
	Runs int
	// Only matches the names of the tasks to be measured: --only, all.
	Only *regexp.Regexp
	// JSON prints JSON: --json, false.
	JSON bool
}

// readOptions reads the flags.
func readOptions(c *cli.Context) (opt Options, err error) {
	opt = Options{Jobs: c.Int("jobs"), Runs: c.Int("runs"), JSON: c.Bool("json")}
	opt.Only, err = regexp.Compile(c.String("only"))
	switch {
	case err != nil:
		return opt, console.Usage("--only: %v", err)
	case c.NArg() > 0:
		return opt, console.Usage("bench takes no argument, got %q", c.Args().First())
	case opt.Jobs < 0:
		return opt, console.Usage("--jobs %d: expected 0 or more", opt.Jobs)
	case opt.Runs < 1:
		return opt, console.Usage("--runs %d: expected at least 1", opt.Runs)
	}
	return opt, nil
}

// run does one call.
func run(ctx context.Context, opt Options, s *console.Streams) error {
	if opt.Jobs > 0 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(opt.Jobs))
	}
	r := report{
		Version: console.Version, Go: runtime.Version(), Machine: machineName(), Kernel: kernel.Tier(),
		Workers: runtime.GOMAXPROCS(0),
	}
	tasks, err := allTasks()
	if err != nil {
		return err
	}
	say := func(text string) error { // at once: all tasks take a minute
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
		if !opt.Only.MatchString(t.name) {
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
	if !opt.JSON {
		return nil
	}
	return console.WriteJSON(s.Out, r)
}
