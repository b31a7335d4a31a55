package video

import (
	"math"
	"regexp"
	"strconv"
	"sync"
	"time"
)

// times holds the times of the frames that ffmpeg gives to superres, read from the lines that the filter showinfo
// prints, one a frame. It is safe for concurrent use.
type times struct {
	begin, each float64 // when the file begins, and the mean duration of a frame, in seconds

	mu       sync.Mutex
	more     *sync.Cond
	num, den int64   // the unit of stamps: num/den seconds
	stamps   []int64 // times of frames for which next has not been called yet
	last     int64
	began    bool
	ended    bool // no more times will come
	passed   int  // number of coming times to ignore
}

func newTimes(begin, rate float64) *times {
	t := &times{begin: begin, each: 1 / max(rate, 1e-3), num: 1, den: 25}
	if rate == 0 {
		t.each = 1. / 25
	}
	t.more = sync.NewCond(&t.mu)
	return t
}

var (
	unitLine  = regexp.MustCompile(`^\[Parsed_showinfo_\d+ @ 0x[0-9a-fA-F]+\] \[info\] config in time_base: (\d+)/(\d+)`)
	frameLine = regexp.MustCompile(`^\[Parsed_showinfo_\d+ @ 0x[0-9a-fA-F]+\] \[info\] n: *\d+ pts: *(-?\d+|NOPTS)`)
)

// take handles a line of ffmpeg's messages: if it is from showinfo, it stores the unit or the time in the line.
func (t *times) take(line string) {
	if m := unitLine.FindStringSubmatch(line); m != nil {
		num, err := strconv.ParseInt(m[1], 10, 32)
		den, err2 := strconv.ParseInt(m[2], 10, 32)
		t.mu.Lock()
		defer t.mu.Unlock()
		if err == nil && err2 == nil && num > 0 && den > 0 && !t.began {
			t.num, t.den = num, den
		}
		return
	}
	m := frameLine.FindStringSubmatch(line)
	if m == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	stamp, err := strconv.ParseInt(m[1], 10, 64)
	if step := max(int64(t.each*float64(t.den)/float64(t.num)+0.5), 1); err != nil && t.began {
		stamp = t.last + step
	}
	if t.began { // encoders refuse two frames with the same time
		stamp = max(stamp, t.last+1)
	}
	if t.last, t.began = stamp, true; t.passed > 0 {
		t.passed--
		return
	}
	t.stamps = append(t.stamps, stamp)
	t.more.Broadcast()
}

// end records that no more times will come, and wakes all that wait for times.
func (t *times) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = true
	t.more.Broadcast()
}

// patience is how long to wait for the time of a frame that has come already.
const patience = 10 * time.Second

// wait waits until ready returns true, or no more times will come. After patience it assumes that no more times will
// come. The caller holds t.mu.
func (t *times) wait(ready func() bool) {
	if ready() || t.ended {
		return
	}
	defer time.AfterFunc(patience, t.end).Stop()
	for !ready() && !t.ended {
		t.more.Wait()
	}
}

// next returns the time of the next frame, from the beginning of the file, in units of tick. It waits until the time is
// known; if no time comes, it adds the mean duration of a frame to the time of the previous frame.
func (t *times) next() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.wait(func() bool { return len(t.stamps) > 0 })
	if len(t.stamps) == 0 {
		t.last += max(int64(t.each*float64(t.den)/float64(t.num)+0.5), 1)
		t.stamps = append(t.stamps, t.last)
	}
	stamp := t.stamps[0]
	t.stamps = t.stamps[1:]
	return int64(math.Round((float64(stamp)*float64(t.num)/float64(t.den) - t.begin) * (1e9 / tick)))
}

// unit returns the unit of the input's times, num/den seconds. It waits until the unit is known or no times will come.
func (t *times) unit() (num, den int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.wait(func() bool { return t.began })
	return t.num, t.den
}
