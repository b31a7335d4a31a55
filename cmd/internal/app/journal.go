package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"superres/internal/imagefile"
	"superres/internal/parallel"
)

// sweep runs tasks that are not among those a journal in the folder dir has, keeps
// what they give there, and returns the results of all, in the order of the tasks.
// Trials that failed are not kept, so that they are tried again.
type sweep[K comparable, R any] struct {
	command string // whose folder it is: each has reports of its own, some of one name
	dir     string
	task    func(R) K // that gave a result
	failed  func(R) bool
	weight  func(K) float64 // roughly proportional to the work
	run     func(context.Context, K) (R, error)
}

// entry is a line of a sweep's journal.
type entry[R any] struct {
	Command string `json:"command"`
	Version string `json:"version"`
	Result  R      `json:"result"`
}

func (s sweep[K, R]) do(ctx context.Context, tasks []K, bar *progress) (results []R, err error) {
	if err := os.MkdirAll(s.dir, 0o777); err != nil {
		return nil, imagefile.Unwritable(s.dir, err)
	}
	j, old, err := openJournal[entry[R]](filepath.Join(s.dir, "journal.jsonl"))
	if err != nil {
		return nil, err
	}
	defer func() {
		if err2 := j.close(); err == nil && err2 != nil {
			err = journalError(j.file.Name(), err2)
		}
	}()
	wanted, done, others := map[K]bool{}, map[K]R{}, 0
	for _, t := range tasks {
		wanted[t] = true
	}
	for _, e := range old {
		if e.Command != "" && e.Command != s.command { // a line may not say
			return nil, codedError{fmt.Errorf("%s: this folder has the results of superres %s; use another -o", s.dir, e.Command), exitOutput}
		}
		if done[s.task(e.Result)] = e.Result; e.Version != version && wanted[s.task(e.Result)] {
			others++
		}
	}
	if others > 0 {
		bar.line("%s: %d results are of another version of superres and are kept; use another -o to have all anew", s.dir, others)
	}
	var todo []K
	total, sum, count := 0.0, 0.0, 0
	for _, t := range tasks {
		if _, ok := done[t]; !ok {
			todo = append(todo, t)
			total += s.weight(t)
		}
	}
	err = parallel.Each(ctx, todo, s.run, func(r R) error {
		done[s.task(r)] = r
		sum += s.weight(s.task(r))
		bar.set(fmt.Sprintf("%d trials", len(todo)), sum/total)
		if count++; bar.style == "plain" && 10*count/len(todo) > 10*(count-1)/len(todo) {
			bar.line("%d of %d trials", count, len(todo))
		}
		if s.failed(r) {
			return nil
		}
		return j.add(entry[R]{s.command, version, r})
	})
	if err != nil {
		return nil, err
	}
	for _, t := range tasks {
		results = append(results, done[t])
	}
	return results, nil
}

// reportFile is a file of a report, and what writes it.
type reportFile struct {
	name  string
	write func(io.Writer) error
}

// writeReports writes the files to the folder, over those of an earlier run.
func writeReports(dir string, files []reportFile) error {
	for _, f := range files {
		if err := imagefile.WriteAtomic(filepath.Join(dir, f.name), true, f.write); err != nil {
			return err
		}
	}
	return nil
}

// journal keeps what has been finished, one JSON value a line, so that work that
// was interrupted goes on where it was. A line is written whole or, when the
// machine stops within it, dropped by the next open. One process at a time has it.
type journal[T any] struct {
	file *os.File
}

// openJournal opens or begins a journal and returns what it holds, in its order.
func openJournal[T any](name string) (*journal[T], []T, error) {
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
	case !imagefile.Lock(f):
		err = errors.New("another superres is at work in this folder; wait for it, or use another -o")
	default:
		var whole int64
		if list, whole, err = readJournal[T](name); err == nil && whole < info.Size() {
			err = f.Truncate(whole)
		}
	}
	if err != nil {
		return nil, nil, errors.Join(journalError(name, err), f.Close())
	}
	return &journal[T]{f}, list, nil
}

// readJournal returns the entries and where the last whole line ends.
func readJournal[T any](name string) (list []T, whole int64, err error) {
	text, err := os.ReadFile(name)
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

// add appends an entry.
func (j *journal[T]) add(v T) error {
	line, err := json.Marshal(v)
	if err == nil {
		_, err = j.file.Write(append(line, '\n'))
	}
	if err != nil {
		return journalError(j.file.Name(), err)
	}
	return nil
}

func (j *journal[T]) close() error { return j.file.Close() }

func journalError(name string, err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	}
	return codedError{fmt.Errorf("journal %s: %w", name, err), exitOutput}
}
