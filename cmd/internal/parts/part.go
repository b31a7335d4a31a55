// Package parts divides work into parts that may run at the same time, on one machine or many, and records finished
// work, so that interrupted work can continue.
//
// Read it in this order: part.go, which work belongs to a part; journal.go, a file of finished results; ledger.go, the
// record of output files, in journals in the folders of the files; history.go, the content of these journals; and
// sweep.go, trials and their results, in journals in one folder.
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
	"superres/internal/settings"
)

// SweepOption returns the option --shard for commands that run a Sweep. Sweep.Report reads the option.
func SweepOption() *settings.Option {
	return &settings.Option{Name: "shard", To: settings.Text(new(string), ""), Effect: settings.Neutral,
		Help: "do only part `I/N` of the trials, 0/N to N-1/N, and write no report: the parts may run at once, and " +
			"the command without --shard writes it"}
}

// Part is one part of a set of pictures or trials that is divided into several. The zero value is the entire set.
//
// Note: parts count from 0 like the index of a Kubernetes job (JOB_COMPLETION_INDEX) or of a Slurm array (--array=0-6).
type Part struct {
	Index int // the number of the part, from 0
	Of    int // how many parts there are; 0: the set is not divided
}

// MaxParts is the greatest number of parts; each part has a journal in the shared folder.
const MaxParts = 1_000_000

// Parse returns the part that text names as I/N, 1 ≤ N ≤ MaxParts, 0 ≤ I < N, the zero value for "", or a usage error.
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

// String returns the part as I/N, which Parse reads.
func (s Part) String() string { return fmt.Sprintf("%d/%d", s.Index, s.Of) }

// Has reports whether the picture with the relative path place belongs to this part. Only a hash of place decides, so
// that a picture stays in its part when other pictures are added or removed.
func (s Part) Has(place string) bool {
	if s.Of == 0 {
		return true
	}
	sum := sha256.Sum256([]byte(filepath.ToSlash(place)))
	return int(binary.BigEndian.Uint64(sum[:])%uint64(s.Of)) == s.Index
}

// HasTask reports whether a trial belongs to this part. A hash of its JSON decides, so that each part gets trials of
// every learner. To the zero value, which is all of the work, every trial belongs.
func (s Part) HasTask(task any) bool {
	if s.Of == 0 {
		return true
	}
	text, err := json.Marshal(task)
	if err != nil {
		panic(err) // a task has only numbers and texts, which JSON can hold
	}
	return s.Has(string(text))
}

// Suffix returns ".I-of-N", which precedes the extension in the file names of this part; "" for the zero value.
func (s Part) Suffix() string {
	if s.Of == 0 {
		return ""
	}
	return fmt.Sprintf(".%d-of-%d", s.Index, s.Of)
}

var partSuffix = regexp.MustCompile(`\.(\d+)-of-(\d+)(?:\.jsonl)?$`)

// hasSuffix reports whether the Suffix of a part is at the end of name or before a final .jsonl.
func hasSuffix(name string) bool {
	m := partSuffix.FindStringSubmatch(name)
	if m == nil {
		return false
	}
	_, err := Parse(m[1] + "/" + m[2])
	return err == nil
}
