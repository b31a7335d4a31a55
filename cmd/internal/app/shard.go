package app

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// shard is one part of many of a set of pictures. The zero value is all of it.
//
// Note: parts are numbered from 0 because the index of a Kubernetes job is
// (JOB_COMPLETION_INDEX), and that of a Slurm array may be (--array=0-6).
type shard struct{ index, of int }

// newShard reads I/N.
func newShard(text string) (shard, error) {
	if text == "" {
		return shard{}, nil
	}
	first, second, _ := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(first)
	n, err2 := strconv.Atoi(second)
	switch {
	case err1 != nil || err2 != nil || n < 1:
		return shard{}, usage("--shard %s: expected I/N, such as 0/7 for the first of seven parts", text)
	case i < 0 || i >= n:
		return shard{}, usage("--shard %s: parts are numbered from 0: expected 0/%d to %d/%d", text, n, n-1, n)
	}
	return shard{i, n}, nil
}

// has tells whether a picture is of this part: by a hash of its place alone, so
// that it stays in its part whatever else comes or goes.
func (s shard) has(place string) bool {
	if s.of == 0 {
		return true
	}
	sum := sha256.Sum256([]byte(filepath.ToSlash(place)))
	return binary.BigEndian.Uint64(sum[:])%uint64(s.of) == uint64(s.index)
}

// suffix distinguishes the files of the parts.
func (s shard) suffix() string {
	if s.of == 0 {
		return ""
	}
	return fmt.Sprintf(".%d-of-%d", s.index, s.of)
}
