// Command superres enlarges pictures with learned dictionaries, learns such
// dictionaries, and scores what comes out.
package main

import (
	"context"
	"os"
	"runtime/debug"

	"superres/cmd/internal/app"
	"superres/internal/kernel"
)

func main() {
	debug.SetGCPercent(30) // see app.Run
	kernel.AdviseHeap(128 << 20)
	os.Exit(app.Run(context.Background(), os.Stdin, os.Stdout, os.Stderr, os.Args))
}
