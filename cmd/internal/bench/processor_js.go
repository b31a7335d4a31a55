package bench

import "time"

var started = time.Now()

// processorTime returns how long the process has run: WebAssembly has one thread and no processor clock.
func processorTime() time.Duration { return time.Since(started) }
