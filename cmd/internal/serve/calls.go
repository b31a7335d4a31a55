package serve

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"sync"
	"time"

	"superres/cmd/internal/console"
	"superres/cmd/internal/models"
	"superres/cmd/internal/serve/jobs"
	"superres/cmd/internal/upscale"
	"superres/internal/safefile"
	"superres/internal/scheduling"
)

// call answers r, a request to the URL v1/name, such as v1/upscale, with an error if there is no such call.
func (s *site) call(w http.ResponseWriter, r *http.Request, name string) {
	posts := map[string]func(http.ResponseWriter, *http.Request) error{"upscale": s.upscale, "inspect": s.inspect}
	gets := map[string]func(http.ResponseWriter, *http.Request) error{"events": s.events,
		"options": func(w http.ResponseWriter, _ *http.Request) error { // the parameters of v1/upscale and v1/inspect
			s.answer(w, http.StatusOK, upscale.Parameters().Describe())
			return nil
		}}
	if s.window != nil { // the command is superres app
		gets["window"], gets["given"] = s.holdOpen, s.sendGiven
	}
	var err error
	if get := gets[name]; get != nil {
		if s.allows(w, r, http.MethodGet) {
			err = get(w, r)
		}
	} else if post := posts[name]; post == nil {
		s.refuse(w, http.StatusNotFound, console.ExitUsage, "there is no such call; expected upscale, inspect, "+
			"options or events")
	} else if s.allows(w, r, http.MethodPost, http.MethodPut) {
		err = s.runInPlace(func() error { return post(w, r) })
		if err != nil {
			s.drain(w, r)
		}
	}
	if err != nil {
		s.fail(w, err)
	}
}

// runInPlace calls work if one of the places for requests with a picture is free, keeps the place until work returns,
// and returns the error of work. It returns a busy error if all places are taken, or ErrEnding if the program ends.
func (s *site) runInPlace(work func() error) error {
	select {
	case <-s.ending:
		return scheduling.ErrEnding
	case s.places <- struct{}{}:
		defer func() { <-s.places }()
		return work()
	default:
		return scheduling.Busy{Wait: time.Second}
	}
}

// picture is the state of the picture that a request brought.
type picture struct {
	*site
	watch  *watch           // receives the events of the picture; nil: the request has no id
	looked func()           // call it when the head has been read; nil: reading the head has not begun
	slot   *scheduling.Slot // in the scheduler, waiting or begun; nil: the size of the picture is not known yet
	began  time.Time        // when the picture could begin
}

// take reads the parameters and the picture of r and has a worker do the call, which is "upscale" or "inspect". It
// returns the worker's reply, and writes the enlarged picture to out, which is nil for inspect. If r has an id, it also
// publishes the outcome as the last event of that id.
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
	arrived := func() {}
	if 0 < r.ContentLength && r.ContentLength <= smallBody {
		arrived = s.scheduler.Expect() // larger pictures pause until arrived is called, but not for long
	}
	in, err := s.receive(w, r)
	arrived()
	if err != nil {
		return done, err
	}
	defer in.Close()
	defer p.leave()
	// files holds the picture, then its original if another program made the picture, and at last the user's model.
	j, files := job{Job: jobs.Job{Call: call, Params: params}}, []*os.File{in}
	made, err := s.convert(r.Context(), in, &j)
	if err != nil {
		return done, err
	}
	if made != nil {
		defer made.Close()
		files = []*os.File{made, in}
	}
	model, version, err := models.OpenUser(params.Get("model"))
	if err != nil {
		return done, err
	}
	if model != nil {
		defer model.Close()
		j.Model, files = version, append(files, model)
	}
	return p.run(r.Context(), j, files, out)
}

// run has a worker do j with files, writing the result to out, and returns the reply. The worker first reads the head
// of the picture, to learn how much memory the picture takes. If the picture must then wait for a slot, the worker is
// released, and another one starts the job again once there is a slot. So a waiting picture occupies no worker.
func (p *picture) run(ctx context.Context, j job, files []*os.File, out io.Writer) (reply, error) {
	if err := p.awaitHead(ctx); err != nil {
		return reply{}, err
	}
	done, err := p.workers.do(ctx, p, j, files, out)
	if !errors.Is(err, errWaits) {
		return done, err
	}
	queued := func(place int) { p.watches.tell(p.watch, event{Event: "queued", Place: place}, false) }
	if err := p.scheduler.Await(ctx, p.slot, queued); err != nil {
		return reply{}, err
	}
	return p.workers.do(ctx, p, j, files, out)
}

// awaitHead waits until the head of the picture, with its size and metadata, may be read. Only a few heads are read at
// once, since metadata takes memory and the picture has none set aside yet. p.looked then lets the next head in.
func (p *picture) awaitHead(ctx context.Context) error {
	select {
	case p.heads <- struct{}{}:
		p.looked = sync.OnceFunc(func() { <-p.heads })
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// leave gives back the picture's place among the pictures whose heads are read, and its slot, if it still has them.
func (p *picture) leave() {
	if p.looked != nil {
		p.looked()
	}
	if p.slot != nil {
		p.slot.End()
	}
}

// errWaits says that the picture waits for a slot and needs no worker meanwhile.
var errWaits = errors.New("the picture waits for its slot")

// admit takes a slot for the picture, which needs the memory and work in load. It returns errWaits if the picture must
// wait for its turn, and a busy error if too many pictures wait already. After the wait (see run) a second worker
// begins the job again: the picture has its slot, Start succeeds, and load may not ask for more than before.
func (p *picture) admit(load scheduling.Load) (err error) {
	p.looked() // the head has been read, so that the head of another picture may be
	switch {
	case p.slot == nil:
		if p.slot, err = p.scheduler.Begin(load); err != nil {
			return err
		}
	case load.Memory > p.slot.Load().Memory || load.Pixels > p.slot.Load().Pixels:
		return errors.New("a worker asks for more than it did before")
	}
	if !p.slot.Start() {
		return errWaits
	}
	p.began = time.Now()
	return nil
}

// progress publishes the share of the work that is done, 0 to 1, with the seconds left at the speed so far (finite even
// for share 0, which JSON requires), and then waits while much smaller pictures are enlarged.
func (p *picture) progress(ctx context.Context, share float64) {
	took := time.Since(p.began).Seconds()
	p.watches.tell(p.watch, event{Event: "progress", Share: share, Left: took * (1 - share) / max(share, 1e-3)}, false)
	p.slot.Pause(ctx)
}

// upscale answers r with the enlarged picture, and with its description in the header Superres-Result.
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
	length, err := out.Seek(0, io.SeekCurrent) // the worker's result ends here
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
	h.Set("Superres-Result", string(safefile.PlainASCII(done.Answer)))
	s.send(w, r, out, length)
	return nil
}

// inspect answers r with a description, as JSON, of what upscale would make from the picture in r.
func (s *site) inspect(w http.ResponseWriter, r *http.Request) error {
	done, err := s.take(w, r, "inspect", nil)
	if err == nil {
		s.answer(w, http.StatusOK, done.Answer)
	}
	return err
}
