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

// OpenJournal opens or begins a journal and calls each with what it holds, in its order. A
// nil function is for those who know that. A new journal gets no more than the mode most.
func OpenJournal[T any](name string, most fs.FileMode, each func(T)) (*Journal[T], error) {
	if info, err := os.Lstat(name); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return nil, journalError(name, errors.New("is a symbolic link, and nothing is written through it; remove it, or use another -o"))
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, most&0o644)
	if err != nil {
		return nil, journalError(name, err)
	}
	j := &Journal[T]{File: f}
	if err := j.begin(each); err != nil {
		return nil, errors.Join(journalError(name, err), f.Close())
	}
	return j, nil
}

// begin takes the journal for this process, and drops a part of a line at its end.
func (j *Journal[T]) begin(each func(T)) error {
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
	case each == nil:
		j.size, err = wholeLines(j.File, info.Size())
	default:
		j.size, j.damaged, err = ReadJournal(j.File.Name(), each)
	}
	if err == nil && j.size < info.Size() {
		err = j.File.Truncate(j.size)
	}
	return err
}

// mostLine is the longest line that is read, in bytes: a hundred times that of a trial.
const mostLine = 1 << 20

// wholeLines returns where the last whole line of a file ends.
func wholeLines(f io.ReaderAt, size int64) (int64, error) {
	end := make([]byte, min(size, mostLine))
	if _, err := f.ReadAt(end, size-int64(len(end))); err != nil {
		return 0, err
	}
	at := bytes.LastIndexByte(end, '\n')
	if at < 0 && size > mostLine {
		return 0, fmt.Errorf("its last line has more than %d bytes; remove the file to begin anew", mostLine)
	}
	return size - int64(len(end)-at-1), nil
}

// ReadJournal calls each with the entries, in their order, and returns where the last whole
// line ends. A line that is damaged is passed over, and damaged is its number, from 1, for
// what it told of is done once more, at worst; two are an error. 0: there is none.
func ReadJournal[T any](name string, each func(T)) (whole int64, damaged int, err error) {
	f, size, err := safefile.OpenRegular(name)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	lines := bufio.NewReaderSize(io.LimitReader(f, size), mostLine)
	var v, none T
	for number := 1; ; number++ {
		line, err := lines.ReadSlice('\n')
		switch {
		case err == io.EOF:
			return whole, damaged, nil
		case err == bufio.ErrBufferFull:
			return 0, 0, fmt.Errorf("line %d has more than %d bytes; remove the file to begin anew", number, mostLine)
		case err != nil:
			return 0, 0, err
		}
		whole += int64(len(line))
		v = none
		switch err := json.Unmarshal(line, &v); {
		case err == nil:
			each(v)
		case damaged == 0:
			damaged = number
		default:
			return 0, 0, fmt.Errorf("lines %d and %d are damaged (%w); remove them, or the file to begin anew", damaged, number, err)
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
