package console

import "os"

// PanicsAreFatal tells whether a panic is to end the program, as tests want it, rather than fail
// the picture or the request that it comes from: SUPERRES_PANIC=fatal says so.
func PanicsAreFatal() bool { return os.Getenv("SUPERRES_PANIC") == "fatal" }
