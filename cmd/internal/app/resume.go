package app

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/paths"
	"superres/cmd/internal/pictures"
	"superres/internal/imagefile"
	"superres/superres"
)

// With --resume, a journal in the folder of the outputs tells which pictures are
// done: .superres-journal.jsonl, or .superres-journal.I-of-N.jsonl for a part. A part
// appends to its own journal alone, and all are read, so that parts may run at once
// and their number may change.
const (
	journalPrefix = ".superres-journal"
	journalSuffix = ".jsonl"
)

// record is a line of the journal. A picture has two: one just before its file gets
// its name and one after. A first line alone says that what has that name, if
// anything, is a whole result, but not of which input.
//
// The journal of a part has two more, when it begins and when it ends: whether all of
// its pictures have been tried, and which failed. They have no output.
type record struct {
	State    string    `json:"state"`            // "start" or "done"; "begin" or "end"
	Output   string    `json:"output,omitempty"` // below the folder of the journal, with slashes
	Input    string    `json:"input,omitempty"`  // below the folder it was found in, with slashes
	Size     int64     `json:"size,omitempty"`   // of the input, in bytes
	Modified time.Time `json:"modified,omitzero"`
	SHA256   string    `json:"sha256,omitempty"`   // of the input
	Settings string    `json:"settings,omitempty"` // a hash
	Bytes    int64     `json:"bytes,omitempty"`    // of the output
	Time     time.Time `json:"time"`
	Done     int       `json:"done,omitempty"`   // end: pictures done now or before
	Failed   []string  `json:"failed,omitempty"` // end: the inputs that failed
}

// neutral are the flags of upscale whose values do not matter to the bytes of a
// result, or matter by what else is hashed. All others are settings of it, so that a
// new flag is one until it is known better.
var neutral = []string{
	"output", "name", "format", "recursive", "include", "exclude", "on-exist", "resume", "shard", "dry-run", "json",
	"scale", "width", "height", "fit", "model", "timeout", "provenance", "progress", "quiet", "verbose", "jobs", "tile", "max-memory", "max-pixels", "help",
}

// resumption goes on with interrupted work. A nil one knows of no earlier work and
// keeps no journal.
type resumption struct {
	settings map[string]string            // by format of the output
	suffix   string                       // of this part's journals
	past     map[string]map[string]record // the latest, by folder and output
	journals map[string]*journal[record]  // by folder
}

// newResumption returns nil without --resume; engines are opened with it alone.
func newResumption(c *cli.Context, engines func() ([]engine, error), opt superres.Options) (*resumption, error) {
	if !c.Bool("resume") {
		return nil, nil
	}
	part, err := newShard(c.String("shard"))
	if err != nil {
		return nil, err
	}
	all, err := engines()
	if err != nil {
		return nil, err
	}
	var models, software []string
	for _, e := range all {
		hash, err := e.model.Fingerprint()
		if err != nil {
			return nil, err
		}
		models, software = append(models, hash), append(software, e.software)
	}
	r := &resumption{map[string]string{}, part.suffix(), map[string]map[string]record{}, map[string]*journal[record]{}}
	for _, format := range []string{"png", "jpeg", "bmp", "tiff"} {
		sum := sha256.New()
		fmt.Fprintf(sum, "version %s\nmodel %s %s\nsize %s\nformat %s\n", console.Version, models, filepath.Base(c.String("model")), pictures.SizeText(opt), format)
		if opt.Fit {
			fmt.Fprintln(sum, "fit")
		}
		fmt.Fprintln(sum, "software", software)
		for _, f := range c.Command.Flags {
			name := f.Names()[0]
			if !slices.Contains(neutral, name) && (name != "quality" || format == "jpeg") {
				fmt.Fprintf(sum, "%s %v\n", name, c.Value(name))
			}
		}
		r.settings[format] = hex.EncodeToString(sum.Sum(nil))
	}
	return r, nil
}

// withoutResults leaves out inputs that the journal has as outputs, which lie among the
// pictures when those of a folder are enlarged into the same folder.
func (r *resumption) withoutResults(jobs []job) ([]job, error) {
	if r == nil {
		return jobs, nil
	}
	var left []job
	for _, j := range jobs {
		past, err := r.read(j.root)
		if err != nil {
			return nil, err
		}
		if _, is := past[paths.Below(paths.Real(j.root), filepath.Join(paths.Real(filepath.Dir(j.Path)), filepath.Base(j.Path)))]; !is {
			left = append(left, j)
		}
	}
	if len(left) == 0 {
		return nil, console.Fail(console.ExitInput, fmt.Errorf("%s: is a result, by the journal beside it; to enlarge it once more, leave out --resume", jobs[0].Path))
	}
	return left, nil
}

// judge decides what the journals say of a job: that it is done, which sets skip, or
// that what has the name of its output may be replaced.
func (r *resumption) judge(j *job) error {
	if r == nil {
		return nil
	}
	past, err := r.read(j.root)
	if err != nil {
		return err
	}
	last, known := past[outputOf(*j)]
	there, err := os.Lstat(j.output)
	if !known || err != nil || !there.Mode().IsRegular() {
		return nil
	}
	ours := last.State == "start" || last.Bytes == there.Size()
	if ours && last.State == "done" && last.Input == filepath.ToSlash(j.Place) && last.Settings == r.settings[j.format] && last.isOf(j.Path) {
		j.skip = "done"
	}
	j.replace = ours
	return nil
}

// isOf tells whether a file is still the input of a record: by its size and time, or
// else, since copying changes the time, by what is in it.
func (rec record) isOf(path string) bool {
	info, err := os.Stat(path)
	if err != nil || info.Size() != rec.Size {
		return false
	}
	if info.ModTime().Equal(rec.Modified) {
		return true
	}
	sum, err := hashFile(path)
	return err == nil && sum == rec.SHA256
}

func hashFile(path string) (string, error) {
	f, _, err := imagefile.OpenRegular(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", console.Fail(console.ExitInput, fmt.Errorf("%s: cannot be read: %w", path, err))
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// outputOf is the output of a job as the journal in its folder has it.
func outputOf(j job) string { return paths.Below(j.root, j.output) }

// read returns the latest record of each output in all journals of a folder.
func (r *resumption) read(folder string) (map[string]record, error) {
	key := paths.Real(folder)
	if past, ok := r.past[key]; ok {
		return past, nil
	}
	past := map[string]record{}
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, imagefile.Unwritable(folder, err)
	}
	for _, e := range entries {
		if ok, _ := filepath.Match(journalPrefix+"*"+journalSuffix, e.Name()); !ok || !e.Type().IsRegular() {
			continue
		}
		name := filepath.Join(folder, e.Name())
		list, _, err := readJournal[record](name)
		if err != nil {
			return nil, journalError(name, err)
		}
		last := map[string]record{} // in a journal the later line, whatever the clock says
		for _, rec := range list {
			if rec.Output != "" {
				last[rec.Output] = rec
			}
		}
		for output, rec := range last {
			if old, ok := past[output]; !ok || !rec.Time.Before(old.Time) {
				past[output] = rec
			}
		}
	}
	r.past[key] = past
	return past, nil
}

// open opens the journals for jobs. A part has one in every folder, also where it has
// nothing to do: superres merge looks for it.
func (r *resumption) open(b batch) error {
	if r == nil {
		return nil
	}
	if r.suffix != "" {
		for _, root := range b.roots {
			if err := os.MkdirAll(root, 0o777); err != nil {
				return imagefile.Unwritable(root, err)
			}
			if err := r.openIn(root); err != nil {
				return err
			}
		}
	}
	for _, j := range b.jobs {
		if err := r.openIn(j.root); err != nil {
			return err
		}
	}
	return nil
}

// openIn opens the journal in a folder.
func (r *resumption) openIn(folder string) error {
	key := paths.Real(folder)
	if r.journals[key] != nil {
		return nil
	}
	opened, _, err := openJournal[record](filepath.Join(folder, journalPrefix+r.suffix+journalSuffix))
	if err != nil {
		return err
	}
	r.journals[key] = opened
	return r.mark(key, record{State: "begin"})
}

// mark adds a record without an output to the journal of a part.
func (r *resumption) mark(key string, rec record) error {
	if r.suffix == "" {
		return nil
	}
	rec.Time = time.Now()
	return r.journals[key].add(rec)
}

// end tells the journals of a part that all its pictures have been tried.
func (r *resumption) end(b batch, failed []string) error {
	if r == nil || r.suffix == "" {
		return nil
	}
	bad, ends := map[string]bool{}, map[string]*record{}
	for _, path := range failed {
		bad[path] = true
	}
	for _, root := range b.roots {
		ends[root] = &record{State: "end"}
	}
	for _, j := range slices.Concat(b.jobs, b.skipped) {
		if e := ends[j.root]; bad[j.Path] {
			e.Failed = append(e.Failed, j.Path)
		} else {
			e.Done++
		}
	}
	for root, e := range ends {
		if err := r.mark(paths.Real(root), *e); err != nil {
			return err
		}
	}
	return nil
}

func (r *resumption) close() {
	if r == nil {
		return
	}
	for _, j := range r.journals {
		// Every line is written; one that is lost costs its picture once more.
		_ = j.close()
	}
}

// keep has a job's file written, between its two records. info is that of the input
// before it was read. The first record is on the disk before the file.
func (r *resumption) keep(j job, info fs.FileInfo, write func() error) error {
	if r == nil {
		return write()
	}
	sum, err := hashFile(j.Path)
	if err != nil {
		return err
	}
	rec := record{State: "start", Output: outputOf(j), Input: filepath.ToSlash(j.Place), Size: info.Size(), Modified: info.ModTime(),
		SHA256: sum, Settings: r.settings[j.format], Time: time.Now()}
	at := r.journals[paths.Real(j.root)]
	if err := at.add(rec); err != nil {
		return err
	}
	if err := at.file.Sync(); err != nil {
		return journalError(at.file.Name(), err)
	}
	if err := write(); err != nil {
		return err
	}
	in, err := os.Stat(j.Path)
	if err != nil || in.Size() != rec.Size || !in.ModTime().Equal(rec.Modified) {
		return nil // changed meanwhile: to be done again
	}
	out, err := os.Lstat(j.output)
	if err != nil {
		return imagefile.Unwritable(j.output, err)
	}
	rec.State, rec.Bytes, rec.Time = "done", out.Size(), time.Now()
	return at.add(rec)
}
