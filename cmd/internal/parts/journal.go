package parts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"superres/cmd/internal/console"
	"superres/internal/safefile"
)

// Journal keeps what has been finished, one JSON value a line, so that work that
// was interrupted goes on where it was. A line is written whole or, when the
// machine stops within it, dropped by the next open. One process at a time has it.
type Journal[T any] struct {
	File *os.File
}

// OpenJournal opens or begins a journal and returns what it holds, in its order.
func OpenJournal[T any](name string) (*Journal[T], []T, error) {
	if info, err := os.Lstat(name); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return nil, nil, journalError(name, errors.New("is a symbolic link, and nothing is written through it; remove it, or use another -o"))
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, nil, journalError(name, err)
	}
	var list []T
	info, err := f.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = errors.New("not a regular file; use another -o")
	case !safefile.Lock(f):
		err = errors.New("another superres is at work in this folder; wait for it, or use another -o")
	default:
		var whole int64
		if list, whole, err = ReadJournal[T](name); err == nil && whole < info.Size() {
			err = f.Truncate(whole)
		}
	}
	if err != nil {
		return nil, nil, errors.Join(journalError(name, err), f.Close())
	}
	return &Journal[T]{f}, list, nil
}

// mostJournal is the largest journal that is read, in bytes: some thousands for each trial.
const mostJournal = 4 << 30

// ReadJournal returns the entries and where the last whole line ends.
func ReadJournal[T any](name string) (list []T, whole int64, err error) {
	text, err := safefile.ReadRegular(name, mostJournal)
	if err != nil {
		return nil, 0, err
	}
	for line := 1; ; line++ {
		end := bytes.IndexByte(text[whole:], '\n')
		if end < 0 {
			return list, whole, nil
		}
		var v T
		if err := json.Unmarshal(text[whole:whole+int64(end)], &v); err != nil {
			return nil, 0, fmt.Errorf("line %d is damaged (%w); remove that line, or the file to begin anew", line, err)
		}
		list = append(list, v)
		whole += int64(end) + 1
	}
}

// Add appends an entry.
func (j *Journal[T]) Add(v T) error {
	line, err := json.Marshal(v)
	if err == nil {
		_, err = j.File.Write(append(line, '\n'))
	}
	if err != nil {
		return journalError(j.File.Name(), err)
	}
	return nil
}

// Close ends the journal.
func (j *Journal[T]) Close() error { return j.File.Close() }

func journalError(name string, err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	}
	return console.Fail(console.ExitOutput, fmt.Errorf("journal %s: %w", name, err))
}
