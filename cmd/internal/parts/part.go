// Package parts divides work into parts that may run at the same time, on one machine or many, and records what is
// done, so that interrupted work continues. Its command is superres merge.
//
// Read it in this order: part.go, one part of many and what belongs to it; journal.go, a file of finished results;
// ledger.go, the record of output files, in journals in their folders, and history.go, what these journals hold;
// sweep.go, trials and their results, in journals in one folder; merge.go, the command.
package parts

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"superres/cmd/internal/console"
	"superres/cmd/internal/settings"
)

// SweepOption returns --shard of the commands whose trials a sweep runs. SweepPart reads it.
func SweepOption() *settings.Option {
	return &settings.Option{Name: "shard", To: settings.Text(new(string), ""), Effect: settings.Neutral,
		Kinds: []string{"sweep"},
		Help: "do only part `I/N` of the trials, 0/N to N-1/N, and write no report: the parts may run at once, " +
			"and superres " +
			"merge DIR writes it"}
}

// Part is one part of many of a set of pictures or trials. The zero value is the entire set.
//
// Note: parts are numbered from 0 because the index of a Kubernetes job is (JOB_COMPLETION_INDEX), and that of a
// Slurm array may be (--array=0-6).
type Part struct {
	Index int // the number of the part, from 0
	Of    int // how many parts there are; 0: the set is not divided
}

// MaxParts is how many parts there may be: each has a journal in the folder that they share.
const MaxParts = 1_000_000

// Parse reads I/N, with N from 1 to MaxParts and I from 0 to N-1. Its errors are of wrong usage.
func Parse(text string) (Part, error) {
	if text == "" {
		return Part{}, nil
	}
	first, second, _ := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(first)
	n, err2 := strconv.Atoi(second)
	switch {
	case err1 != nil || err2 != nil || n < 1:
		return Part{}, console.Usage("--shard %s: expected I/N, such as 0/7 for the first of seven parts", text)
	case n > MaxParts:
		return Part{}, console.Usage("--shard %s: %d parts, expected %d at most", text, n, MaxParts)
	case i < 0 || i >= n:
		return Part{}, console.Usage("--shard %s: parts are numbered from 0: expected 0/%d to %d/%d", text, n, n-1, n)
	}
	return Part{i, n}, nil
}

// String is I/N, as Parse reads it.
func (s Part) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Of) }

// Has reports whether a picture belongs to this part. A hash of its place alone decides that, so that a picture stays
// in its part whatever pictures are added or removed.
func (s Part) Has(place string) bool {
	if s.Of == 0 {
		return true
	}
	return indexOf(place, s.Of) == s.Index
}

// indexOf returns the number of the part, from 0 to of−1, that a picture belongs to by its place. of is 1 or more.
func indexOf(place string, of int) int {
	sum := sha256.Sum256([]byte(filepath.ToSlash(place)))
	return int(binary.BigEndian.Uint64(sum[:]) % uint64(of))
}

// HasTask reports whether a trial belongs to this part. A hash of everything that decides its result decides that, so
// that no part gets the trials of one learner alone.
func (s Part) HasTask(task any) bool {
	if s.Of == 0 {
		return true
	}
	return s.Has(textOf(task))
}

// textOf returns a trial as JSON, whose hash decides its part.
func textOf(task any) string {
	text, err := json.Marshal(task)
	if err != nil {
		panic(err) // a task consists of numbers and texts, which JSON can hold
	}
	return string(text)
}

// Suffix returns the end of the names of the files of this part, before their extension. It is empty for the zero
// value.
func (s Part) Suffix() string {
	if s.Of == 0 {
		return ""
	}
	return fmt.Sprintf(".%d-of-%d", s.Index, s.Of)
}

var partSuffix = regexp.MustCompile(`\.(\d+)-of-(\d+)(?:\.jsonl)?$`)

// OfFile returns the part whose suffix a file name ends in, apart from the extension .jsonl.
func OfFile(name string) (Part, bool) {
	m := partSuffix.FindStringSubmatch(name)
	if m == nil {
		return Part{}, false
	}
	s, err := Parse(m[1] + "/" + m[2])
	return s, err == nil
}
