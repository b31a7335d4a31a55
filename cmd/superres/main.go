// Command superres enlarges pictures and videos by learned models, learns models and dictionaries, and scores results.
package main

import "superres/cmd/app"

func main() { app.Main() }
