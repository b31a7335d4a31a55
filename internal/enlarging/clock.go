package enlarging

import (
	"context"
	"sync/atomic"
	"time"

	"superres/internal/safefile"
)

// clock cancels the context that newClock returns with it, once limit has passed since start was called, or in end.
type clock struct {
	limit time.Duration // 0: no limit
	timer *time.Timer   // nil before start, and without a limit
	stop  context.CancelFunc
	over  atomic.Bool // the limit has passed
}

func newClock(ctx context.Context, limit time.Duration) (context.Context, *clock) {
	ctx, stop := context.WithCancel(ctx)
	return ctx, &clock{limit: limit, stop: stop}
}

// start begins the time limit, if there is one. Once it has passed, the context is cancelled.
func (c *clock) start() {
	if c.limit > 0 {
		c.timer = time.AfterFunc(c.limit, func() {
			c.over.Store(true)
			c.stop()
		})
	}
}

// end cancels the context and returns err. If err is not nil and the time limit has passed, end returns an error about
// the limit instead, which names the picture at path.
func (c *clock) end(err error, path string) error {
	if c.timer != nil {
		c.timer.Stop()
	}
	c.stop()
	if err != nil && c.over.Load() {
		return safefile.Refuse(safefile.ErrLimit, path, "takes longer to enlarge than the limit of %g s",
			c.limit.Seconds()).With(MoreTime)
	}
	return err
}
