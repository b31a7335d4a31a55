//go:build linux && !amd64 && !arm64

package sandbox

import (
	"errors"
	"runtime"
)

// filter returns an error: the filter exists for amd64 and arm64 only.
func filter() error { return errors.New("not for " + runtime.GOARCH) }
