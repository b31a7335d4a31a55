package console

import (
	"fmt"

	"superres/internal/kernel"
	"superres/superres"
)

// Version is the version of the program.
const Version = superres.Version

// Slowness returns a line that says why the program computes in plain Go and not in assembly; "" if it uses assembly.
func Slowness() string {
	if why := kernel.Plain(); why != "" {
		return fmt.Sprintf("%s: plain Go computes the same bytes, more than ten times as slowly", why)
	}
	return ""
}
