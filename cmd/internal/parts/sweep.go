package parts

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/paths"
	"superres/internal/parallel"
	"superres/internal/report"
	"superres/internal/safefile"
)

// Sweep runs tasks of type K and keeps their results, which have type R, in journals in a folder. It runs only tasks
// that have no successful result in the journals.
type Sweep[K comparable, R any] struct {
	Dir    string                              // the folder of the journals, and of the report
	Task   func(R) K                           // returns the task of a result
	Failed func(R) string                      // says which trial failed, and why; "": R is no failure
	Weight func(K) float64                     // estimates the work of a task, in any unit
	Run    func(context.Context, K) (R, error) // runs a task; the only error is that the context has ended
	// command is the name of the command. A folder is for one command only, as all reports have the same file names.
	command string
	part    Part // the part of the tasks to run; the zero value: all
}

// Files are the files of a report: the key is the name of a file, the value the function that writes the file.
type Files map[string]func(io.Writer) error

// Report runs the tasks of the command in c and shows progress in bar. Then it writes and prints the report that
// document returns for the results of all tasks, in the order of the tasks. The files of the report get at most the
// permissions mode. After the report, failures among the results are returned as an error.
//
// With --shard it runs only the tasks of one part, keeps a separate journal, and writes no report. Without --shard, it
// takes the results of all parts, and runs the tasks that are missing.
func (s Sweep[K, R]) Report(c *cli.Context, to *console.Streams, bar *console.Progress, tasks []K, mode fs.FileMode,
	document func([]R) (report.Document, Files, error)) (err error) {
	s.command = c.Command.Name
	if s.part, err = Parse(c.String("shard")); err != nil {
		return err
	}
	if s.Dir == "" {
		return console.Usage("-o names no folder; leave it out or give one")
	}
	results, err := s.do(c.Context, tasks, bar)
	if err != nil || s.part.Of > 0 {
		return err
	}
	d, files, err := document(results)
	if err != nil {
		return err
	}
	bar.Clear()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := safefile.WriteAtomicMode(mode, filepath.Join(s.Dir, name), true, files[name]); err != nil {
			return err
		}
	}
	if err := d.Text(to.Out); err != nil {
		return err
	}
	bar.Line("%s: the report", filepath.Join(s.Dir, "report.html"))
	count, first := 0, ""
	for _, r := range results {
		if why := s.Failed(r); why != "" {
			count, first = count+1, cmp.Or(first, why)
		}
	}
	if count == 0 {
		return nil
	}
	return console.Failf(console.ExitSome, "%d of %d trials failed: %s; the same command tries them again", count,
		len(results), first)
}

// MaxTrials is the greatest number of trials in a sweep, which all are in memory.
const MaxTrials = 1_000_000

// entry is a line in the journal of a sweep.
type entry[R any] struct {
	Command string `json:"command"`
	Version string `json:"version"`
	Result  R      `json:"result"`
}

// The names of the journals of a sweep: journal.jsonl, and journal.I-of-N.jsonl for part I of N.
const (
	sweepPrefix = "journal"
	sweepSuffix = ".jsonl"
)

// do runs tasks that have no result yet, shows progress in bar and returns the results of all. Failures are not written
// to the journal, so the next call tries them again. For a part, results is nil and failures are an error.
func (s Sweep[K, R]) do(ctx context.Context, tasks []K, bar *console.Progress) (results []R, err error) {
	if err := os.MkdirAll(s.Dir, 0o777); err != nil {
		return nil, safefile.Unwritable(s.Dir, err)
	}
	var own []entry[R]
	name := filepath.Join(s.Dir, sweepPrefix+s.part.Suffix()+sweepSuffix)
	j, err := OpenJournal(name, safefile.AnyMode, func(e entry[R]) { own = append(own, e) })
	if err != nil {
		return nil, err
	}
	if j.damaged > 0 {
		bar.Warn(skippedLine(j.File.Name(), j.damaged))
	}
	defer func() {
		if err2 := j.Close(); err == nil && err2 != nil {
			err = journalError(j.File.Name(), err2)
		}
	}()
	if s.part.Of > 0 {
		tasks = slices.DeleteFunc(slices.Clone(tasks), func(t K) bool { return !s.part.HasTask(t) })
	}
	done, err := s.readJournals(tasks, own, filepath.Base(j.File.Name()), bar)
	if err != nil {
		return nil, err
	}
	var todo []K
	total, sum, count, failures := 0.0, 0.0, 0, 0
	for _, t := range tasks {
		if _, ok := done[t]; !ok {
			todo = append(todo, t)
			total += s.Weight(t)
		}
	}
	show := func() {
		bar.Set("trials", sum/max(total, 1e-9)) // weights may be 0
		bar.Describe(fmt.Sprintf("%d of %d", count, len(todo)))
	}
	if len(todo) > 0 {
		show()
		console.OnInterrupt(ctx, "what is done is kept in %s, and the same command goes on from there", s.Dir)
	}
	err = parallel.Each(ctx, todo, s.Run, func(r R) error {
		done[s.Task(r)] = r
		sum += s.Weight(s.Task(r))
		count++
		show()
		if bar.Plain() && 10*count/len(todo) > 10*(count-1)/len(todo) { // after each tenth
			bar.Line("%d of %d trials", count, len(todo))
		}
		if s.Failed(r) != "" {
			failures++
			return nil
		}
		return j.Add(entry[R]{s.command, console.Version, r})
	})
	if err != nil {
		return nil, err
	}
	if s.part.Of > 0 {
		bar.Line("part %v: %d trials, %d of them now; the command without --shard makes the report when all parts "+
			"are done", s.part, len(tasks), len(todo))
		if failures > 0 {
			return nil, console.Failf(console.ExitSome, "%d of %d trials failed; the same command tries them "+
				"again", failures, len(tasks))
		}
		return nil, nil
	}
	for _, t := range tasks {
		results = append(results, done[t])
	}
	return results, nil
}

// readJournals returns the results in all journals of the folder by task, without failures. own has the entries of the
// journal called name, which is not read again.
func (s Sweep[K, R]) readJournals(tasks []K, own []entry[R], name string, bar *console.Progress) (done map[K]R,
	err error) {
	files, err := filepath.Glob(filepath.Join(paths.GlobQuote(s.Dir), sweepPrefix+"*"+sweepSuffix))
	if err != nil {
		return nil, err
	}
	entries := own
	for _, file := range files {
		base := filepath.Base(file)
		if base == name || !hasSuffix(base) && base != sweepPrefix+sweepSuffix {
			continue
		}
		_, damaged, err := ReadJournal(file, func(e entry[R]) { entries = append(entries, e) })
		if err != nil {
			return nil, journalError(file, err)
		}
		if damaged > 0 {
			bar.Warn(skippedLine(file, damaged))
		}
	}
	wanted, others := map[K]bool{}, 0
	for _, t := range tasks {
		wanted[t] = true
	}
	done = map[K]R{}
	for _, e := range entries {
		if e.Command != "" && e.Command != s.command { // lines of older versions may lack the command
			return nil, console.Failf(console.ExitOutput, "%s: this folder has the results of superres %s; "+
				"use another -o", s.Dir, e.Command)
		}
		if s.Failed(e.Result) != "" { // older versions kept failures
			continue
		}
		t := s.Task(e.Result)
		if done[t] = e.Result; e.Version != console.Version && wanted[t] {
			others++
		}
	}
	if others > 0 {
		bar.Line("%s: %d results are of another version of superres and are kept; use another -o to have all again",
			s.Dir, others)
	}
	return done, nil
}
