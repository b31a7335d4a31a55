package bench

import "time"

var started = time.Now()

// processorTime returns how long the process has run: WebAssembly has one thread, and no clock of its processor.
func processorTime() time.Duration { return time.Since(started) }
