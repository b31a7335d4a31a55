package parts

import (
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"superres/cmd/internal/console"
	"superres/cmd/internal/paths"
	"superres/internal/safefile"
)

// A ledger tells which files are done by journals in the folders of the outputs:
// .superres-journal.jsonl, or .superres-journal.I-of-N.jsonl for a part. A part appends
// to its own journal alone, and all are read, so that parts may run at once and their
// number may change.
const (
	journalPrefix = ".superres-journal"
	journalSuffix = ".jsonl"
)

// Record is a line of the journal. A file has two: one just before it gets its name, when all
// of it is written, and one after. Either promises that a file of that name, of that many
// bytes and with that hash, is a whole result, and nothing of any other file.
//
// The journal of a part has two more, when it begins and when it ends: whether all of
// its files have been tried, and which failed. They have no output.
type Record struct {
	State    string       `json:"state"`            // "start" or "done"; "begin" or "end"
	Output   paths.Name   `json:"output,omitempty"` // below the folder of the journal, with slashes
	Input    paths.Name   `json:"input,omitempty"`  // below the folder it was found in, with slashes
	Size     int64        `json:"size,omitempty"`   // of the input, in bytes
	Modified time.Time    `json:"modified,omitzero"`
	SHA256   string       `json:"sha256,omitempty"`   // of the input
	Settings string       `json:"settings,omitempty"` // a hash
	Bytes    int64        `json:"bytes,omitempty"`    // of the output
	Result   string       `json:"result,omitempty"`   // its SHA-256
	Time     time.Time    `json:"time"`
	Done     int          `json:"done,omitempty"`   // end: pictures done now or before
	Failed   []paths.Name `json:"failed,omitempty"` // end: the inputs that failed
	Whole    int          `json:"whole,omitempty"`  // end: the pictures of all parts, as this one found them
}

// File is what a command makes of an input, one of its own.
type File struct {
	// Input is the path of the input.
	Input string
	// Place is the path of the input below the folder it was found in.
	Place string
	// Output is the path of the file that is made.
	Output string
	// Root is the folder of the outputs, which has the journal.
	Root string
	// Settings is a hash of all but the input that decides the bytes of the output.
	Settings string
}

// Ledger keeps account of the files that a command makes, so that work that was
// interrupted goes on. A nil one knows of no earlier work and keeps nothing. It is safe for
// concurrent use but for Open and Close.
type Ledger struct {
	suffix   string                      // of this part's journals
	folders  paths.Folders               // of journals and outputs
	journals map[string]*Journal[Record] // by folder

	mu       sync.Mutex       // guards what is below
	past     map[string]*past // by folder
	warnings []error
}

// NewLedger returns the ledger of a part, or of the whole.
func NewLedger(part Part) *Ledger {
	return &Ledger{suffix: part.Suffix(), past: map[string]*past{}, journals: map[string]*Journal[Record]{}}
}

// Warnings are what was wrong with the journals.
func (l *Ledger) Warnings() []error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.warnings
}

// IsResult tells whether a path is an output by the journals in the folder root.
func (l *Ledger) IsResult(root, path string) (bool, error) {
	if l == nil {
		return false, nil
	}
	told, err := l.read(root)
	if err != nil || len(told.outputs) == 0 {
		return false, err
	}
	return told.story(paths.KeyOf(paths.Below(l.folders.Real(root), l.folders.Place(path)))) != nil, nil
}

// Judge decides what the journals say of a file: that it is done, or that what has the
// name of its output is a result and may be replaced. input is the input, by os.Stat, and
// there what has that name, by os.Lstat; nil is nothing.
func (l *Ledger) Judge(f File, input, there fs.FileInfo) (done, ours bool, err error) {
	if l == nil {
		return false, false, nil
	}
	told, err := l.read(f.Root)
	if err != nil || there == nil || !there.Mode().IsRegular() {
		return false, false, err
	}
	output := f.key()
	last := told.story(output)
	if last == nil {
		return false, false, nil
	}
	if last.done && last.bytes == there.Size() && last.of == madeOf(filepath.ToSlash(f.Place), f.Settings) && last.isOf(f.Input, input) {
		return true, true, nil // nothing is replaced, so nothing needs to be proved
	}
	ours, err = told.keeps(output, f.Output, there.Size())
	return false, ours, err
}

// key is that of the output in the journals.
func (f File) key() paths.Key { return paths.KeyOf(paths.Below(f.Root, f.Output)) }

// promised tells whether what has the name of the output of a file is a result that journals
// promise.
func (l *Ledger) promised(f File) (bool, error) {
	told, err := l.read(f.Root)
	if err != nil {
		return false, err
	}
	there, err := os.Lstat(f.Output)
	if err != nil || !there.Mode().IsRegular() {
		return false, nil
	}
	return told.keeps(f.key(), f.Output, there.Size())
}

func hashFile(path string) (sum digest, err error) {
	f, _, err := safefile.OpenRegular(path)
	if err != nil {
		return sum, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return sum, console.Fail(console.ExitInput, fmt.Errorf("%s: cannot be read: %w", path, err))
	}
	return digest(h.Sum(nil)), nil
}

// openIn opens the journal in a folder; a new one gets no more than the mode most.
func (l *Ledger) openIn(folder string, most fs.FileMode) error {
	key := l.folders.Real(folder)
	if l.journals[key] != nil {
		return nil
	}
	opened, err := OpenJournal[Record](filepath.Join(folder, journalPrefix+l.suffix+journalSuffix), most, nil)
	if err != nil {
		return err
	}
	l.journals[key] = opened
	return l.mark(key, Record{State: "begin"})
}

// mark adds a record without an output to the journal of a part.
func (l *Ledger) mark(key string, rec Record) error {
	if l.suffix == "" {
		return nil
	}
	rec.Time = time.Now()
	return l.journals[key].Add(rec)
}

// Close ends the journals.
func (l *Ledger) Close() {
	if l == nil {
		return
	}
	for _, j := range l.journals {
		// Every line is written; one that is lost costs its picture once more.
		_ = j.Close()
	}
}

// Open opens the journals in the folders in which there is something to do. A part has
// one in every folder of the whole, also where it has nothing to do: superres merge looks
// for it.
//
// A new journal gets no more than the mode most, for it tells of the inputs: see
// safefile.ModeOf.
func (l *Ledger) Open(all, working []string, most fs.FileMode) error {
	if l == nil {
		return nil
	}
	if l.suffix != "" {
		for _, root := range all {
			if err := os.MkdirAll(root, 0o777); err != nil {
				return safefile.Unwritable(root, err)
			}
			if err := l.openIn(root, most); err != nil {
				return err
			}
		}
	}
	for _, root := range working {
		if err := l.openIn(root, most); err != nil {
			return err
		}
	}
	return nil
}

// Tally is what has become of the files of a part in a folder of outputs.
type Tally struct {
	// Done is how many are there, made now or before.
	Done int
	// Failed are the inputs of those that were not made.
	Failed []string
}

// End tells the journals of a part, in all folders of the whole, that all its files have
// been tried. whole is how many files all parts have.
func (l *Ledger) End(all map[string]*Tally, whole int) error {
	if l == nil || l.suffix == "" {
		return nil
	}
	for root, t := range all {
		if err := l.mark(l.folders.Real(root), Record{State: "end", Done: t.Done, Failed: paths.Names(t.Failed), Whole: whole}); err != nil {
			return err
		}
	}
	return nil
}

// Keep makes a file of what write gives to its writer, whole or not at all, between its two
// records. A file of that name is replaced when overwrite says so, or when it is a result as it
// was promised. info is that of the input before it was read, nil when it is no file; a new file is for
// no more people than it. The first record is on the disk
// before the file.
func (l *Ledger) Keep(f File, info fs.FileInfo, overwrite bool, write func(io.Writer) error) error {
	if l == nil {
		return safefile.WriteAtomicMode(safefile.ModeOfInfo(info), f.Output, overwrite, write)
	}
	if !overwrite { // again, since some time may have passed
		var err error
		if overwrite, err = l.promised(f); err != nil {
			return err
		}
	}
	sum, err := hashFile(f.Input)
	if err != nil {
		return err
	}
	rec := Record{State: "start", Output: paths.Name(paths.Below(f.Root, f.Output)), Input: paths.Name(filepath.ToSlash(f.Place)), Size: info.Size(), Modified: info.ModTime(),
		SHA256: sum.String(), Settings: f.Settings}
	at := l.journals[l.folders.Real(f.Root)]
	err = safefile.WriteAtomicMode(safefile.ModeOfInfo(info), f.Output, overwrite, func(w io.Writer) error {
		whole := &counted{Writer: w, sum: sha256.New()}
		if err := write(whole); err != nil {
			return err
		}
		rec.Bytes, rec.Result, rec.Time = whole.bytes, digest(whole.sum.Sum(nil)).String(), time.Now()
		if err := at.Add(rec); err != nil {
			return err
		}
		if err := at.File.Sync(); err != nil {
			return journalError(at.File.Name(), err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	in, err := os.Stat(f.Input)
	if err != nil || in.Size() != rec.Size || !in.ModTime().Equal(rec.Modified) {
		return nil // changed meanwhile: to be done again
	}
	rec.State, rec.Time = "done", time.Now()
	return at.Add(rec)
}

// counted counts and hashes what goes through.
type counted struct {
	io.Writer
	bytes int64
	sum   hash.Hash
}

func (c *counted) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.bytes += int64(n)
	c.sum.Write(p[:n])
	return n, err
}
