//go:build linux && !amd64 && !arm64

package sandbox

import (
	"errors"
	"runtime"
)

// filter is only written for the usual processors.
func filter() error { return errors.New("not for " + runtime.GOARCH) }
