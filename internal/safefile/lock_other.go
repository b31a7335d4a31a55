//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package safefile

import "os"

func lock(*os.File) lockState { return unknown }

// duplicate returns nil, as there is no lock to keep. A nil *os.File can be closed, without effect.
func duplicate(*os.File) (*os.File, error) { return nil, nil }
