package parts

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"

	"superres/cmd/internal/console"
	"superres/internal/safefile"
)

// Journal keeps what has been finished, one JSON value a line, so that work that
// was interrupted goes on where it was. A line is written whole or, when the
// machine stops within it, dropped by the next open. One process at a time has it.
type Journal[T any] struct {
	File *os.File

	mu      sync.Mutex
	size    int64 // of whole lines
	broken  bool  // a part of a line follows them
	damaged int   // the line that was passed over when it was opened; 0: none
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
	var size int64
	var damaged int
	info, err := f.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = errors.New("not a regular file; use another -o")
	case !safefile.Lock(f):
		err = errors.New("another superres is at work in this folder; wait for it, or use another -o")
	default:
		if list, size, damaged, err = ReadJournal[T](name); err == nil && size < info.Size() {
			err = f.Truncate(size)
		}
	}
	if err != nil {
		return nil, nil, errors.Join(journalError(name, err), f.Close())
	}
	return &Journal[T]{File: f, size: size, damaged: damaged}, list, nil
}

// mostLine is the longest line that is read, in bytes: a hundred times that of a trial.
const mostLine = 1 << 20

// ReadJournal returns the entries and where the last whole line ends. A line that is damaged is
// passed over, and damaged is its number, from 1, for what it told of is done once more, at
// worst; two are an error. 0: there is none.
func ReadJournal[T any](name string) (list []T, whole int64, damaged int, err error) {
	f, size, err := safefile.OpenRegular(name)
	if err != nil {
		return nil, 0, 0, err
	}
	defer f.Close()
	lines := bufio.NewReaderSize(io.LimitReader(f, size), mostLine)
	for number := 1; ; number++ {
		line, err := lines.ReadSlice('\n')
		switch {
		case err == io.EOF:
			return list, whole, damaged, nil
		case err == bufio.ErrBufferFull:
			return nil, 0, 0, fmt.Errorf("line %d has more than %d bytes; remove the file to begin anew", number, mostLine)
		case err != nil:
			return nil, 0, 0, err
		}
		whole += int64(len(line))
		var v T
		switch err := json.Unmarshal(line, &v); {
		case err == nil:
			list = append(list, v)
		case damaged == 0:
			damaged = number
		default:
			return nil, 0, 0, fmt.Errorf("lines %d and %d are damaged (%w); remove them, or the file to begin anew", damaged, number, err)
		}
	}
}

// passed says that a line of a journal is damaged and passed over.
func passed(name string, line int) error {
	return fmt.Errorf("journal %s: line %d is damaged; what it told of is done again", name, line)
}

// Add appends an entry: a whole line or, when there is no room for it, nothing.
func (j *Journal[T]) Add(v T) error {
	line, err := json.Marshal(v)
	if err != nil {
		return journalError(j.File.Name(), err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.broken {
		return journalError(j.File.Name(), errors.New("ends in a part of a line, which could not be taken back"))
	}
	n, err := j.File.Write(append(line, '\n'))
	if err == nil {
		j.size += int64(n)
		return nil
	}
	j.broken = n > 0 && j.File.Truncate(j.size) != nil
	return journalError(j.File.Name(), err)
}

// Close ends the journal.
func (j *Journal[T]) Close() error { return j.File.Close() }

func journalError(name string, err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	}
	return console.Fail(console.ExitOutput, fmt.Errorf("journal %s: %w", name, err))
}
