package console

import (
	"testing"
	"time"
)

// The text beside the bar says what is done and, once the pace is known, how much time is left, in plain words. The
// pace is that since the bar appeared: what was done before, by an earlier run, says nothing.
func TestProgressText(t *testing.T) {
	began := time.Now()
	for _, c := range []struct {
		note         string
		first, share float64
		after        time.Duration
		want         string
	}{
		{"", 0, 0.5, 500 * time.Millisecond, "learning"},
		{"", 0, 0.001, time.Minute, "learning"},
		{"", 0, 0.5, 2 * time.Second, "learning, about 2 s left"},
		{"3 of 9", 0, 0.25, 40 * time.Second, "learning, 3 of 9, about 2 min left"},
		{"3 of 9", 0.5, 0.55, 10 * time.Minute, "learning, 3 of 9, about 90 min left"},
		{"", 0, 0.1, time.Hour, "learning, about 9 h left"},
		{"", 0, 0.99, 10 * time.Second, "learning, about 1 s left"},
	} {
		p := &Progress{shown: "learning", note: c.note, began: began, first: c.first, share: c.share}
		if got := p.text(began.Add(c.after), 0); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
	p := &Progress{shown: "learning", note: "3 of 9", began: began, share: 0.25}
	if got := p.text(began.Add(40*time.Second), 30); got != "learning, 3, about 2 min left" {
		t.Errorf("in little room: %q", got)
	}
}

func TestElapsed(t *testing.T) {
	for seconds, want := range map[float64]string{0.004: "0.00 s", 0.42: "0.42 s", 0.996: "1.0 s", 4.24: "4.2 s",
		9.96: "10 s", 99.4: "99 s", 125: "2 min 5 s", 3599.7: "1 h 0 min", 4800: "1 h 20 min"} {
		if got := Elapsed(seconds); got != want {
			t.Errorf("%g: %q, expected %q", seconds, got, want)
		}
	}
}
