package serve

import (
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"superres/cmd/internal/console"
)

// watches tell how far pictures are, by the ids that clients give them. Of each they keep
// the latest event alone. They are safe for concurrent use.
type watches struct {
	mu  sync.Mutex
	all map[string]*watch
}

// watch is of one id, as long as a call or somebody who asks has it.
type watch struct {
	id    string
	users int
	call  bool // one has it, or had it

	latest []byte        // the event; nil: there is none yet
	ended  bool          // it is the last
	moved  chan struct{} // closed when there is another
}

// event tells how far a picture is.
type event struct {
	Event string  `json:"event"`           // queued, progress
	Place int     `json:"place,omitempty"` // queued: in the queue, from 1
	Share float64 `json:"share"`           // that is done, 0 to 1
	Left  float64 `json:"seconds_left"`    // progress: estimate, in seconds
}

// failed is the last event of a picture that failed.
type failed struct {
	Event string `json:"event"` // failed
	failure
}

const longestID = 64 // bytes

// take takes part in an id: a call, or somebody who asks; there is one call of an id at a time.
func (t *watches) take(id string, call bool) (*watch, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	w := t.all[id]
	switch {
	case len(id) > longestID:
		return nil, console.Usage("id: longer than %d bytes; use another", longestID)
	case w == nil:
		w = &watch{id: id, moved: make(chan struct{})}
		t.all[id] = w
	case call && w.call:
		return nil, console.Usage("id %q: another picture has it; use one for each", id)
	}
	w.users++
	w.call = w.call || call
	return w, nil
}

// leave is the end of take.
func (t *watches) leave(w *watch) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if w.users--; w.users == 0 {
		delete(t.all, w.id)
	}
}

// tell has an event told, the last one of the picture or not. A nil watch tells nobody.
func (t *watches) tell(w *watch, v any, last bool) {
	if w == nil {
		return
	}
	text, err := json.Marshal(v)
	if err != nil {
		return // texts and numbers
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	w.latest, w.ended = text, last
	close(w.moved)
	w.moved = make(chan struct{})
}

// see returns the latest event, whether it is the last, and when to look again.
func (t *watches) see(w *watch) (latest []byte, ended, call bool, moved <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return w.latest, w.ended, w.call, w.moved
}

// events sends the events of an id until the last one.
func (s *site) events(w http.ResponseWriter, r *http.Request) error {
	id := r.URL.Query().Get("id")
	if id == "" {
		return console.Usage("no id; use events?id=TEXT, and the same id in the call that enlarges")
	}
	watch, err := s.watches.take(id, false)
	if err != nil {
		return err
	}
	defer s.watches.leave(watch)
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	control := http.NewResponseController(w)
	patience, ending := time.After(s.patience.call), s.ending
	var sent []byte
	for {
		latest, ended, call, moved := s.watches.see(watch)
		if len(latest) > 0 && string(latest) != string(sent) {
			sent = latest
			if control.SetWriteDeadline(time.Now().Add(s.patience.move)) != nil {
				return nil
			}
			if _, err := w.Write(append(append([]byte("data: "), latest...), "\n\n"...)); err != nil {
				return nil
			}
		}
		if control.Flush() != nil || ended {
			return nil
		}
		if call {
			patience = nil
		}
		select {
		case <-moved:
		case <-patience:
			return nil
		case <-r.Context().Done():
			return nil
		case <-ending:
			if !call {
				return nil
			}
			ending = nil // the call ends soon
		}
	}
}
