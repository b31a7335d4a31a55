// Package handler is an http.Handler that enlarges the pictures of a photo server when they are asked for:
//
//	h, err := handler.New(handler.Options{Files: os.DirFS("photos")})
//	http.Handle("/large/", http.StripPrefix("/large/", h))
//
// GET /large/cat.jpg?scale=3 answers with photos/cat.jpg, three times as large. A request names the file by its path,
// and the size by scale, width, height, or fit=800x600; format and quality are known too. Results are kept in memory.
//
// The pictures may be hostile, and so may the requests: pixels, memory, time, the number of pictures in work and in the
// queue, and the bytes of all results are limited. What is too much gets an error in plain text: 400 for a parameter,
// 404, 413 for a limit, 422 for a file that is no picture or is damaged, 429 with Retry-After where too much is asked
// for at a time. Equal requests at the same time are worked on once, work that nobody waits for any more is stopped,
// and requests with an ETag that still holds cost nothing.
//
// Who may see which picture is for the handlers around this one, as are signed addresses and presets: they change the
// address of the request.
package handler

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"strconv"
	"time"

	"superres/internal/scheduling"
	"superres/superres"
	"superres/superres/files"
	"superres/superres/models"
)

// Options say what a Handler serves, and how much of the machine it may take.
type Options struct {
	// Files has the pictures: a request for a/b.jpg is for the file of that name. Files that are io.ReaderAt, as those
	// of os.DirFS, are read where they lie; others are read into memory first.
	Files fs.FS
	// Enlarge are the options of all requests, before their parameters. Its Limits are for one picture; those that are
	// 0 are 64 million pixels for a result, 30 s, and, for memory, seven eighths of Memory.
	Enlarge files.Options
	// Parameters are the names of the options that a request may set: see files.Options.Set. nil means scale, width,
	// height, fit, format and quality.
	Parameters []string

	// Memory is the estimated memory of all pictures in work together, in bytes, results not included. 0 means 1 GiB.
	// The estimate holds if garbage is collected early, as with GOGC=30; otherwise the peak can be half as high again.
	Memory int64
	// Queue is the number of pictures that wait while as many as there are processors are in work. 0 means 16.
	Queue int
	// Results is the memory for all results, those that are kept for later requests and those that are being made or
	// sent, in bytes. 0 means 256 MiB.
	Results int64
	// MaxAge is how long clients may keep an answer without asking again. 0 leaves out the header Cache-Control.
	MaxAge time.Duration
	// Log is called for every request that is refused or fails, with the error, before the answer. nil calls nothing.
	Log func(r *http.Request, status int, err error)
}

// Handler enlarges pictures on demand. It may be used concurrently, and needs not be closed.
type Handler struct {
	Options
	version   string // of all that makes results
	scheduler *scheduling.Scheduler
	heads     chan struct{} // one for each picture whose head is being read, or which is in memory as a whole
	results   *results
	flights   flights
}

// New returns a Handler, or an error if the options cannot be used. It opens the models for Enlarge.
func New(opt Options) (*Handler, error) {
	if opt.Files == nil {
		return nil, errors.New("handler: no files")
	}
	if opt.Memory < 0 || opt.Queue < 0 || opt.Results < 0 || opt.MaxAge < 0 {
		return nil, errors.New("handler: a negative limit")
	}
	if opt.Parameters == nil {
		opt.Parameters = []string{"scale", "width", "height", "fit", "format", "quality"}
	}
	opt.Memory, opt.Queue = cmp.Or(opt.Memory, 1<<30), cmp.Or(opt.Queue, 16)
	opt.Results = cmp.Or(opt.Results, 256<<20)
	limits := &opt.Enlarge.Limits
	most := opt.Memory - scheduling.Kept(opt.Memory) // which the scheduler can give to one picture
	limits.Memory = min(cmp.Or(limits.Memory, most), most)
	limits.ResultPixels, limits.Time = cmp.Or(limits.ResultPixels, 64e6), cmp.Or(limits.Time, 30*time.Second)
	limits.Decoding = cmp.Or(limits.Decoding, limits.Time)
	if _, err := files.New(opt.Enlarge); err != nil {
		return nil, fmt.Errorf("handler: %w", err)
	}
	h := &Handler{Options: opt, version: superres.Version, results: newResults(opt.Results),
		scheduler: scheduling.New(opt.Memory, opt.Queue, nil)}
	large, small := h.scheduler.Places()
	h.heads = make(chan struct{}, large)
	h.flights.most = large + small + opt.Queue + large
	for _, name := range models.Names() {
		h.version += " " + models.Fingerprint(name)
	}
	return h, nil
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		h.refuse(w, r, http.StatusMethodNotAllowed, errors.New("this address takes GET and HEAD"))
		return
	}
	q, err := h.read(r)
	if err != nil {
		h.fail(w, r, err)
		return
	}
	header := w.Header()
	header.Set("ETag", q.etag)
	if h.MaxAge > 0 {
		header.Set("Cache-Control", "max-age="+strconv.Itoa(int(h.MaxAge.Seconds())))
	}
	if matches(r.Header.Values("If-None-Match"), q.etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	result, err := h.result(r.Context(), q)
	if err != nil {
		header.Del("ETag")
		h.fail(w, r, err)
		return
	}
	defer result.release()
	header.Set("Content-Type", result.mime)
	header.Set("X-Content-Type-Options", "nosniff")
	send := &steady{w, http.NewResponseController(w), time.Now().Add(longest)}
	defer send.end()
	http.ServeContent(send, r, "", time.Time{}, result.reader())
}

// result returns the result of q, which the caller releases: one that is kept, or one that it waits for.
func (h *Handler) result(ctx context.Context, q *request) (*result, error) {
	if kept, err := h.results.find(q.etag); kept != nil || err != nil {
		return kept, err
	}
	return h.flights.do(ctx, q.etag, func(ctx context.Context) (*result, error) {
		// An equal flight may have landed since the results were looked through.
		if kept, err := h.results.find(q.etag); kept != nil || err != nil {
			return kept, err
		}
		result, err := h.enlarge(ctx, q)
		if err != nil && errors.Is(err, files.ErrInput) {
			h.results.refuse(q.etag, err)
		}
		return result, err
	})
}

// enlarge returns the result of q, made again.
func (h *Handler) enlarge(ctx context.Context, q *request) (*result, error) {
	select {
	case h.heads <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	looked := false
	look := func() {
		if !looked {
			looked = true
			<-h.heads
		}
	}
	defer look()
	file, at, err := q.open(h.Files)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	_, inMemory := at.(*bytes.Reader)
	e, err := files.New(q.opt)
	if err != nil {
		return nil, err
	}
	var slot *scheduling.Slot
	defer func() {
		if slot != nil {
			slot.End()
		}
	}()
	out := h.results.begin()
	defer func() {
		if !out.isWhole {
			out.release()
		}
	}()
	made, err := e.UpscaleAt(ctx, out, at, q.size, files.Watch{
		Admit: func(need files.Need) (err error) {
			if !inMemory {
				look()
			}
			slot, err = h.scheduler.Enter(ctx, scheduling.Load{Memory: need.Memory, Pixels: need.Pixels})
			return err
		},
		Progress: func(float64) { slot.Pause(ctx) },
	})
	if err == nil {
		err = q.check(file)
	}
	if err = cmp.Or(out.failure, err); err != nil {
		return nil, err
	}
	return out.keep(q.etag, made.MIMEType()), nil
}

// fail answers r with err, with the status of its kind.
func (h *Handler) fail(w http.ResponseWriter, r *http.Request, err error) {
	busy, is := errors.AsType[scheduling.Busy](err)
	status := http.StatusInternalServerError
	switch {
	case r.Context().Err() != nil:
		return // nobody is there
	case is:
		w.Header().Set("Retry-After", strconv.Itoa(busy.Seconds()))
		status = http.StatusTooManyRequests
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		status = http.StatusNotFound
	case errors.Is(err, files.ErrOptions), errors.Is(err, superres.ErrModel):
		status = http.StatusBadRequest
	case errors.Is(err, files.ErrInput):
		status = http.StatusUnprocessableEntity
	case errors.Is(err, files.ErrLimit):
		status = http.StatusRequestEntityTooLarge
	}
	h.refuse(w, r, status, err)
}

// refuse answers r with a status and the text of err, unless that may tell of the machine.
func (h *Handler) refuse(w http.ResponseWriter, r *http.Request, status int, err error) {
	if h.Log != nil {
		h.Log(r, status, err)
	}
	text := err.Error()
	switch status {
	case http.StatusNotFound:
		text = "there is no such picture"
	case http.StatusInternalServerError:
		text = "the picture cannot be enlarged now"
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Error(w, text, status) // which sets the other headers
}

// allows reports whether a request may set the option called name.
func (h *Handler) allows(name string) bool { return slices.Contains(h.Parameters, name) }
