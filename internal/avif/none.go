//go:build !amd64 && !arm64

package avif

import (
	"context"
	"runtime"

	"superres/internal/metadata"
	"superres/internal/safefile"
)

// Decode fails on this system, for which there is no decoder.
func Decode(_ context.Context, _, _ []byte, _ [][]metadata.Edit, _ func(int, Frame) error) error {
	return safefile.Refuse(safefile.ErrInput, "",
		"AVIF cannot be read by this program for %s, only on amd64 and arm64; save it as PNG first", runtime.GOARCH)
}

// Encode fails on this system, for which there is no encoder.
func Encode(context.Context, int, int, []byte, bool, int) ([]byte, error) {
	return nil, safefile.Refuse(safefile.ErrOutput, "",
		"AVIF cannot be written by this program for %s, only on amd64 and arm64; write PNG, WebP or JPEG",
		runtime.GOARCH)
}

// CacheFolder returns "" on this system.
func CacheFolder() string { return "" }

func Prepare() error { return nil }
