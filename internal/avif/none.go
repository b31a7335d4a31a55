//go:build !amd64 && !arm64

package avif

import (
	"context"

	"superres/internal/metadata"
)

// Decode fails on this system, for which there is no decoder.
func Decode(context.Context, []byte, int64, [][]metadata.Edit, func(int, Frame) error) error {
	return FormatError("no program for this processor reads it")
}

// Encode fails on this system, for which there is no encoder.
func Encode(context.Context, int, int, []byte, bool, int) ([]byte, error) {
	return nil, FormatError("no program for this processor writes it")
}

// CacheFolder returns "" on this system.
func CacheFolder() string { return "" }

// Prepare does nothing on this system.
func Prepare() error { return nil }
