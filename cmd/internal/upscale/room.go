package upscale

import "sync"

// room is memory to be divided among pictures, which are let in in their order: one
// that there is not enough for waits, and all behind it.
type room struct {
	mu    sync.Mutex
	moved *sync.Cond // what is below
	turn  int        // of the picture that may take some
	free  int64      // bytes
}

func newRoom(bytes int64) *room {
	r := &room{free: bytes}
	r.moved = sync.NewCond(&r.mu)
	return r
}

// queue waits until it is the turn of picture i.
func (r *room) queue(i int) { r.when(func() bool { return r.turn == i }, 0) }

// take waits for memory and takes it. It must not be more than there is in all.
func (r *room) take(bytes int64) { r.when(func() bool { return r.free >= bytes }, bytes) }

func (r *room) when(ready func() bool, bytes int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for !ready() {
		r.moved.Wait()
	}
	r.free -= bytes
}

// next ends the turn of a picture.
func (r *room) next() { r.change(1, 0) }

// give gives memory back.
func (r *room) give(bytes int64) { r.change(0, bytes) }

func (r *room) change(turns int, bytes int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.turn += turns
	r.free += bytes
	r.moved.Broadcast()
}
