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

// part is an element: a command, and which part of it to do.
type part struct {
	Args  []paths.Name `json:"args"`
	Index int          `json:"index"`
	Of    int          `json:"of"`
	// AtOnce is how many parts a worker does at once; runners begin as many as they
	// like.
	AtOnce int `json:"at_once"`
}

func (p part) name() string { return parts.Part{Index: p.Index, Of: p.Of}.String() }

// result is what has become of a part.
type result struct {
	Part     string  `json:"part"`
	Done     int     `json:"done"`    // pictures
	Skipped  int     `json:"skipped"` // that were done before
	Attempts int     `json:"attempts"`
	Seconds  float64 `json:"seconds"`
	Code     int     `json:"code"` // exit code of the last attempt
}

// letter is a dead letter: what has failed for good.
type letter struct {
	Command string     `json:"command"`
	Part    string     `json:"part"`
	Input   paths.Name `json:"input,omitempty"` // of upscale: the picture; empty: the part
	Error   string     `json:"error"`
	Class   string     `json:"class"` // as in the events of superres upscale --json, or "died"
}

const (
	attempts = 3 // of a part, or of what brings the process down
	codeSome = 3 // exit codes of superres
	codeOut  = 5
)

var pause = 2 * time.Second // before the second attempt; then twice as long

// event is what matters of an event of superres upscale --json.
type event struct {
	Event, Error, Class string
	Input               paths.Name
	Done, Skipped       int
}

// do does a part, with what is temporary tried again: output that cannot be written
// and processes that die. A picture at which the process dies is left out after the
// last attempt, and the rest goes on.
func (p part) do(ctx context.Context) (r result, dead []letter) {
	r.Part = p.name()
	defer p.slot()()
	began := time.Now()
	defer func() { r.Seconds = time.Since(began).Seconds() }()
	command := string(p.Args[0])
	upscale := command == "upscale"
	args := slices.Insert(paths.Texts(p.Args), 1, "--shard="+p.name(), "--progress=none")
	if upscale {
		args = slices.Insert(args, 1, "--resume", "--json")
	}
	deaths := map[paths.Name]int{} // by picture
	failures := 0                  // of the whole part
	wait := pause
	for {
		r.Attempts++
		var at paths.Name // the picture under way
		var failed []letter
		end := run(ctx, args, func(line []byte) {
			var ev event
			if !upscale || json.Unmarshal(line, &ev) != nil {
				return
			}
			switch ev.Event {
			case "start":
				at = ev.Input
			case "done":
				at = ""
				r.Done++
			case "fail":
				at = ""
				failed = append(failed, letter{command, p.name(), ev.Input, ev.Error, ev.Class})
			case "summary":
				r.Skipped = ev.Skipped
			}
		})
		r.Code = end.code
		whole := letter{Command: command, Part: p.name(), Error: end.reason, Class: "died"}
		switch {
		case ctx.Err() != nil:
			return r, append(dead, whole)
		case end.died && at != "":
			if deaths[at]++; deaths[at] < attempts {
				break
			}
			whole.Input = at
			dead = append(dead, whole)
			if args = without(args, string(at)); args == nil {
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
					whole.Class = "part"
				}
				failed = []letter{whole}
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

// slots counts the parts that this worker does now.
var slots = struct {
	*sync.Cond
	taken int
}{Cond: sync.NewCond(&sync.Mutex{})}

// slot waits for its turn and returns what ends it.
func (p part) slot() (free func()) {
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

// temporary tells whether another attempt may end otherwise.
func (l letter) temporary() bool { return l.Class == "output" }

// without leaves a picture out of a command: nil when nothing would be left.
func without(args []string, input string) []string {
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
