// Command superres-beam runs the commands upscale, recover and compare of superres on many machines, with Apache Beam.
// It is a module of its own, so that superres itself does not depend on Beam.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
)

const help = `superres-beam runs a command of superres in parts, on the machines of a Beam runner.

EXAMPLES
   superres-beam --shards 100 --report big -- upscale -r -o large/ photos/
   superres-beam --shards 8 -- recover --trials 10 -o figure1
   superres-beam --shards 8 -- compare --protocol pooled -o comparison mnist/

Folders are those of the workers: a shared file system, mounted alike on all of them.
What is whole is not made again: the same command goes on after an interruption.

REPORT.dead-letters.jsonl lists what failed, a JSON object a line; REPORT and it may
lie in an object store (gs://…). Temporary failures are tried %d times.

The exit code is that of superres: 0 all done, 3 some failed, others 1 to 7.

The default, the runner direct, works within this process, one part after the other, and
opens no port. Others are reached at --endpoint, or as their own flags say. Beam's prism
is refused: it listens on all interfaces and runs what anybody sends it.

FLAGS
`

func main() {
	if isChild() {
		os.Exit(runChild(os.Stdout))
	}
	os.Exit(runProgram())
}

// runProgram runs the driver, or a worker if a Beam runner started this process, and returns the exit code.
func runProgram() int {
	flag.Usage = usage
	opt := options{}
	flag.IntVar(&opt.shards, "shards", 8, "divide the work into `N` parts: several for each worker")
	flag.IntVar(&opt.atOnce, "at-once", 1, "let each worker do `N` parts at once, each with all processors or -j "+
		"of them")
	flag.StringVar(&opt.report, "report", "superres-beam",
		"begin the names of the lists of results and dead letters with `REPORT`")
	verbose := flag.Bool("verbose", false, "show the messages of Beam")
	flag.Parse()
	if err := chooseRunner(); err != nil {
		fmt.Fprintln(os.Stderr, "superres-beam:", err)
		return 2
	}
	beam.Init() // in a worker, Init does not return
	if !*verbose {
		muteBeam()
	}
	opt.args = flag.Args()
	code, err := drive(context.Background(), opt, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "superres-beam:", err)
	}
	return code
}

// chooseRunner sets --runner to direct, which opens no port, unless it is given. Prism is an error, since it opens a
// port to everybody.
func chooseRunner() error {
	f := flag.Lookup("runner")
	switch name := f.Value.String(); strings.ToLower(name) {
	case "":
		return f.Value.Set("direct")
	case "prism", "prismrunner":
		return fmt.Errorf("--runner %s: it listens on all interfaces and runs what anybody sends it; leave "+
			"--runner out to work within this process", name)
	}
	return nil
}

// usage prints the help and the main flags.
func usage() {
	w := flag.CommandLine.Output()
	fmt.Fprintf(w, help, attempts)
	for _, name := range []string{"shards", "at-once", "report", "runner", "endpoint", "environment_type",
		"environment_config", "worker_binary", "verbose"} {
		f := flag.Lookup(name)
		kind, text := flag.UnquoteUsage(f)
		text, _, _ = strings.Cut(text, "\n")
		if name == "runner" {
			text = "direct, dataflow, flink, spark or universal"
		}
		fmt.Fprintf(w, "   --%-28s %s\n", name+" "+kind, text)
	}
	fmt.Fprintln(w, "   and all other flags of Beam and its runners, such as --project and --region of dataflow")
}

// options are the values of the driver's flags, and its arguments.
type options struct {
	shards int
	atOnce int // how many parts a worker does at a time
	report string
	args   []string // the command of superres with its arguments
}
