//go:build !unix && !windows

package priority

import "errors"

// Lower returns an error: superres knows no priorities of this system.
func Lower() error { return errors.New("this system has no priorities that superres knows") }
