package parts

import (
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"superres/cmd/internal/paths"
	"superres/internal/safefile"
)

// history holds the records about outputs from the journals in a folder, by hash of the relative path of the output.
type history struct {
	stories map[paths.Key]*story    // the last record about each output
	others  map[paths.Key][]promise // the results that earlier records about an output name
}

// story is the last record about an output. As there may be a million, texts are hashed, and times are ns since 1970.
type story struct {
	promise
	source   paths.Key // hash of the input's path and the settings, from sourceKey
	size     int64     // bytes of the input
	modified int64     // time when the input was last changed
	sum      digest    // SHA-256 of the input
	time     int64     // time of the record
	journal  int32     // the number of the journal that contains the record
	done     bool
}

// promise is the size in bytes and the SHA-256 of a complete result. A file with this size and hash was written by this
// program and may be replaced. The zero value matches no file.
type promise struct {
	bytes int64
	sum   digest
}

// digest is a SHA-256.
type digest [32]byte

// digestOf returns the digest that text spells in 64 hexadecimal digits; for other texts zero, which no file has.
func digestOf(text string) (d digest) {
	var digits [2 * len(d)]byte
	if copy(digits[:], text) == len(digits) && len(text) == len(digits) {
		if _, err := hex.Decode(d[:], digits[:]); err != nil {
			return digest{}
		}
	}
	return d
}

func (d digest) String() string { return hex.EncodeToString(d[:]) }

// sourceKey returns a hash of place, the relative path of an input, and of settings, both as in Record.
func sourceKey(place, settings string) paths.Key { return paths.KeyOf(place, settings) }

// add adds rec, a record from journal number journal, to p. The last record about an output becomes its story: within
// one journal that is the record in the last line, of any time; among journals the record with the latest time. Of
// other records, p.others keeps only the promise: the size and hash of the result, by which the file is known as ours.
func (p *history) add(rec *Record, journal int32) {
	if rec.Output == "" { // older versions also recorded the start and end of parts
		return
	}
	now := story{promise: promise{rec.Bytes, digestOf(rec.Result)}, source: sourceKey(string(rec.Input), rec.Settings),
		size: rec.Size, modified: rec.Modified.UnixNano(),
		sum: digestOf(rec.SHA256), time: rec.Time.UnixNano(), journal: journal, done: rec.State == "done"}
	key := paths.KeyOf(string(rec.Output))
	last := p.stories[key]
	switch {
	case last == nil:
		p.stories[key] = &now
	case journal != last.journal && now.time < last.time:
		p.addPromise(key, now.promise)
	default:
		if last.promise != now.promise {
			p.addPromise(key, last.promise)
		}
		*last = now
	}
}

// addPromise adds earlier, the size and hash of a result, to p.others. It is from a record about the output key that
// is not the last one. A promise without a hash, or one that is known, is ignored.
func (p *history) addPromise(key paths.Key, earlier promise) {
	if earlier.sum != (digest{}) && !slices.Contains(p.others[key], earlier) {
		p.others[key] = append(p.others[key], earlier)
	}
}

// isPromised reports whether any record about output names the file at path, of size bytes, as a complete result. It
// hashes the file only if a record has this size.
func (p *history) isPromised(output paths.Key, path string, size int64) (bool, error) {
	last := p.stories[output]
	if last == nil {
		return false, nil
	}
	promises := append([]promise{last.promise}, p.others[output]...)
	if !slices.ContainsFunc(promises, func(p promise) bool { return p.bytes == size }) {
		return false, nil
	}
	sum, err := hashFile(path)
	return err == nil && slices.Contains(promises, promise{size, sum}), err
}

// hasInput reports whether the file at path, described by info, is still the recorded input: it has the same size, and
// the same time of change or, since copying changes the time, the same hash.
func (s *story) hasInput(path string, info fs.FileInfo) bool {
	if info == nil || info.Size() != s.size {
		return false
	}
	if info.ModTime().UnixNano() == s.modified {
		return true
	}
	sum, err := hashFile(path)
	return err == nil && sum == s.sum
}

// read returns the records of all journals in folder, which may not exist. It reads each folder only once.
func (l *Ledger) read(folder string) (*history, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := l.folders.Real(folder)
	if p, ok := l.history[key]; ok {
		return p, nil
	}
	p := &history{stories: map[paths.Key]*story{}, others: map[paths.Key][]promise{}}
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, safefile.Unwritable(folder, err)
	}
	for i, e := range entries {
		if ok, _ := filepath.Match(journalPrefix+"*"+journalSuffix, e.Name()); !ok || !e.Type().IsRegular() {
			continue
		}
		name := filepath.Join(folder, e.Name())
		_, damaged, err := ReadJournal(name, func(rec Record) { p.add(&rec, int32(i)) })
		if err != nil {
			return nil, journalError(name, err)
		}
		if damaged > 0 {
			l.warnings = append(l.warnings, skippedLine(name, damaged))
		}
	}
	l.history[key] = p
	return p, nil
}
