// Outside is superres with a learner, a coder and a stage from another module, as an example and as a test.
package main

import (
	"superres/cmd/app"

	_ "example.org/outside/exemplars" // the learner
	_ "example.org/outside/smooth"    // the stage
	_ "example.org/outside/threshold" // the coder
)

func main() { app.Main() }
