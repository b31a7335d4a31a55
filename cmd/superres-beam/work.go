package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"superres/cmd/internal/parts"
	"superres/cmd/internal/paths"
)

// part is an element of the pipeline: the command Args, of which part Index, from 0, of Of parts is to be done.
type part struct {
	Args  []paths.Name `json:"args"`
	Index int          `json:"index"`
	Of    int          `json:"of"`
	// AtOnce is how many parts a worker does at a time. If a runner begins more, they wait.
	AtOnce int `json:"at_once"`
}

// name returns the part as I/N, the value of --shard.
func (p part) name() string { return parts.Part{Index: p.Index, Of: p.Of}.String() }

// result is the result of a part.
type result struct {
	Part     string  `json:"part"`
	Done     int     `json:"done"`    // pictures enlarged in this run
	Skipped  int     `json:"skipped"` // pictures that were done before
	Attempts int     `json:"attempts"`
	Seconds  float64 `json:"seconds"`
	Code     int     `json:"code"` // exit code of the last attempt
}

// letter is a dead letter: a picture or a part that has failed after all attempts.
type letter struct {
	Command string     `json:"command"`
	Part    string     `json:"part"`
	Input   paths.Name `json:"input,omitempty"` // the picture, or empty where the part failed
	Error   string     `json:"error"`
	Class   string     `json:"class"` // as in the events of superres upscale --json, or "died"
}

const (
	attempts = 3 // greatest number, of a part or of a picture at which the process dies
	codeSome = 3 // exit codes of superres
	codeOut  = 5
)

var pause = 2 * time.Second // wait before the second attempt; doubled after each

// event has the fields used here of an event, a line that superres upscale --json prints.
type event struct {
	Event, Error, Class string
	Input               paths.Name
	Done, Skipped       int
}

// run runs a part. It tries again if output cannot be written or the process dies. A picture at which the process dies
// is left out after the last attempt, and the others are done. dead has the failures that remain.
func (p part) run(ctx context.Context) (r result, dead []letter) {
	r.Part = p.name()
	defer p.takeSlot()()
	began := time.Now()
	defer func() { r.Seconds = time.Since(began).Seconds() }()
	command := string(p.Args[0])
	upscale := command == "upscale"
	args := slices.Insert(paths.Texts(p.Args), 1, "--shard="+p.name(), "--progress=none")
	if upscale {
		args = slices.Insert(args, 1, "--resume", "--json")
	}
	deaths := map[paths.Name]int{} // how often the process died, by picture
	failures := 0                  // of the whole part
	wait := pause
	for {
		r.Attempts++
		var current paths.Name // the picture that is being enlarged
		var failed []letter
		end := run(ctx, args, func(line []byte) {
			var ev event
			if !upscale || json.Unmarshal(line, &ev) != nil {
				return
			}
			switch ev.Event {
			case "start":
				current = ev.Input
			case "done":
				current = ""
				r.Done++
			case "fail":
				current = ""
				failed = append(failed, letter{command, p.name(), ev.Input, ev.Error, ev.Class})
			case "summary":
				r.Skipped = ev.Skipped
			}
		})
		r.Code = end.code
		partLetter := letter{Command: command, Part: p.name(), Error: end.reason, Class: "died"}
		switch {
		case ctx.Err() != nil:
			return r, append(dead, partLetter)
		case end.died && current != "":
			if deaths[current]++; deaths[current] < attempts {
				break
			}
			partLetter.Input = current
			dead = append(dead, partLetter)
			if args = withoutPicture(args, string(current)); args == nil {
				return r, dead
			}
			wait = pause
			continue
		case end.code == 0 || len(failed) > 0 && !slices.ContainsFunc(failed, letter.temporary):
			return r, append(dead, failed...)
		case end.died || end.code == codeOut || len(failed) > 0:
			if failures++; failures < attempts {
				break
			}
			fallthrough
		default:
			if len(failed) == 0 {
				if !end.died {
					partLetter.Class = "part"
				}
				failed = []letter{partLetter}
			}
			return r, append(dead, failed...)
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
		wait *= 2
	}
}

// slots counts in taken the parts that this worker does at present.
var slots = struct {
	*sync.Cond
	taken int
}{Cond: sync.NewCond(&sync.Mutex{})}

// takeSlot waits until this worker does fewer than p.AtOnce parts, takes a slot, and returns a function that frees it.
func (p part) takeSlot() (free func()) {
	slots.L.Lock()
	for slots.taken >= max(1, p.AtOnce) {
		slots.Wait()
	}
	slots.taken++
	slots.L.Unlock()
	return func() {
		slots.L.Lock()
		slots.taken--
		slots.L.Unlock()
		slots.Broadcast()
	}
}

// temporary reports whether the failure is of output, so that another attempt may succeed.
func (l letter) temporary() bool { return l.Class == "output" }

// withoutPicture returns args without input or, if that is in a folder of args, with it excluded; nil if it is neither.
func withoutPicture(args []string, input string) []string {
	out := args[:1:1]
	var rest []string
	found := false
	for _, a := range args[1:] {
		if a == input {
			found = true
			continue
		}
		rest = append(rest, a)
		if info, err := os.Stat(a); err != nil || !info.IsDir() {
			continue
		}
		if place, err := filepath.Rel(a, input); err == nil && filepath.IsLocal(place) {
			found = true
			out = append(out, "--exclude=/"+paths.GlobQuote(filepath.ToSlash(place)))
		}
	}
	if !found {
		return nil
	}
	return append(out, rest...)
}
