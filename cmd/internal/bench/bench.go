// Package bench is the command superres bench: it measures the speed of a machine.
//
// Read it in this order: bench.go, what the flags ask for and one call; task.go, what a task
// is and what is printed of it; pictures.go and learning.go, the tasks themselves.
package bench

import (
	"context"
	"encoding/json"
	"io"
	"regexp"
	"runtime"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/settings"
	"superres/internal/kernel"
)

// Command is superres bench.
func Command(s *console.Streams) *cli.Command {
	var opt Options
	return console.Command(&cli.Command{
		Name: "bench", Usage: "measure the speed of this machine", ArgsUsage: "[FLAGS]",
		Description: `   superres bench                one processor
   superres bench -j 0 --json    all of them, as JSON
   superres bench --only photo   the tasks of that name alone

Which of the innermost loops run (Go, AVX2, AVX-512 with VNNI) is told in the first
line; GODEBUG=cpu.avx512f=off withholds AVX-512.`,
		Flags: opt.table().Flags(),
		Action: func(c *cli.Context) error {
			if c.NArg() > 0 {
				return console.Usage("bench takes no argument, got %q", c.Args().First())
			}
			return run(c.Context, opt, s)
		},
	})
}

// table has the options, with their defaults.
func (opt *Options) table() settings.Table {
	return settings.Table{
		{Name: "jobs", Aliases: []string{"j"}, To: settings.Num(&opt.Jobs, 1).AtLeast(0), Help: "use `N` processors at most; 0 means all"},
		{Name: "runs", To: settings.Num(&opt.Runs, 5).AtLeast(1), Help: "take the best of `R` runs"},
		{Name: "only", To: settings.Custom("", opt.readOnly), Help: "measure only tasks whose names match the regular expression `RE`"},
		console.JSONOption(&opt.JSON, "print JSON"),
	}
}

// readOnly reads --only.
func (opt *Options) readOnly(text string) (err error) {
	if opt.Only, err = regexp.Compile(text); err != nil {
		return console.Usage("--only: %v", err)
	}
	return nil
}

// Options are what the flags ask for.
type Options struct {
	// Jobs is how many processors are used at most: --jobs, 1. 0 is all.
	Jobs int
	// Runs is how often a task is done, of which the best counts: --runs, 5.
	Runs int
	// Only matches the names of the tasks to be measured: --only. Nil is all.
	Only *regexp.Regexp
	// JSON prints JSON: --json, false.
	JSON bool
}

// run does one call.
func run(ctx context.Context, opt Options, s *console.Streams) error {
	if opt.Jobs > 0 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(opt.Jobs))
	}
	r := report{
		Version: console.Version, Go: runtime.Version(), Machine: machineName(), Kernel: kernel.Tier(), Workers: runtime.GOMAXPROCS(0),
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
		if opt.Only != nil && !opt.Only.MatchString(t.name) {
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
	enc := json.NewEncoder(s.Out)
	enc.SetIndent("", "  ")
	return enc.Encode(r)
}
