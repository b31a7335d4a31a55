package video

import (
	"math"
	"regexp"
	"strconv"
	"sync"
	"time"
)

// times holds the times of the frames that ffmpeg decodes. Y4M has no times, so they come from the messages of ffmpeg's
// filter showinfo: a line with the unit of time, then a line for each frame. It is safe for concurrent use.
type times struct {
	fileStart    float64 // time at which the file begins, in seconds
	meanDuration float64 // mean duration of a frame, in seconds

	mu               sync.Mutex
	changed          *sync.Cond // wakes wait
	unitNum, unitDen int64      // times are counted in units of unitNum/unitDen seconds
	waiting          []int64    // times of frames, in units, for which next has not been called yet
	last             int64      // time of the latest frame, in units
	hasLast          bool       // a frame has come; false: last is not set
	ended            bool       // no more times will come
	toSkip           int        // number of coming frames that are not written
}

// newTimes returns times for a file that begins at fileStart seconds and has rate frames a second; rate 0: unknown.
func newTimes(fileStart, rate float64) *times {
	t := &times{fileStart: fileStart, meanDuration: 1 / max(rate, 1e-3), unitNum: 1, unitDen: 25}
	if rate == 0 {
		t.meanDuration = 1. / 25
	}
	t.changed = sync.NewCond(&t.mu)
	return t
}

// step returns the mean duration of a frame in units, at least 1.
func (t *times) step() int64 {
	return max(int64(t.meanDuration*float64(t.unitDen)/float64(t.unitNum)+0.5), 1)
}

var (
	// unitLine and frameLine match the lines of showinfo with the unit of time and with the time of a frame.
	unitLine  = regexp.MustCompile(`^\[Parsed_showinfo_\d+ @ 0x[0-9a-fA-F]+\] \[info\] config in time_base: (\d+)/(\d+)`)
	frameLine = regexp.MustCompile(`^\[Parsed_showinfo_\d+ @ 0x[0-9a-fA-F]+\] \[info\] n: *\d+ pts: *(-?\d+|NOPTS)`)
)

// take handles a line of ffmpeg's messages. If showinfo printed it, take stores the unit of time in it, unless a frame
// has come already, or the time of the next frame. A frame without a time is put one mean duration after the frame
// before it, the first at 0. A time that is not later than the one before it is moved to one unit after it. Of the
// first toSkip frames, which are only looked at and not written, no time is kept for next.
func (t *times) take(line string) {
	if m := unitLine.FindStringSubmatch(line); m != nil {
		num, err := strconv.ParseInt(m[1], 10, 32)
		den, err2 := strconv.ParseInt(m[2], 10, 32)
		t.mu.Lock()
		defer t.mu.Unlock()
		if err == nil && err2 == nil && num > 0 && den > 0 && !t.hasLast {
			t.unitNum, t.unitDen = num, den
		}
		return
	}
	m := frameLine.FindStringSubmatch(line)
	if m == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	now, err := strconv.ParseInt(m[1], 10, 64) // an error for NOPTS, which stands for a missing time
	if err != nil && t.hasLast {
		now = t.last + t.step()
	}
	if t.hasLast { // encoders refuse two frames with the same time
		now = max(now, t.last+1)
	}
	if t.last, t.hasLast = now, true; t.toSkip > 0 {
		t.toSkip--
		return
	}
	t.waiting = append(t.waiting, now)
	t.changed.Broadcast()
}

// end records that no more times will come, and wakes all that wait for times.
func (t *times) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = true
	t.changed.Broadcast()
}

// patience is how long to wait for the time of a frame that has come already.
const patience = 10 * time.Second

// wait waits until ready returns true, or no more times will come, as it assumes after patience. The caller holds t.mu.
func (t *times) wait(ready func() bool) {
	if ready() || t.ended {
		return
	}
	defer time.AfterFunc(patience, t.end).Stop()
	for !ready() && !t.ended {
		t.changed.Wait()
	}
}

// next returns the time of the next frame, from the beginning of the file, in units of tick. It waits until the time is
// known. If no time comes, the frame is put one mean duration after the frame before it.
func (t *times) next() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.wait(func() bool { return len(t.waiting) > 0 })
	if len(t.waiting) == 0 {
		t.last += t.step()
		t.waiting = append(t.waiting, t.last)
	}
	now := t.waiting[0]
	t.waiting = t.waiting[1:]
	return int64(math.Round((float64(now)*float64(t.unitNum)/float64(t.unitDen) - t.fileStart) * (1e9 / tick)))
}

// unit returns the unit of the input's times, num/den seconds. It waits for the first frame, before which the unit is
// printed, or until no times will come. If no unit was printed, it is 1/25 s.
func (t *times) unit() (num, den int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.wait(func() bool { return t.hasLast })
	return t.unitNum, t.unitDen
}
