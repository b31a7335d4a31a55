package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"sync"
	"time"

	"superres/cmd/internal/console"
	"superres/internal/safefile"
	"superres/internal/scheduling"
)

// talk is the exchange with a worker about one job, as the server sees it. No message of the worker is trusted: a
// malicious picture may have taken control of the worker.
type talk struct {
	*workerProcess
	pic   *picture
	job   job
	files []*os.File
	out   io.Writer // receives the result; nil: the job has no result

	spoke    bool  // the worker has sent a frame; false: it may have died before the job began
	admitted bool  // the picture has a slot
	refused  error // why the server ends the job early; nil: the server lets the job go on
	written  int64 // number of bytes of the result so far
}

const (
	// headMemory is how many bytes a worker may take to read a picture's head, in addition to the size of the files.
	headMemory = 128 << 20
	// mostResult is the greatest length of a result in bytes.
	mostResult = 8 << 30
)

// answered is an error that a worker reported for its picture.
type answered struct{ failure }

func (a answered) Error() string { return a.failure.Error }

// do sends the job to the worker, answers the worker's frames until the job ends, and returns the reply. err is the
// error of the job. If fault is not nil, the worker cannot be used any more.
func (t *talk) do(ctx context.Context) (done reply, err, fault error) {
	toBegin := int64(headMemory) // bytes of memory until the worker knows how much the picture takes
	for _, size := range t.job.Sizes {
		toBegin += size
	}
	if t.job.Model != "" { // the arrays of a model, the last file, count as three times its size
		toBegin += 3 * t.job.Sizes[len(t.job.Sizes)-1]
	}
	if fault = t.allow(toBegin); fault != nil {
		return done, nil, fault
	}
	if fault = t.sendValue(frameJob, t.job); fault != nil {
		return done, nil, fault
	}
	cancel, over := t.cancelling()
	defer over()
	defer context.AfterFunc(ctx, cancel)()
	limit := quietTime + t.pic.decode
	quiet := time.AfterFunc(limit, func() { t.kill(fmt.Sprintf("it said nothing for %v", limit)) })
	defer quiet.Stop()
	for {
		quiet.Reset(limit)
		kind, content, fault := t.receive()
		if fault != nil {
			return done, t.refused, fault
		}
		quiet.Stop()
		t.spoke = true
		if kind == frameEnd {
			done, err, fault = t.ended(content)
			switch {
			case t.refused != nil:
				err = t.refused
			case err != nil && ctx.Err() != nil:
				err = context.Cause(ctx)
			}
			return done, err, fault
		}
		before := t.refused
		if fault = t.hear(ctx, kind, content); fault != nil {
			return done, t.refused, fault
		}
		if before == nil && t.refused != nil {
			cancel()
		}
	}
}

// allow lets the worker take 2·bytes more memory than now, or on Windows in all: bytes is an estimate, and may be too
// low. It does nothing if the system cannot limit a worker.
func (t *talk) allow(bytes int64) error {
	if t.limit == nil {
		return nil
	}
	return t.limit.Allow(2 * bytes)
}

// cancelling returns two functions, both safe for concurrent use. cancel tells the worker to end the job, and kills the
// worker if the job has not ended after cancelTime. The caller must call over when the job has ended.
func (t *talk) cancelling() (cancel, over func()) {
	var mu sync.Mutex
	var late *time.Timer
	ended := false
	cancel = func() {
		mu.Lock()
		defer mu.Unlock()
		if ended || late != nil {
			return
		}
		late = time.AfterFunc(cancelTime, func() { t.kill("it did not end what was cancelled") })
		_ = t.send(frameCancel, nil) // if this fails, the worker is killed after cancelTime
	}
	over = func() {
		mu.Lock()
		defer mu.Unlock()
		if ended = true; late != nil {
			late.Stop()
		}
	}
	return cancel, over
}

// hear handles a frame with the letter kind and sends the answer, if any. It returns an error if the worker misbehaves
// or is gone. Other errors go to t.refused, so that do cancels the job.
func (t *talk) hear(ctx context.Context, kind byte, content []byte) error {
	switch kind {
	case frameNeed:
		var n need
		if err := json.Unmarshal(content, &n); err != nil {
			return err
		}
		return t.give(n)
	case frameAdmit:
		var l scheduling.Load
		if err := json.Unmarshal(content, &l); err != nil {
			return err
		}
		return t.admit(l)
	case frameShare:
		var share float64
		if err := json.Unmarshal(content, &share); err != nil || !t.admitted {
			return fmt.Errorf("it tells of progress at a wrong time (%v)", err)
		}
		t.pic.progress(ctx, min(max(share, 0), 1))
		return t.sendValue(frameGrant, grant{Tasks: t.pic.scheduler.Tasks()})
	case frameBytes:
		t.written += int64(len(content))
		if !t.admitted || t.out == nil || t.written > mostResult {
			return errors.New("it writes more than it may")
		}
		t.pic.slot.Pause(ctx) // waits while a much smaller picture is enlarged
		if t.refused == nil {
			if _, err := t.out.Write(content); err != nil {
				t.refused = safefile.Unwritable(os.TempDir(), err)
			}
		}
		return nil
	}
	return fmt.Errorf("it sends a frame %q", kind)
}

// give sends the bytes that n asks for, or a refusal if reading fails. It fails if n is not within a file of the job.
func (t *talk) give(n need) error {
	if n.File < 0 || n.File >= int64(len(t.files)) || n.Offset < 0 || n.Length < 0 || n.Length > mostInFrame ||
		n.Offset > t.job.Sizes[n.File]-n.Length {
		return errors.New("it reads past the end of a file")
	}
	data := make([]byte, n.Length)
	if _, err := t.files[n.File].ReadAt(data, n.Offset); err != nil {
		t.refused = console.Failf(console.ExitNothing, "what has come cannot be read again: %w", err)
		return t.send(frameRefuse, nil)
	}
	return t.send(frameData, data)
}

// admit asks for a slot for load l, and sends a grant or refusal. It fails if the worker may not ask for l or is gone.
func (t *talk) admit(l scheduling.Load) error {
	if t.admitted || t.refused != nil || l.Memory < 0 || l.Memory > t.pic.memory() || l.Pixels < 0 {
		return errors.New("it asks for more than it may")
	}
	if err := t.pic.admit(l); err != nil {
		t.refused = err
		return t.send(frameRefuse, nil)
	}
	t.admitted = true
	if err := t.allow(l.Memory); err != nil {
		return err
	}
	return t.sendValue(frameGrant, grant{l.Memory, t.pic.scheduler.Tasks()})
}

// ended decodes content, the last frame of a job, and checks it, since the worker may be in the hands of a hostile
// file. err is the error that the worker reports, in one line; fault is not nil if the frame itself is invalid.
func (t *talk) ended(content []byte) (done reply, err, fault error) {
	if fault = json.Unmarshal(content, &done); fault != nil {
		return reply{}, nil, fault
	}
	if f := done.Failure; f != nil {
		if f.Exit < console.ExitNothing || f.Exit > console.ExitLimit {
			f.Exit = console.ExitNothing // the worker named no exit code that there is
		}
		return reply{}, answered{failure{safefile.OneLine(f.Error), f.Exit}}, nil
	}
	var answer bytes.Buffer
	if fault = json.Compact(&answer, done.Answer); fault != nil {
		return reply{}, nil, fault
	}
	done.Answer = answer.Bytes()
	isName := done.Name == path.Base(done.Name) && done.Name == safefile.OneLine(done.Name)
	if t.job.Call == "upscale" && (!isName || !done.Format.CanWrite() && !done.Format.CanAnimate()) {
		return reply{}, nil, errors.New("its result has no valid name or format")
	}
	return done, nil, nil
}
