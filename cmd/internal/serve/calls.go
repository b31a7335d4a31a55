package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"sync"
	"time"

	"superres/cmd/internal/console"
	"superres/cmd/internal/upscale"
	"superres/internal/safefile"
)

// call answers one of the calls.
func (s *site) call(w http.ResponseWriter, r *http.Request, name string) {
	answers := map[string]func(http.ResponseWriter, *http.Request) error{"upscale": s.upscale, "inspect": s.inspect,
		"score": s.score}
	var err error
	if name == "events" {
		if s.allows(w, r, http.MethodGet) {
			err = s.events(w, r)
		}
	} else if name == "options" {
		if s.allows(w, r, http.MethodGet) {
			s.answer(w, http.StatusOK, upscale.Parameters().Describe())
		}
	} else if answer := answers[name]; answer == nil {
		s.refuse(w, http.StatusNotFound, console.ExitUsage, "there is no such call; expected upscale, inspect, "+
			"options, events or score")
	} else if s.allows(w, r, http.MethodPost, http.MethodPut) {
		err = s.within(func() error { return answer(w, r) })
		if err != nil {
			s.drain(w, r)
		}
	}
	if err != nil {
		s.fail(w, err)
	}
}

// within runs work in one of the slots for request bodies, whose number is limited. It returns a busy error if none
// is free.
func (s *site) within(work func() error) error {
	select {
	case <-s.ending:
		return errEnding
	case s.places <- struct{}{}:
		defer func() { <-s.places }()
		return work()
	default:
		return busy{time.Second}
	}
}

// picture is one that a call is about, or a pair to be compared.
type picture struct {
	*site
	watch  *watch // nil: nobody will ask how far it is
	looked func() // ends the looking at its head; nil: not yet begun
	slot   *slot  // nil: not yet
	began  time.Time
}

// take reads the parameters of a call and its picture, and gives it to a worker. What is told of
// it ends with what becomes of it. The result is written to out, which is nil for a plan.
func (s *site) take(w http.ResponseWriter, r *http.Request, call string, out io.Writer) (done reply, err error) {
	params, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return done, console.Usage("the parameters cannot be read: %w", err)
	}
	p := &picture{site: s}
	if params.Has("id") {
		if p.watch, err = s.watches.take(params.Get("id"), true); err != nil {
			return done, err
		}
		defer s.watches.leave(p.watch)
		params.Del("id")
	}
	defer func() {
		if err != nil {
			s.watches.tell(p.watch, failed{"failed", failureOf(err)}, true)
		} else {
			s.watches.tell(p.watch, done.Answer, true)
		}
	}()
	if err = s.service.Check(r.Context(), params); err != nil {
		return done, err
	}
	come := func() {}
	if 0 < r.ContentLength && r.ContentLength <= smallBody {
		come = s.scheduler.expect()
	}
	in, err := s.receive(w, r)
	come()
	if err != nil {
		return done, err
	}
	defer in.Close()
	defer p.leave()
	return p.run(r.Context(), job{Call: call, Params: params}, []*os.File{in}, out)
}

// run has a worker do a job with files. While many pictures wait, they hold no worker: then the
// worker looks at the head, for what the picture takes, and the job is given again to one of them
// when the picture gets its slot.
func (p *picture) run(ctx context.Context, j job, files []*os.File, out io.Writer) (reply, error) {
	if err := p.look(ctx); err != nil {
		return reply{}, err
	}
	done, err := p.workers.do(ctx, p, j, files, out)
	if !errors.Is(err, errWaits) {
		return done, err
	}
	queued := func(place int) { p.watches.tell(p.watch, event{Event: "queued", Place: place}, false) }
	if err := p.scheduler.await(ctx, p.slot, queued); err != nil {
		return reply{}, err
	}
	return p.workers.do(ctx, p, j, files, out)
}

// look waits until the head of a picture may be read, for which it has no slot yet: what it
// carries takes memory, too.
func (p *picture) look(ctx context.Context) error {
	select {
	case p.heads <- struct{}{}:
		p.looked = sync.OnceFunc(func() { <-p.heads })
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// leave ends what the picture takes of the server.
func (p *picture) leave() {
	if p.looked != nil {
		p.looked()
	}
	if p.slot != nil {
		p.slot.end()
	}
}

// errWaits says that a picture waits for its slot, for which it needs no worker.
var errWaits = errors.New("the picture waits for its slot")

// admit asks for the slot of the picture, and returns errWaits while it has none.
func (p *picture) admit(load upscale.Load) (err error) {
	p.looked()
	switch {
	case p.slot == nil:
		if p.slot, err = p.scheduler.begin(load); err != nil {
			return err
		}
	case load.Memory > p.slot.load.Memory || load.Pixels > p.slot.load.Pixels:
		return errors.New("a worker asks for more than it did before")
	}
	if !p.slot.start() {
		return errWaits
	}
	p.began = time.Now()
	return nil
}

// progress tells how far the picture is, and lets smaller ones go first.
func (p *picture) progress(ctx context.Context, share float64) {
	took := time.Since(p.began).Seconds()
	p.watches.tell(p.watch, event{Event: "progress", Share: share, Left: took * (1 - share) / max(share, 1e-3)}, false)
	p.slot.pause(ctx)
}

// upscale enlarges the picture of a request.
func (s *site) upscale(w http.ResponseWriter, r *http.Request) error {
	out, err := safefile.Scratch("")
	if err != nil {
		return err
	}
	defer out.Close()
	done, err := s.take(w, r, "upscale", out)
	if err != nil {
		return err
	}
	length, err := out.Seek(0, io.SeekCurrent)
	if err == nil {
		_, err = out.Seek(0, io.SeekStart)
	}
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", done.Format.MIMEType())
	h.Set("Content-Length", strconv.FormatInt(length, 10))
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": done.Name}))
	h.Set("Superres-Result", inASCII(done.Answer))
	s.send(w, r, out, length)
	return nil
}

// inspect tells what would be made of the picture of a request.
func (s *site) inspect(w http.ResponseWriter, r *http.Request) error {
	done, err := s.take(w, r, "inspect", nil)
	if err == nil {
		s.answer(w, http.StatusOK, done.Answer)
	}
	return err
}

// inASCII writes JSON in ASCII, as the head of an answer must be.
func inASCII(text json.RawMessage) string {
	var out []byte
	for _, r := range string(text) {
		switch {
		case r < 0x80:
			out = append(out, byte(r))
		case r < 0x10000:
			out = fmt.Appendf(out, `\u%04x`, r)
		default:
			r -= 0x10000
			out = fmt.Appendf(out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		}
	}
	return string(out)
}
