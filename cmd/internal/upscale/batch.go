package upscale

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"superres/cmd/internal/console"
	"superres/cmd/internal/parts"
	"superres/cmd/internal/paths"
	"superres/cmd/internal/pictures"
	"superres/internal/imagefile"
	"superres/internal/safefile"
)

// batch is what one call is to do.
type batch struct {
	jobs     []job
	problems []error          // for which nothing is done at all
	others   []pictures.Other // that cannot be read and are left out

	names  pictures.Namer
	inputs []pictures.Input // of other parts as well
	fates  []fate           // of the inputs
	left   int              // pictures with which there is nothing to do
	most   fs.FileMode      // of what tells of the inputs of this part: see safefile.ModeOf

	roots    texts          // the folders of the outputs, of other parts as well
	working  texts          // those with jobs
	folders  texts          // those, and the folders below them, where outputs of this part go
	formats  texts          // of the outputs of this part
	pictures map[string]int // of this part, by the folder of the outputs
}

// job is one picture to enlarge: where it comes from and where it goes ("-":
// standard output).
type job struct {
	pictures.Input
	output  string
	format  imagefile.Format // of the output
	root    string           // the folder that the output must not leave through a link
	replace bool             // what is there is an earlier result of this program
	reason  string           // why there is nothing to do: a reason of an event
	bytes   int64            // of the input

	settings string // a hash of what else decides the output
}

// file is the job as a ledger has it.
func (j job) file() parts.File {
	return parts.File{Input: j.Path, Place: j.Place, Output: j.output, Root: j.root, Settings: j.settings}
}

// piped tells whether the output is standard output.
func (j job) piped() bool { return paths.IsStandard(j.output) }

// fromStandard tells whether the input is standard input.
func (j job) fromStandard() bool { return paths.IsStandard(j.Path) }

// title is what messages call the input.
func (j job) title() string {
	if j.fromStandard() {
		return "standard input"
	}
	return j.Path
}

// fate is why there is nothing to do with a picture.
type fate uint8

const (
	none   fate = iota // there is, or it is of another part
	done               // by the journal
	exists             // its output
)

// job is that of input i, but for what must be looked up.
func (b *batch) job(i int) job {
	out, _ := b.names.Output(b.inputs[i]) // all have been named without an error
	return job{Input: b.inputs[i], output: out.Path, format: out.Format, root: out.Root,
		reason: map[fate]string{done: "done", exists: "exists"}[b.fates[i]]}
}

// skipped are the pictures with which there is nothing to do.
func (b *batch) skipped() iter.Seq[job] {
	return func(yield func(job) bool) {
		for i, f := range b.fates {
			if f != none && !yield(b.job(i)) {
				return
			}
		}
	}
}

// count notes where a picture of this part goes.
func (b *batch) count(j job) {
	if b.pictures == nil {
		b.pictures = map[string]int{}
	}
	b.pictures[j.root]++
	b.formats.add(string(j.format))
	if !j.piped() {
		b.folders.add(j.root)
		b.folders.add(filepath.Dir(j.output))
	}
}

// piped tells whether the result goes to standard output.
func (b *batch) piped() bool { return len(b.jobs) == 1 && b.jobs[0].piped() }

// sole is the picture of this part where there is one, and nothing is wrong with it.
func (b *batch) sole() (one job, is bool) {
	if b.total() != 1 {
		return job{}, false
	}
	for j := range b.skipped() {
		return j, true
	}
	return b.jobs[0], true
}

// total is how many pictures there are of this part.
func (b *batch) total() int { return len(b.jobs) + b.left }

// tallies are what has become of the pictures of this part in all folders of outputs, when the
// failed inputs have failed and the others not.
func (b *batch) tallies(failed []string) map[string]*parts.Tally {
	all, bad := map[string]*parts.Tally{}, map[string]bool{}
	for _, root := range b.roots.list {
		all[root] = &parts.Tally{Done: b.pictures[root]}
	}
	for _, path := range failed {
		bad[path] = true
	}
	for _, j := range b.jobs {
		if t := all[j.root]; t != nil && bad[j.Path] { // standard output has none
			t.Done--
			t.Failed = append(t.Failed, j.Path)
		}
	}
	return all
}

// problem is the first of the problems, or nil.
func (b *batch) problem() error {
	if n := len(b.problems); n > 1 {
		return console.Fail(console.ExitCode(b.problems[0]),
			fmt.Errorf("%w (and %d more; --dry-run lists all)", b.problems[0], n-1))
	} else if n == 1 {
		return b.problems[0]
	}
	return nil
}

// makeFolders makes the folders for the outputs that are not there, and returns them.
// It fails when none can be written to: one among others is a matter of its pictures.
func (b *batch) makeFolders() (made []string, err error) {
	good := false
	for _, root := range b.working.list {
		if root == "" { // standard output
			continue
		}
		var now error
		if _, missing := os.Stat(root); errors.Is(missing, fs.ErrNotExist) {
			if now = os.MkdirAll(root, 0o777); now == nil {
				made = append(made, root)
			} else {
				now = safefile.Unwritable(root, now)
			}
		} else if paths.IsFolder(root) {
			now = safefile.CheckFolder(filepath.Clean(root))
		} else {
			now = safefile.Unwritable(root, syscall.ENOTDIR)
		}
		good = good || now == nil
		err = cmp.Or(err, now)
	}
	if good {
		return made, nil
	}
	return made, err
}

// occupy tells other programs that this one is at work where the pictures are to go, until
// leave is called.
func (b *batch) occupy() (leave func()) {
	const most = 64 // folders: each is an open file
	var all []func()
	for _, root := range b.working.list[:min(most, len(b.working.list))] {
		if root != "" { // standard output
			all = append(all, safefile.Occupy(filepath.Clean(root)))
		}
	}
	return func() {
		for _, leave := range all {
			leave()
		}
	}
}

// clearLeftovers removes what killed runs left where the pictures are to go.
func (b *batch) clearLeftovers() {
	for _, dir := range b.folders.list {
		_, _ = safefile.RemoveLeftovers(dir, time.Hour) // not to be able to is no error
	}
}

// texts are texts in the order in which they came, each once.
type texts struct {
	list []string
	has  map[string]bool
}

func (t *texts) add(text string) {
	if t.has == nil {
		t.has = map[string]bool{}
	}
	if !t.has[text] {
		t.has[text] = true
		t.list = append(t.list, text)
	}
}
