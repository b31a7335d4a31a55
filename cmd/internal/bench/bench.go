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
		{Name: "jobs", Aliases: []string{"j"}, To: settings.Num(&opt.Jobs, 1).AtLeast(0),
			Help: "use `N` processors at most; 0 means all"},
		{Name: "runs", To: settings.Num(&opt.Runs, 5).AtLeast(1), Help: "take the best of `R` runs"},
		{Name: "only", To: settings.Parsed(&opt.Only, "", readOnly), Help: "measure only tasks whose names match the " +
			"regular expression `RE`"},
		console.JSONOption(&opt.JSON, "print JSON"),
	}
}

// readOnly reads --only.
func readOnly(text string) (*regexp.Regexp, error) {
	only, err := regexp.Compile(text)
	if err != nil {
		return nil, console.Usage("--only: %v", err)
	}
	return only, nil
}

// Options are what a call asks for. Most fields are set by the options of table, which has their defaults.
type Options struct {
	Jobs int
	Runs int
	Only *regexp.Regexp // nil: all tasks
	JSON bool
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
	return console.WriteJSON(s.Out, r)
}
