package upscale

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"superres/cmd/internal/console"
	"superres/cmd/internal/parts"
	"superres/cmd/internal/paths"
	"superres/cmd/internal/pictures"
	"superres/internal/imagefile"
	"superres/internal/safefile"
)

// batch is the plan for one call of the command. Below, "this part" means the pictures that --shard takes of all.
type batch struct {
	jobs     []job
	problems []error          // errors in the plan; if there are any, no picture is enlarged
	others   []pictures.Other // pictures of unreadable kinds, which are left out of inputs
	results  []pictures.Input // pictures that superres enlarged before, which are left out of inputs
	videos   []pictures.Input // videos found in folders, which are left out of inputs

	names  pictures.Namer
	inputs []pictures.Input // pictures of all parts, not only this one
	fates  []fate           // for each input, why it is skipped
	left   int              // number of skipped pictures
	most   fs.FileMode      // permissions that all inputs of this part have; the journal gets no others

	working texts // output folders of the jobs
	folders texts // output folders of this part, and the folders in them that outputs go to
	formats texts // formats of the outputs of this part
}

// job is one picture to enlarge. output is "-" for standard output.
type job struct {
	pictures.Input
	output  string
	format  imagefile.Format // format of the output
	root    string           // folder that the output must stay in, even if it has links to other folders
	replace bool             // the existing output is an earlier result of this job; false: no result is known
	reason  string           // why the picture is skipped: "exists", "done" or "large"; empty: it is enlarged
	bytes   int64            // size of the input file

	settings string // a hash of everything that decides the bytes of the output, except the input
}

// file returns j as the parts.File that the journal of --resume records.
func (j job) file() parts.File {
	return parts.File{Input: j.Path, Place: j.Place, Output: j.output, Root: j.root, Settings: j.settings}
}

// piped reports whether the output is standard output and not a file.
func (j job) piped() bool { return paths.IsStandard(j.output) }

func (j job) fromStandard() bool { return paths.IsStandard(j.Path) }

// title returns the name of the input for messages.
func (j job) title() string {
	if j.fromStandard() {
		return "standard input"
	}
	return j.Path
}

// fate says why a picture is skipped.
type fate uint8

const (
	none   fate = iota // the picture is not skipped, or belongs to another part
	done               // the journal records a result of the picture
	exists             // the output exists already
	large              // the picture is large enough already
)

// job returns the job of input i, without the fields that only examine sets: replace, bytes and settings.
func (b *batch) job(i int) job {
	out, _ := b.names.Output(b.inputs[i]) // planner.nameAll has checked that there is no error
	return job{Input: b.inputs[i], output: out.Path, format: out.Format, root: out.Root,
		reason: map[fate]string{done: "done", exists: "exists", large: "large"}[b.fates[i]]}
}

// skipped returns an iterator over the jobs that are skipped, each with the reason.
func (b *batch) skipped() iter.Seq[job] {
	return func(yield func(job) bool) {
		for i, f := range b.fates {
			if f != none && !yield(b.job(i)) {
				return
			}
		}
	}
}

// count adds the folder and the format of j's output to folders and formats.
func (b *batch) count(j job) {
	b.formats.add(string(j.format))
	if !j.piped() {
		b.folders.add(j.root)
		b.folders.add(filepath.Dir(j.output))
	}
}

// piped reports whether the batch has exactly one job and its output goes to standard output.
func (b *batch) piped() bool { return len(b.jobs) == 1 && b.jobs[0].piped() }

// sole returns the only picture of this part, skipped or not, and true; if there is not exactly one, it returns false.
func (b *batch) sole() (one job, is bool) {
	if b.total() != 1 {
		return job{}, false
	}
	for j := range b.skipped() {
		return j, true
	}
	return b.jobs[0], true
}

func (b *batch) total() int { return len(b.jobs) + b.left }

// problem returns an error with the first of the problems and the number of further problems, or nil if there are none.
func (b *batch) problem() error {
	if n := len(b.problems); n > 1 {
		return console.Fail(console.ExitCode(b.problems[0]),
			fmt.Errorf("%w (and %d more; --dry-run lists all)", b.problems[0], n-1))
	} else if n == 1 {
		return b.problems[0]
	}
	return nil
}

// makeFolders creates the missing output folders of the jobs, and tries to write to the others. It fails only if it can
// write to none. If it can write to some, pictures for other folders fail later, each with its own error.
func (b *batch) makeFolders() (err error) {
	canWrite := false
	for _, root := range b.working.list {
		if root == "" { // empty: standard output
			continue
		}
		var problem error
		if _, missing := os.Stat(root); errors.Is(missing, fs.ErrNotExist) {
			if problem = os.MkdirAll(root, 0o777); problem != nil {
				problem = safefile.Unwritable(root, problem)
			}
		} else if paths.IsFolder(root) {
			problem = safefile.CheckFolder(filepath.Clean(root))
		} else {
			problem = safefile.Unwritable(root, syscall.ENOTDIR)
		}
		canWrite = canWrite || problem == nil
		err = cmp.Or(err, problem)
	}
	if canWrite {
		return nil
	}
	return err
}

// missingFolders returns the output folders, and the folders above them, that do not exist, the innermost first.
func (b *batch) missingFolders() (list []string) {
	known := map[string]bool{}
	for _, folder := range b.folders.list {
		for folder = filepath.Clean(folder); !known[folder]; folder = filepath.Dir(folder) {
			known[folder] = true
			if _, err := os.Lstat(folder); !errors.Is(err, fs.ErrNotExist) {
				break // the folders above exist, too
			}
			list = append(list, folder)
		}
	}
	slices.SortFunc(list, func(a, b string) int { return len(b) - len(a) }) // a parent has the shorter path
	return list
}

// clearLeftovers removes temporary files that killed runs of superres left in the output folders: at once if this
// machine created them, else if they are an hour old.
func (b *batch) clearLeftovers() {
	for _, dir := range b.folders.list {
		_, _ = safefile.RemoveLeftovers(dir, time.Hour) // leftovers that stay do no harm
	}
}

// texts is a list of texts without duplicates, in the order in which they were added.
type texts struct {
	list []string
	has  map[string]bool
}

// add adds text at the end of the list, unless the list has it already.
func (t *texts) add(text string) {
	if t.has == nil {
		t.has = map[string]bool{}
	}
	if !t.has[text] {
		t.has[text] = true
		t.list = append(t.list, text)
	}
}
