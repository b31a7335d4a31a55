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

// past is what the journals in a folder tell of outputs, each by the key of its name in them.
type past struct {
	outputs map[paths.Key]int32 // in stories
	stories [][]story           // of so many, but for the last: they are not moved as they grow
	// others are the promises of an output beside that of its last record.
	others map[paths.Key][]promise
}

// storiesInARow is how many stories are in memory beside one another.
const storiesInARow = 1 << 12

// story is the last record of an output, and whether it is done. Of a million outputs it is in
// memory, so it has hashes and no texts, and times in nanoseconds since 1970.
type story struct {
	promise
	of       paths.Key // see madeOf
	size     int64     // of the input
	modified int64     // of the input
	sum      digest    // of the input
	time     int64     // of the record
	journal  int32     // which has the record
	done     bool
}

// promise is what a whole result is known by. The zero value promises nothing.
type promise struct {
	bytes int64
	sum   digest
}

// digest is a SHA-256.
type digest [32]byte

// digestOf reads a digest as records have it; of any other text it is that of no file.
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

// madeOf is the key of an input, by its place, and of settings.
func madeOf(place, settings string) paths.Key { return paths.KeyOf(place, settings) }

// add takes a record of the journal of a number. Of one output's, that of the latest time is
// the last, and in a journal the later line, whatever the clock said.
func (p *past) add(rec *Record, journal int32) {
	if rec.Output == "" {
		return
	}
	now := story{promise: promise{rec.Bytes, digestOf(rec.Result)}, of: madeOf(string(rec.Input), rec.Settings), size: rec.Size, modified: rec.Modified.UnixNano(),
		sum: digestOf(rec.SHA256), time: rec.Time.UnixNano(), journal: journal, done: rec.State == "done"}
	key := paths.KeyOf(string(rec.Output))
	last := p.story(key)
	switch {
	case last == nil:
		if n := len(p.outputs); n%storiesInARow == 0 {
			p.stories = append(p.stories, make([]story, 0, storiesInARow))
		}
		row := &p.stories[len(p.stories)-1]
		p.outputs[key], *row = int32(len(p.outputs)), append(*row, now)
	case journal != last.journal && now.time < last.time:
		p.promised(key, now.promise)
	default:
		if last.promise != now.promise {
			p.promised(key, last.promise)
		}
		*last = now
	}
}

// story is that of an output, or nil.
func (p *past) story(output paths.Key) *story {
	i, ok := p.outputs[output]
	if !ok {
		return nil
	}
	return &p.stories[i/storiesInARow][i%storiesInARow]
}

// promised keeps a promise beside that of the last record.
func (p *past) promised(key paths.Key, one promise) {
	if one.sum != (digest{}) && !slices.Contains(p.others[key], one) {
		p.others[key] = append(p.others[key], one)
	}
}

// keeps tells whether what has the name of an output, of a size in bytes, is a result that
// was promised.
func (p *past) keeps(output paths.Key, path string, size int64) (bool, error) {
	last := p.story(output)
	if last == nil {
		return false, nil
	}
	promises := append([]promise{last.promise}, p.others[output]...)
	if !slices.ContainsFunc(promises, func(one promise) bool { return one.bytes == size }) {
		return false, nil
	}
	sum, err := hashFile(path)
	return err == nil && slices.Contains(promises, promise{size, sum}), err
}

// isOf tells whether a file is still the input of the record: by its size and time, or
// else, since copying changes the time, by what is in it.
func (s *story) isOf(path string, info fs.FileInfo) bool {
	if info == nil || info.Size() != s.size {
		return false
	}
	if info.ModTime().UnixNano() == s.modified {
		return true
	}
	sum, err := hashFile(path)
	return err == nil && sum == s.sum
}

// read returns what all journals of a folder tell.
func (l *Ledger) read(folder string) (*past, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := l.folders.Real(folder)
	if p, ok := l.past[key]; ok {
		return p, nil
	}
	p := &past{outputs: map[paths.Key]int32{}, others: map[paths.Key][]promise{}}
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
			l.warnings = append(l.warnings, passed(name, damaged))
		}
	}
	l.past[key] = p
	return p, nil
}
