//go:build !amd64 && !arm64

package avif

import (
	"context"

	"superres/internal/metadata"
)

// Decode fails on this system, for which there is no decoder.
func Decode(_ context.Context, _, _ []byte, _ [][]metadata.Edit, _ func(int, Frame) error) error {
	return FormatError("no program for this processor reads it")
}

// CacheFolder returns "" on this system.
func CacheFolder() string { return "" }

// Prepare does nothing on this system.
func Prepare() error { return nil }
