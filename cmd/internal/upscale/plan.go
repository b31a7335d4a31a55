package upscale

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"superres/cmd/internal/console"
	"superres/cmd/internal/parts"
	"superres/cmd/internal/paths"
	"superres/cmd/internal/pictures"
	"superres/internal/imagefile"
	"superres/internal/safefile"
)

// job is one picture to enlarge: where it comes from and where it goes ("-":
// standard output).
type job struct {
	pictures.Input
	output  string
	format  string // of the output
	root    string // the folder that the output must not leave through a link
	replace bool   // what is there is an earlier result of this program
	skip    string // why there is nothing to do: a reason of an event
	bytes   int64  // of the input

	settings string // a hash of what else decides the output
}

// file is the job as a ledger has it.
func (j job) file() parts.File {
	return parts.File{Input: j.Path, Place: j.Place, Output: j.output, Root: j.root, Settings: j.settings}
}

// batch is what one call is to do.
type batch struct {
	jobs     []job
	skipped  []job    // whose output is there
	whole    int      // pictures, of other parts as well
	roots    []string // the folders of the outputs, of other parts as well
	problems []error  // for which nothing is done at all

	others []pictures.Other // that cannot be read and are left out
}

// newBatch works out what upscale is to do, before any work: it finds the inputs,
// names the outputs, finds two inputs with one output and outputs that are in the way.
func newBatch(opt Options, json bool, past resumption) (batch, error) {
	var b batch
	if len(opt.Inputs) == 0 {
		return b, console.Usage("no input: name files, folders or - for standard input; superres upscale --help shows examples")
	}
	all, others, err := allJobs(opt, json)
	if err == nil {
		all, err = past.withoutResults(all)
	}
	if err != nil {
		return b, err
	}
	b.problems, b.whole = clashes(all), len(all)
	for _, o := range others {
		if !opt.Part.Has(o.Place) {
			continue
		}
		if b.others = append(b.others, o); opt.OnUnreadable == "fail" {
			b.problems = append(b.problems, console.Fail(console.ExitInput, fmt.Errorf("%s: %s", o.Path, o.Reason())))
		}
	}
	for _, j := range all {
		if j.output != "-" && !slices.Contains(b.roots, j.root) {
			b.roots = append(b.roots, j.root)
		}
		if !opt.Part.Has(j.Place) {
			continue
		}
		if j.output == "-" {
			b.jobs = append(b.jobs, j)
			continue
		}
		j.settings = past.settings[j.format]
		done, ours, err := past.Judge(j.file())
		if err != nil {
			return b, err
		}
		if j.replace = ours; done {
			j.skip = "done"
		}
		_, err = os.Lstat(j.output)
		exists := err == nil && !j.replace
		switch {
		case j.skip != "":
			b.skipped = append(b.skipped, j)
		case exists && opt.OnExist == "skip":
			j.skip = "exists"
			b.skipped = append(b.skipped, j)
		case exists && opt.OnExist == "fail":
			// What cannot be read would not be, whatever becomes of the output.
			problem := imagefile.Check(j.Path)
			if problem == nil {
				problem = console.Fail(console.ExitOutput, fmt.Errorf("%s exists; use --on-exist skip or overwrite, or another -o", j.output))
			}
			b.problems = append(b.problems, problem)
		default:
			b.jobs = append(b.jobs, j)
		}
	}
	return b, nil
}

// allJobs finds the inputs and names the outputs.
func allJobs(opt Options, json bool) (jobs []job, others []pictures.Other, err error) {
	find := pictures.Finder{Recursive: opt.Recursive, Filter: opt.Filter}
	if out := opt.Naming.Out; out != "" && out != "-" {
		find.Avoid = paths.Real(out)
	}
	var list []pictures.Input
	for _, name := range opt.Inputs {
		inputs, more, err := find.Expand(name)
		if err != nil {
			return nil, nil, err
		}
		list, others = append(list, inputs...), append(others, more...)
	}
	if len(list) == 0 {
		return nil, nil, console.Fail(console.ExitInput, errors.New("no picture is left to work on; check --include and --exclude"))
	}
	single := len(opt.Inputs) == 1 && len(list) == 1 && list[0].Root == ""
	names, err := pictures.NewNamer(opt.Naming, single)
	if err != nil {
		return nil, nil, err
	}
	for _, in := range list {
		out, err := names.Output(in)
		if err != nil {
			return nil, nil, err
		}
		j := job{Input: in, output: out.Path, format: out.Format, root: out.Root}
		if err := opt.check(j, single, json); err != nil {
			return nil, nil, err
		}
		if info, err := os.Stat(in.Path); err == nil {
			j.bytes = info.Size()
		}
		jobs = append(jobs, j)
	}
	return jobs, others, nil
}

// clashes finds two inputs with one output, and outputs that are inputs.
func clashes(jobs []job) (problems []error) {
	inputPaths := map[string]string{} // where an input really lies: its name
	for _, j := range jobs {
		if j.Path != "-" {
			inputPaths[paths.Real(j.Path)] = j.Path
		}
	}
	seen := map[string]string{}
	for _, j := range jobs {
		if j.output == "-" {
			continue
		}
		place := filepath.Join(paths.Real(filepath.Dir(j.output)), filepath.Base(j.output))
		other, clash := seen[place]
		seen[place] = j.Path
		in, is := inputPaths[paths.Real(j.output)]
		switch {
		case clash:
			problems = append(problems, console.Fail(console.ExitOutput, fmt.Errorf("%s and %s both make %s; use --name '{stem}{ext}_{size}', or a folder for each", other, j.Path, j.output)))
		case is && in != j.Path:
			problems = append(problems, console.Fail(console.ExitOutput, fmt.Errorf("%s: its output %s is an input as well; use another -o or --name", j.Path, j.output)))
		case is || safefile.SameFile(j.Path, j.output):
			problems = append(problems, console.Fail(console.ExitOutput, fmt.Errorf("%s: the output is the input; use another -o or --name", j.Path)))
		}
	}
	return problems
}

// working are the folders of the outputs that are to be made.
func (b batch) working() (roots []string) {
	for _, j := range b.jobs {
		roots = append(roots, j.root)
	}
	return roots
}

// files are those of all pictures of this part.
func (b batch) files() (list []parts.File) {
	for _, j := range slices.Concat(b.jobs, b.skipped) {
		list = append(list, j.file())
	}
	return list
}

// total is how many pictures there are of this part.
func (b batch) total() int { return len(b.jobs) + len(b.skipped) }

// piped tells whether the result goes to standard output.
func (b batch) piped() bool { return len(b.jobs) == 1 && b.jobs[0].output == "-" }

// err is the first of the problems.
func (b batch) err() error {
	if n := len(b.problems); n > 1 {
		return console.Fail(console.ExitCode(b.problems[0]), fmt.Errorf("%w (and %d more; --dry-run lists all)", b.problems[0], n-1))
	} else if n == 1 {
		return b.problems[0]
	}
	return nil
}

// makeFolders makes the folders for the outputs that are not there, and returns them.
// It fails when none can be written to: one among others is a matter of its pictures.
func (b batch) makeFolders() (made []string, err error) {
	seen := map[string]bool{}
	good := false
	for _, j := range b.jobs {
		if j.output == "-" || seen[j.root] {
			continue
		}
		seen[j.root] = true
		var now error
		if _, missing := os.Stat(j.root); errors.Is(missing, fs.ErrNotExist) {
			if now = os.MkdirAll(j.root, 0o777); now == nil {
				made = append(made, j.root)
			} else {
				now = safefile.Unwritable(j.root, now)
			}
		} else if paths.IsFolder(j.root) {
			now = safefile.CheckFolder(filepath.Clean(j.root))
		} else {
			now = safefile.Unwritable(j.root, syscall.ENOTDIR)
		}
		good = good || now == nil
		err = cmp.Or(err, now)
	}
	if good {
		return made, nil
	}
	return made, err
}
