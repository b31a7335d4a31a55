package app

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
)

// sweepShardFlag is the flag of the commands whose trials a sweep runs.
var sweepShardFlag = &cli.StringFlag{Name: "shard", Usage: "do only part `I/N` of the trials, 0/N to N-1/N, and write no report: the parts may run at once, and superres merge DIR writes it"}

// shard is one part of many of a set of pictures or trials. The zero value is all of it.
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
		return shard{}, console.Usage("--shard %s: expected I/N, such as 0/7 for the first of seven parts", text)
	case i < 0 || i >= n:
		return shard{}, console.Usage("--shard %s: parts are numbered from 0: expected 0/%d to %d/%d", text, n, n-1, n)
	}
	return shard{i, n}, nil
}

// String is I/N, as newShard reads it.
func (s shard) String() string { return fmt.Sprintf("%d/%d", s.index, s.of) }

// has tells whether a picture is of this part: by a hash of its place alone, so
// that it stays in its part whatever else comes or goes.
func (s shard) has(place string) bool {
	if s.of == 0 {
		return true
	}
	sum := sha256.Sum256([]byte(filepath.ToSlash(place)))
	return binary.BigEndian.Uint64(sum[:])%uint64(s.of) == uint64(s.index)
}

// hasTask is has for a trial: by all that decides its result, so that no part gets one
// learner alone.
func (s shard) hasTask(task any) bool {
	if s.of == 0 {
		return true
	}
	text, err := json.Marshal(task)
	if err != nil {
		panic(err) // a task is made of numbers and texts
	}
	return s.has(string(text))
}

// suffix distinguishes the files of the parts.
func (s shard) suffix() string {
	if s.of == 0 {
		return ""
	}
	return fmt.Sprintf(".%d-of-%d", s.index, s.of)
}

var partSuffix = regexp.MustCompile(`\.(\d+)-of-(\d+)(?:\.jsonl)?$`)

// partOf reads the part back from a file name that ends in its suffix, and perhaps in
// .jsonl.
func partOf(name string) (shard, bool) {
	m := partSuffix.FindStringSubmatch(name)
	if m == nil {
		return shard{}, false
	}
	s, err := newShard(m[1] + "/" + m[2])
	return s, err == nil
}
