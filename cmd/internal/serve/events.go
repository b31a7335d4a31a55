package serve

import (
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"superres/cmd/internal/console"
)

// watches holds the latest event of each picture, by the id that the client chose. It is safe for concurrent use.
type watches struct {
	mu  sync.Mutex
	all map[string]*watch
}

// watch holds the latest event of the picture with one id. It exists while a call or a reader of its events uses it.
type watch struct {
	id    string
	users int  // number of calls and readers of events that use the watch now
	call  bool // a call uses or has used the id; false: only readers of events have

	latest []byte        // latest event as JSON; nil: none yet
	ended  bool          // no event comes after latest
	moved  chan struct{} // closed at the next event, when a new channel takes its place
}

// event says how far a picture has come.
type event struct {
	Event string  `json:"event"`           // "queued" or "progress"
	Place int     `json:"place,omitempty"` // queued: position in the queue, from 1
	Share float64 `json:"share"`           // part of the work that is done, 0 to 1
	Left  float64 `json:"seconds_left"`    // progress: estimated seconds left
}

// failed is the last event of a picture that failed.
type failed struct {
	Event string `json:"event"` // always "failed"
	failure
}

const longestID = 64 // longest id that a client may choose, in bytes

// take returns the watch of id, or a new one, and counts one more use: by a call if call is true, else by a reader of
// events. It fails if id is too long, or if call is true and another call has used id. The caller must call leave.
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

// leave ends one use of w, begun by take; after the last use, w is removed.
func (t *watches) leave(w *watch) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if w.users--; w.users == 0 {
		delete(t.all, w.id)
	}
}

// tell publishes v, as JSON, as the latest event of w; last says that no event follows. If w is nil, tell does nothing.
func (t *watches) tell(w *watch, v any, last bool) {
	if w == nil {
		return
	}
	text, err := json.Marshal(v)
	if err != nil {
		return // cannot happen: events hold only texts and numbers
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	w.latest, w.ended = text, last
	close(w.moved)
	w.moved = make(chan struct{})
}

// see returns the latest event of w as JSON (none yet: nil), whether it is the last, whether a call uses or has used
// the id of w, and a channel that is closed at the next event.
func (t *watches) see(w *watch) (latest []byte, ended, call bool, moved <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return w.latest, w.ended, w.call, w.moved
}

// events answers r with the latest and all later events of the picture with the id in r. An event is left out if the
// next one replaces it before it is sent. If no call uses the id, the stream ends after patience.call.
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
			patience = nil // never ready
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
			ending = nil // the call ends soon, and with it its events
		}
	}
}
