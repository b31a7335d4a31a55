// Outside is a superres with a learner, a coder and a stage of another module in it: an
// example for those who write their own, and a test that it can be done.
package main

import (
	"superres/cmd/app"

	_ "example.org/outside/exemplars" // the learner
	_ "example.org/outside/smooth"    // the stage
	_ "example.org/outside/threshold" // the coder
)

func main() { app.Main() }
