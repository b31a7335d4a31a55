// Command superres enlarges pictures and videos by learned models, learns such models and dictionaries, and scores what
// comes out.
package main

import "superres/cmd/app"

func main() { app.Main() }
