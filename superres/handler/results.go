package handler

import (
	"container/list"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"superres/internal/safefile"
	"superres/internal/scheduling"
	"superres/superres/files"
)

// results are the results in memory: those kept for later requests, from the one used last, and those being made or
// sent. Together they have at most a number of bytes. Refusals of damaged files are kept as well.
type results struct {
	most int64

	mu    sync.Mutex // guards all below, and the uses of each result
	bytes int64      // of all results
	kept  map[string]*list.Element
	order *list.List // of *result, the one used last first
}

func newResults(most int64) *results {
	return &results{most: most, kept: map[string]*list.Element{}, order: list.New()}
}

// result is a file in memory, or the refusal of one. Who has a use of it releases it.
type result struct {
	of     *results
	key    string
	mime   string
	blocks [][]byte // each but the last of blockBytes
	size   int64
	bytes  int64 // counted for it
	err    error // of a refusal
	uses   int   // that are not released
	isKept bool

	failure error // of Write; nil: none has failed
	isWhole bool  // it was written to its end
}

const (
	blockBytes   = 256 << 10
	refusalBytes = 1 << 10 // counted for a refusal
)

// find returns the result with a key, in use, or the error of a refusal, or neither.
func (rs *results) find(key string) (*result, error) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	at := rs.kept[key]
	if at == nil {
		return nil, nil
	}
	rs.order.MoveToFront(at)
	found := at.Value.(*result)
	if found.err != nil {
		return nil, found.err
	}
	found.uses++
	return found, nil
}

// begin returns a new result to be written, in use.
func (rs *results) begin() *result { return &result{of: rs, uses: 1} }

// refuse keeps err as the refusal of a key.
func (rs *results) refuse(key string, err error) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if rs.take(refusalBytes) {
		rs.add(&result{of: rs, key: key, err: err, bytes: refusalBytes})
	}
}

// take counts n more bytes, for which results are dropped that nobody uses. It reports false if that is not enough.
func (rs *results) take(n int64) bool {
	for at := rs.order.Back(); at != nil && rs.bytes+n > rs.most; {
		before := at.Prev()
		if one := at.Value.(*result); one.uses == 0 {
			rs.remove(at)
			rs.bytes -= one.bytes
		}
		at = before
	}
	if rs.bytes+n > rs.most {
		return false
	}
	rs.bytes += n
	return true
}

// add keeps one, in place of a result of the same key.
func (rs *results) add(one *result) {
	if at := rs.kept[one.key]; at != nil {
		old := at.Value.(*result)
		rs.remove(at)
		if old.uses == 0 {
			rs.bytes -= old.bytes
		}
	}
	one.isKept = true
	rs.kept[one.key] = rs.order.PushFront(one)
}

func (rs *results) remove(at *list.Element) {
	one := at.Value.(*result)
	one.isKept = false
	rs.order.Remove(at)
	delete(rs.kept, one.key)
}

// Write implements io.Writer. It fails with scheduling.Busy if others that are made or sent take the memory, and with
// files.ErrLimit if the result alone would take more than there is.
func (r *result) Write(p []byte) (int, error) {
	for rest := p; len(rest) > 0; {
		last := len(r.blocks) - 1
		if last < 0 || len(r.blocks[last]) == blockBytes {
			if r.failure = r.grow(); r.failure != nil {
				return 0, r.failure
			}
			last++
		}
		n := min(len(rest), blockBytes-len(r.blocks[last]))
		r.blocks[last] = append(r.blocks[last], rest[:n]...)
		rest = rest[n:]
	}
	r.size += int64(len(p))
	return len(p), nil
}

// grow adds a block.
func (r *result) grow() error {
	r.of.mu.Lock()
	defer r.of.mu.Unlock()
	switch {
	case r.bytes+blockBytes > r.of.most:
		return safefile.Refuse(files.ErrLimit, "picture", "its result has more than %d MiB", r.of.most>>20)
	case !r.of.take(blockBytes):
		return scheduling.Busy{Wait: time.Second}
	}
	r.bytes += blockBytes
	r.blocks = append(r.blocks, make([]byte, 0, blockBytes))
	return nil
}

// keep keeps the whole result for a key, and returns it, still in use.
func (r *result) keep(key, mime string) *result {
	last := len(r.blocks) - 1
	r.blocks[last] = slices.Clone(r.blocks[last]) // a file is never empty
	r.of.mu.Lock()
	defer r.of.mu.Unlock()
	r.of.bytes -= blockBytes - int64(cap(r.blocks[last]))
	r.bytes -= blockBytes - int64(cap(r.blocks[last]))
	r.key, r.mime, r.isWhole = key, mime, true
	r.of.add(r)
	return r
}

// use adds one use; a nil result has none.
func (r *result) use() {
	if r == nil {
		return
	}
	r.of.mu.Lock()
	defer r.of.mu.Unlock()
	r.uses++
}

// release ends one use; a nil result has none.
func (r *result) release() {
	if r == nil {
		return
	}
	r.of.mu.Lock()
	defer r.of.mu.Unlock()
	if r.uses--; r.uses == 0 && !r.isKept {
		r.of.bytes -= r.bytes
	}
}

// reader returns a reader of the file.
func (r *result) reader() io.ReadSeeker { return io.NewSectionReader(r, 0, r.size) }

// ReadAt implements io.ReaderAt.
func (r *result) ReadAt(p []byte, offset int64) (n int, err error) {
	for n < len(p) && offset < r.size {
		block := r.blocks[offset/blockBytes]
		got := copy(p[n:], block[offset%blockBytes:])
		n, offset = n+got, offset+int64(got)
	}
	if n < len(p) {
		err = io.EOF
	}
	return n, err
}

// steady is a ResponseWriter that gives up a slow client, since an answer holds memory.
type steady struct {
	http.ResponseWriter
	control *http.ResponseController
	until   time.Time // when the client must have all
}

// The longest time for which a client may take no bytes of an answer, and for the whole answer.
const (
	stall   = 15 * time.Second
	longest = 10 * time.Minute
)

// Write implements http.ResponseWriter.
func (s *steady) Write(p []byte) (int, error) {
	next := time.Now().Add(stall)
	if next.After(s.until) {
		next = s.until
	}
	_ = s.control.SetWriteDeadline(next) // which not every ResponseWriter can
	return s.ResponseWriter.Write(p)
}

// Unwrap returns the ResponseWriter, for http.ResponseController.
func (s *steady) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// end takes the time limit away.
func (s *steady) end() { _ = s.control.SetWriteDeadline(time.Time{}) }
