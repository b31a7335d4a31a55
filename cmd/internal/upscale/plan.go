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

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/parts"
	"superres/cmd/internal/paths"
	"superres/cmd/internal/pictures"
	"superres/internal/imagefile"
	"superres/superres"
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
	roots    []string // the folders of the outputs, of other parts as well
	problems []error  // for which nothing is done at all
}

// newBatch works out what upscale is to do, before any work: it finds the inputs,
// names the outputs, finds two inputs with one output and outputs that are in the way.
func newBatch(c *cli.Context, opt superres.Options, past *parts.Ledger, settings map[string]string) (batch, error) {
	var b batch
	if c.NArg() == 0 {
		return b, console.Usage("no input: name files, folders or - for standard input; superres upscale --help shows examples")
	}
	onExist := c.String("on-exist")
	if err := console.OneOf("on-exist", onExist, "fail", "skip", "overwrite"); err != nil {
		return b, err
	}
	part, err := parts.Parse(c.String("shard"))
	if err != nil {
		return b, err
	}
	all, err := allJobs(c, opt)
	if err == nil {
		all, err = withoutResults(past, all)
	}
	if err != nil {
		return b, err
	}
	b.problems = clashes(all)
	for _, j := range all {
		if j.output != "-" && !slices.Contains(b.roots, j.root) {
			b.roots = append(b.roots, j.root)
		}
		if !part.Has(j.Place) {
			continue
		}
		if j.output == "-" {
			b.jobs = append(b.jobs, j)
			continue
		}
		j.settings = settings[j.format]
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
		case exists && onExist == "skip":
			j.skip = "exists"
			b.skipped = append(b.skipped, j)
		case exists && onExist == "fail":
			b.problems = append(b.problems, console.Fail(console.ExitOutput, fmt.Errorf("%s exists; use --on-exist skip or overwrite, or another -o", j.output)))
		default:
			b.jobs = append(b.jobs, j)
		}
	}
	return b, nil
}

// allJobs finds the inputs and names the outputs.
func allJobs(c *cli.Context, opt superres.Options) ([]job, error) {
	filter, err := pictures.ReadFilter(c)
	if err != nil {
		return nil, err
	}
	find := pictures.Finder{Recursive: c.Bool("recursive"), Filter: filter}
	if out := c.String("output"); out != "" && out != "-" {
		find.Avoid = paths.Real(out)
	}
	var list []pictures.Input
	for _, arg := range c.Args().Slice() {
		inputs, err := find.Expand(arg)
		if err != nil {
			return nil, err
		}
		list = append(list, inputs...)
	}
	if len(list) == 0 {
		return nil, console.Fail(console.ExitInput, errors.New("no picture is left to work on; check --include and --exclude"))
	}
	single := c.NArg() == 1 && len(list) == 1 && list[0].Root == ""
	names, err := pictures.NewNamer(pictures.Naming{
		Out: c.String("output"), Format: c.String("format"), Template: c.String("name"), Model: c.String("model"), Size: opt,
	}, single)
	if err != nil {
		return nil, err
	}
	var jobs []job
	for _, in := range list {
		o, err := names.Output(in)
		j := job{Input: in, output: o.Path, format: o.Format, root: o.Root}
		switch {
		case err != nil:
			return nil, err
		case j.output == "-" && !single:
			return nil, console.Usage("standard output takes one picture: give one file, or - alone")
		case in.Path == "-" && c.IsSet("shard"):
			return nil, console.Usage("--shard divides files; standard input is one")
		case (in.Path == "-" || j.output == "-") && c.Bool("resume"):
			return nil, console.Usage("--resume goes on with files; standard input and output begin anew")
		case j.output == "-" && c.Bool("json"):
			return nil, console.Usage("--json and the picture both go to standard output; use -o FILE")
		}
		if info, err := os.Stat(in.Path); err == nil {
			j.bytes = info.Size()
		}
		jobs = append(jobs, j)
	}
	return jobs, nil
}

// withoutResults leaves out inputs that the journal has as outputs, which lie among the
// pictures when those of a folder are enlarged into the same folder.
func withoutResults(past *parts.Ledger, jobs []job) ([]job, error) {
	var left []job
	for _, j := range jobs {
		is, err := past.IsResult(j.root, j.Path)
		if err != nil {
			return nil, err
		}
		if !is {
			left = append(left, j)
		}
	}
	if len(left) == 0 {
		return nil, console.Fail(console.ExitInput, fmt.Errorf("%s: is a result, by the journal beside it; to enlarge it once more, leave out --resume", jobs[0].Path))
	}
	return left, nil
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
		case is || imagefile.SameFile(j.Path, j.output):
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
				now = imagefile.Unwritable(j.root, now)
			}
		} else if paths.IsFolder(j.root) {
			now = imagefile.CheckFolder(filepath.Clean(j.root))
		} else {
			now = imagefile.Unwritable(j.root, syscall.ENOTDIR)
		}
		good = good || now == nil
		err = cmp.Or(err, now)
	}
	if good {
		return made, nil
	}
	return made, err
}
