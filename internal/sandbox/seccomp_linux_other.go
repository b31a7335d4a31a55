//go:build linux && !amd64 && !arm64

package sandbox

import (
	"errors"
	"runtime"
)

// setFilter returns an error: the filter exists only for amd64 and arm64.
func setFilter() error { return errors.New("not for " + runtime.GOARCH) }
