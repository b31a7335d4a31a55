// Command superres enlarges pictures with learned dictionaries, learns such
// dictionaries, and scores what comes out.
package main

import (
	"context"
	"os"
)

func main() {
	os.Exit(run(context.Background(), os.Stdin, os.Stdout, os.Stderr, os.Args))
}
