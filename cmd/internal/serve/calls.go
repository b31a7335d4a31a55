package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"superres/cmd/internal/console"
	"superres/cmd/internal/upscale"
)

// call answers one of the calls.
func (s *site) call(w http.ResponseWriter, r *http.Request, name string) {
	answers := map[string]func(http.ResponseWriter, *http.Request) error{"upscale": s.upscale, "inspect": s.inspect, "score": s.score}
	var err error
	if name == "events" {
		if s.allows(w, r, http.MethodGet) {
			err = s.events(w, r)
		}
	} else if answer := answers[name]; answer == nil {
		s.refuse(w, http.StatusNotFound, console.ExitUsage, "there is no such call; expected upscale, inspect, events or score")
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

// within does something in one of the places for bodies, of which there are so many.
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

// picture is one that a call is about.
type picture struct {
	*site
	ask    *upscale.Request
	watch  *watch // nil: nobody will ask how far it is
	in     *file
	size   int64  // in bytes
	looked func() // ends the looking at its head
	turn   *turn  // nil: not yet
	began  time.Time
}

// take reads the parameters of a call and its picture, and gives it to work. What is told of
// it ends with what becomes of it.
func (s *site) take(w http.ResponseWriter, r *http.Request, work func(p *picture) (upscale.Result, error)) (result upscale.Result, err error) {
	params, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return result, console.Usage("the parameters cannot be read: %w", err)
	}
	p := &picture{site: s}
	if params.Has("id") {
		if p.watch, err = s.watches.take(params.Get("id"), true); err != nil {
			return result, err
		}
		defer s.watches.leave(p.watch)
		params.Del("id")
	}
	defer func() {
		if err != nil {
			s.watches.tell(p.watch, failed{"failed", failureOf(err)}, true)
		} else {
			s.watches.tell(p.watch, result.Event, true)
		}
	}()
	if p.ask, err = s.service.Request(r.Context(), params); err != nil {
		return result, err
	}
	come := func() {}
	if 0 < r.ContentLength && r.ContentLength <= smallBody {
		come = s.turns.expect()
	}
	p.in, p.size, err = s.receive(w, r)
	come()
	if err != nil {
		return result, err
	}
	defer p.in.Close()
	if p.looked, err = s.look(r.Context()); err != nil {
		return result, err
	}
	defer p.looked()
	defer func() {
		if p.turn != nil {
			p.turn.end()
		}
	}()
	return work(p)
}

// look waits until the head of a picture may be read, for which there is no turn yet: what it
// carries takes memory, too. done ends that, once.
func (s *site) look(ctx context.Context) (done func(), err error) {
	select {
	case s.heads <- struct{}{}:
		return sync.OnceFunc(func() { <-s.heads }), nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// admit waits for the turn of the picture.
func (p *picture) admit(ctx context.Context, load upscale.Load) (err error) {
	p.looked()
	p.turn, err = p.turns.enter(ctx, load, func(place int) { p.watches.tell(p.watch, event{Event: "queued", Place: place}, false) })
	p.began = time.Now()
	return err
}

// progress tells how far the picture is, and lets smaller ones go first.
func (p *picture) progress(ctx context.Context, share float64) {
	took := time.Since(p.began).Seconds()
	p.watches.tell(p.watch, event{Event: "progress", Share: share, Left: took * (1 - share) / max(share, 1e-3)}, false)
	p.turn.pause(ctx)
}

// yielding writes a result, and lets smaller pictures go first.
type yielding struct {
	io.Writer
	of  *picture
	ctx context.Context
}

func (y yielding) Write(b []byte) (int, error) {
	y.of.turn.pause(y.ctx)
	return y.Writer.Write(b)
}

// upscale enlarges the picture of a request.
func (s *site) upscale(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	out, err := newFile()
	if err != nil {
		return err
	}
	defer out.Close()
	result, err := s.take(w, r, func(p *picture) (upscale.Result, error) {
		return p.ask.Upscale(ctx, p.in, p.size, yielding{out, p, ctx}, func(l upscale.Load) error { return p.admit(ctx, l) }, func(share float64) { p.progress(ctx, share) })
	})
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
	h.Set("Content-Type", "image/"+result.Format)
	h.Set("Content-Length", strconv.FormatInt(length, 10))
	h.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": result.Name}))
	h.Set("Superres-Result", inASCII(result.Event))
	s.send(w, r, out, length)
	return nil
}

// inspect tells what would be made of the picture of a request.
func (s *site) inspect(w http.ResponseWriter, r *http.Request) error {
	ctx := r.Context()
	result, err := s.take(w, r, func(p *picture) (upscale.Result, error) {
		return p.ask.Inspect(ctx, p.in, p.size, func(l upscale.Load) error { return p.admit(ctx, l) })
	})
	if err == nil {
		s.answer(w, http.StatusOK, result.Event)
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
