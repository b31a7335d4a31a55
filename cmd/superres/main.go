// Command superres enlarges pictures with learned dictionaries, learns such
// dictionaries, and scores what comes out.
package main

import (
	"context"
	"os"
	"runtime/debug"
)

func main() {
	// Memory is a few large planes: collecting them early costs little and nearly
	// halves the peak.
	debug.SetGCPercent(30)
	os.Exit(run(context.Background(), os.Stdin, os.Stdout, os.Stderr, os.Args))
}
