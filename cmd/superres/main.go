// Command superres enlarges pictures with learned dictionaries, learns such
// dictionaries, and scores what comes out.
package main

import "superres/cmd/app"

func main() { app.Main() }
