package external

import (
	"strings"
	"sync"

	"superres/internal/safefile"
)

// tail is a writer that keeps only the last bytes written to it. It is safe for concurrent use.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

// How many bytes are kept, and how many lines are quoted.
const (
	tailBytes = 2048
	tailLines = 5
)

// Write keeps the last bytes of what was written. It never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p[max(0, len(p)-tailBytes):]...)
	t.kept = t.kept[max(0, len(t.kept)-tailBytes):]
	return len(p), nil
}

// reset drops all bytes.
func (t *tail) reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = t.kept[:0]
}

// quote returns the last lines, worded as the end of a sentence, or "" if there are none.
func (t *tail) quote() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var lines []string
	for line := range strings.Lines(strings.ToValidUTF8(string(t.kept), "?")) {
		if line = strings.TrimSpace(safefile.OneLine(line)); line != "" {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return "; it said: " + strings.Join(lines[max(0, len(lines)-tailLines):], " | ")
}
