package parts

import (
	"bufio"
	"bytes"
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

// Journal is a file of finished results, one JSON value per line, from which interrupted work continues where it
// stopped. OpenJournal drops an incomplete last line. A journal is locked, so that only one process can have it open.
type Journal[T any] struct {
	File *os.File

	mu      sync.Mutex
	size    int64 // bytes of all complete lines
	broken  bool  // an incomplete last line could not be removed
	damaged int   // number, from 1, of a damaged line that was skipped; 0: none
}

// OpenJournal opens the journal called name, or creates it with at most the permissions mode, and calls handle with
// every entry, in order. If handle is nil, the entries are not read. The caller must Close the journal.
func OpenJournal[T any](name string, mode fs.FileMode, handle func(T)) (*Journal[T], error) {
	if info, err := os.Lstat(name); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return nil, journalError(name, errors.New("is a symbolic link, and nothing is written through it; remove "+
			"it, or use another -o"))
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, mode&0o644)
	if err != nil {
		return nil, journalError(name, err)
	}
	j := &Journal[T]{File: f}
	if err := j.begin(handle); err != nil {
		return nil, errors.Join(journalError(name, err), f.Close())
	}
	return j, nil
}

// begin locks the journal, calls handle with its entries as OpenJournal does, and removes an incomplete last line.
func (j *Journal[T]) begin(handle func(T)) error {
	info, err := j.File.Stat()
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return errors.New("not a regular file; use another -o")
	case safefile.Links(j.File) > 1:
		return errors.New("has other names as well (hard links), whose file would change with it; " +
			"move it away, put a copy of it here, or use another -o")
	case !safefile.Lock(j.File):
		return errors.New("another superres is at work in this folder; wait for it, or use another -o")
	case handle == nil:
		j.size, err = endOfLines(j.File, info.Size())
	default:
		j.size, j.damaged, err = ReadJournal(j.File.Name(), handle)
	}
	if err == nil && j.size < info.Size() {
		err = j.File.Truncate(j.size)
	}
	return err
}

// maxLine is the greatest length of a line in bytes: about a hundred times the line of a usual result.
const maxLine = 1 << 20

// endOfLines returns the offset of the end of the last complete line in f, a file of size bytes, 0 without such a line.
func endOfLines(f io.ReaderAt, size int64) (int64, error) {
	end := make([]byte, min(size, maxLine))
	if _, err := f.ReadAt(end, size-int64(len(end))); err != nil {
		return 0, err
	}
	last := bytes.LastIndexByte(end, '\n')
	if last < 0 && size > maxLine {
		return 0, fmt.Errorf("its last line has more than %d bytes; remove the file to start over", maxLine)
	}
	return size - int64(len(end)-last-1), nil
}

// ReadJournal calls handle with every entry of the journal called name, in order, and returns the offset of the end of
// the last complete line, after which it reads nothing. It skips one damaged line, since the work recorded there is
// simply done again; damaged is its number, counted from 1, or 0 for none. Two damaged lines are an error.
func ReadJournal[T any](name string, handle func(T)) (end int64, damaged int, err error) {
	f, size, err := safefile.OpenRegular(name)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	lines := bufio.NewReaderSize(io.LimitReader(f, size), maxLine) // without what others append from now on
	var v, zero T
	for number := 1; ; number++ {
		line, err := lines.ReadSlice('\n')
		switch {
		case err == io.EOF:
			return end, damaged, nil
		case err == bufio.ErrBufferFull:
			return 0, 0, fmt.Errorf("line %d has more than %d bytes; remove the file to start over", number, maxLine)
		case err != nil:
			return 0, 0, err
		}
		end += int64(len(line))
		v = zero
		switch err := json.Unmarshal(line, &v); {
		case err == nil:
			handle(v)
		case damaged == 0:
			damaged = number
		default:
			return 0, 0, fmt.Errorf("lines %d and %d are damaged (%w); remove them, or the file to start over",
				damaged, number, err)
		}
	}
}

// skippedLine returns a warning that a damaged line of the journal called name, counted from 1, was skipped.
func skippedLine(name string, line int) error {
	return fmt.Errorf("journal %s: line %d is damaged; what it told of is done again", name, line)
}

// Add appends v as a line, safe for concurrent use. After an error nothing of v is left, or every later Add fails.
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

func (j *Journal[T]) Close() error { return j.File.Close() }

// journalError returns err as an error about the journal called name, with the exit code ExitOutput.
func journalError(name string, err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	}
	return console.Failf(console.ExitOutput, "journal %s: %w", name, err)
}
