package parts

import (
	"crypto/sha256"
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

// A ledger records in journals which output files are done. The journals are in the folders of the outputs and are
// called .superres-journal.jsonl, or .superres-journal.I-of-N.jsonl for part I of N. A part appends only to its own
// journal but reads all, so that parts may run at the same time and the number of parts may change.
const (
	journalPrefix = ".superres-journal"
	journalSuffix = ".jsonl"
)

// Record is a line of a ledger's journal. An output file has two records: "start" after its content is written, just
// before the file gets its name, and "done" after the file has its name. Each says that a file with this name, size and
// hash is a complete result; a file with another size or hash may belong to somebody else.
type Record struct {
	State    string     `json:"state"`            // "start" or "done"
	Output   paths.Name `json:"output,omitempty"` // path below the folder of the journal, with slashes
	Input    paths.Name `json:"input,omitempty"`  // path below the folder it was found in, with slashes
	Size     int64      `json:"size,omitempty"`   // bytes of the input
	Modified time.Time  `json:"modified,omitzero"`
	SHA256   string     `json:"sha256,omitempty"`   // SHA-256 of the input
	Settings string     `json:"settings,omitempty"` // File.Settings
	Bytes    int64      `json:"bytes,omitempty"`    // bytes of the output
	Result   string     `json:"result,omitempty"`   // SHA-256 of the output
	Time     time.Time  `json:"time"`
}

// File is an output file that a command computes from one input file.
type File struct {
	Input    string // the path of the input
	Place    string // the path of the input below the folder it was found in
	Output   string // the path of the output
	Root     string // the folder of the outputs, which holds the journal
	Settings string // a hash of everything but the input that affects the bytes of the output
	Dates    bool   // the output gets the dates of the input
}

// Ledger records the files that a command writes, so that interrupted work can continue. A nil ledger knows of no
// earlier work and records nothing. It is safe for concurrent use except Open and Close.
type Ledger struct {
	suffix   string                      // from Part.Suffix, for the names of the journals
	folders  paths.Folders               // folders of journals and outputs
	journals map[string]*Journal[Record] // the key is the folder

	mu       sync.Mutex          // guards the fields below
	history  map[string]*history // the key is the folder
	warnings []error
}

// NewLedger returns the ledger for part; the zero value of part stands for all the work.
func NewLedger(part Part) *Ledger {
	return &Ledger{suffix: part.Suffix(), history: map[string]*history{}, journals: map[string]*Journal[Record]{}}
}

// Warnings returns an error for each damaged line skipped in the journals read so far.
func (l *Ledger) Warnings() []error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.warnings
}

// IsResult reports whether the journals in the folder root record path as an output.
func (l *Ledger) IsResult(root, path string) (bool, error) {
	if l == nil {
		return false, nil
	}
	recorded, err := l.read(root)
	if err != nil || len(recorded.stories) == 0 {
		return false, err
	}
	return recorded.stories[paths.KeyOf(paths.Below(l.folders.Real(root), l.folders.Place(path)))] != nil, nil
}

// Judge returns what the journals say about f. done says that f.Output exists and was computed from the same input with
// the same settings. ours says that the file now at f.Output is a recorded result, which may be replaced; false: it may
// belong to somebody else. input is os.Stat of f.Input; output is os.Lstat of f.Output, or nil if no file is there.
func (l *Ledger) Judge(f File, input, output fs.FileInfo) (done, ours bool, err error) {
	if l == nil {
		return false, false, nil
	}
	recorded, err := l.read(f.Root)
	if err != nil || output == nil || !output.Mode().IsRegular() {
		return false, false, err
	}
	last := recorded.stories[f.key()]
	if last == nil {
		return false, false, nil
	}
	if last.done && last.bytes == output.Size() && last.source == sourceKey(filepath.ToSlash(f.Place), f.Settings) &&
		last.hasInput(f.Input, input) {
		return true, true, nil // the output is not replaced, so its hash is not checked
	}
	ours, err = recorded.isPromised(f.key(), f.Output, output.Size())
	return false, ours, err
}

// key returns the key of the output in the map history.stories.
func (f File) key() paths.Key { return paths.KeyOf(paths.Below(f.Root, f.Output)) }

// isPromised reports whether the file now at f.Output has the size and hash of a result recorded in a journal.
func (l *Ledger) isPromised(f File) (bool, error) {
	recorded, err := l.read(f.Root)
	if err != nil {
		return false, err
	}
	output, err := os.Lstat(f.Output)
	if err != nil || !output.Mode().IsRegular() {
		return false, nil
	}
	return recorded.isPromised(f.key(), f.Output, output.Size())
}

// hashFile returns the SHA-256 of the content of the file at path.
func hashFile(path string) (sum digest, err error) {
	f, _, err := safefile.OpenRegular(path)
	if err != nil {
		return sum, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return sum, console.Failf(console.ExitInput, "%s: cannot be read: %w", path, err)
	}
	return digest(h.Sum(nil)), nil
}

// openIn opens this part's journal in folder, unless it is open. A new journal has at most the permissions mode.
func (l *Ledger) openIn(folder string, mode fs.FileMode) error {
	key := l.folders.Real(folder)
	if l.journals[key] != nil {
		return nil
	}
	opened, err := OpenJournal[Record](filepath.Join(folder, journalPrefix+l.suffix+journalSuffix), mode, nil)
	if err != nil {
		return err
	}
	l.journals[key] = opened
	return nil
}

// Close closes the journals.
func (l *Ledger) Close() {
	if l == nil {
		return
	}
	for _, j := range l.journals {
		// An error is harmless: every line is written, and the work of a lost line is simply done again.
		_ = j.Close()
	}
}

// Open opens the journals in roots, the folders of the outputs still to write. A new journal has at most the
// permissions mode, since it names the inputs.
func (l *Ledger) Open(roots []string, mode fs.FileMode) error {
	if l == nil {
		return nil
	}
	for _, root := range roots {
		if err := l.openIn(root, mode); err != nil {
			return err
		}
	}
	return nil
}

// Keep writes f.Output with write, completely or not at all. It adds two records to the journal. The first is on the
// disk before the finished file gets its name, so that no result is unknown to the journal after a crash. The second
// follows, unless the input has changed meanwhile. Keep replaces an existing file if overwrite is true or a journal
// records the file as a result. info is os.Stat of the input before it was read, or nil if the input is no file, which
// only a nil ledger accepts. A new file gets no permission that the input lacks, and with f.Dates the input's dates.
func (l *Ledger) Keep(f File, info fs.FileInfo, overwrite bool, write func(io.Writer) error) error {
	from := safefile.Origin{Info: info, KeepDates: f.Dates}
	if l == nil {
		return safefile.WriteAtomicFrom(from, f.Output, overwrite, write)
	}
	return l.keep(f, info, overwrite, func(overwrite bool, note func(bytes int64, sum digest) error) error {
		return safefile.WriteAtomicFrom(from, f.Output, overwrite, func(w io.Writer) error {
			counted := &countingWriter{Writer: w, sum: sha256.New()}
			if err := write(counted); err != nil {
				return err
			}
			return note(counted.bytes, digest(counted.sum.Sum(nil))) // adds the first record
		})
	})
}

// KeepMade is Keep for a file that another program writes: write gets the path of the temporary file to write.
func (l *Ledger) KeepMade(f File, info fs.FileInfo, overwrite bool, write func(temp string) error) error {
	from := safefile.Origin{Info: info, KeepDates: f.Dates}
	if l == nil {
		return safefile.MakeAtomicFrom(from, f.Output, overwrite, write)
	}
	return l.keep(f, info, overwrite, func(overwrite bool, note func(bytes int64, sum digest) error) error {
		return safefile.MakeAtomicFrom(from, f.Output, overwrite, func(temp string) error {
			if err := write(temp); err != nil {
				return err
			}
			made, err := os.Stat(temp)
			if err != nil {
				return safefile.Unwritable(f.Output, err)
			}
			sum, err := hashFile(temp)
			if err != nil {
				return err
			}
			return note(made.Size(), sum) // adds the first record
		})
	})
}

// keep is Keep for a file that store writes. Before the file gets its name, store calls note with its size and hash.
func (l *Ledger) keep(f File, info fs.FileInfo, overwrite bool,
	store func(overwrite bool, note func(bytes int64, sum digest) error) error) error {
	if !overwrite { // check again, since the file may have changed after Judge
		var err error
		if overwrite, err = l.isPromised(f); err != nil {
			return err
		}
	}
	sum, err := hashFile(f.Input)
	if err != nil {
		return err
	}
	rec := Record{State: "start", Output: paths.Name(paths.Below(f.Root, f.Output)),
		Input: paths.Name(filepath.ToSlash(f.Place)), Size: info.Size(), Modified: info.ModTime(),
		SHA256: sum.String(), Settings: f.Settings}
	journal := l.journals[l.folders.Real(f.Root)]
	err = store(overwrite, func(bytes int64, sum digest) error {
		rec.Bytes, rec.Result, rec.Time = bytes, sum.String(), time.Now()
		if err := journal.Add(rec); err != nil {
			return err
		}
		if err := journal.File.Sync(); err != nil {
			return journalError(journal.File.Name(), err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	in, err := os.Stat(f.Input)
	if err != nil || in.Size() != rec.Size || !in.ModTime().Equal(rec.Modified) {
		return nil // the input has changed meanwhile; the next run computes the output again
	}
	rec.State, rec.Time = "done", time.Now()
	return journal.Add(rec)
}

// countingWriter passes bytes on to its Writer, and counts and hashes these bytes.
type countingWriter struct {
	io.Writer
	bytes int64
	sum   hash.Hash
}

func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.bytes += int64(n)
	c.sum.Write(p[:n])
	return n, err
}
