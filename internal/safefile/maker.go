package safefile

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync"
)

// maker is the process that made a temporary file, as the name of the file tells it. Its zero
// value is a process of which nothing is known.
type maker struct {
	// host is a hash of the machine and of its set of process numbers, of which each container
	// has its own.
	host string
	// boot is a hash of what changes whenever the machine starts; that of nothing where the
	// system does not tell. Containers of one machine share it.
	boot string
	// pid is the number of the process.
	pid int
	// start is when the process began, in units of the system; 0: not known. A number that is
	// given to another process later has another start.
	start uint64
}

// self returns the maker that this process is.
var self = sync.OnceValue(func() maker {
	start, _ := processStart(os.Getpid())
	return maker{hashed(machine()), hashed(bootOf()), os.Getpid(), start}
})

// hashed shortens a text to 8 hexadecimal digits.
func hashed(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:4])
}

// state tells whether a process still runs, as far as this process can know.
func (m maker) state() makerState {
	me := self()
	switch {
	case m == maker{}:
		return elsewhere
	case m.host == me.host && m.boot == me.boot:
		if start, runs := processStart(m.pid); runs && (start == m.start || start == 0 || m.start == 0) {
			return running
		}
		return gone
	case m.host == me.host:
		return gone // with all that ran before the machine started
	case m.boot == me.boot && m.boot != hashed(""):
		return beside
	}
	return elsewhere
}

// makerState is what is known of a maker.
type makerState int

const (
	elsewhere makerState = iota // on another machine, which cannot be asked
	beside                      // in another container of this machine: the locks of its files are seen here
	running
	gone
)

// Names of temporary files: the prefix, the four fields of the maker and 16 random hexadecimal
// digits with dashes between, the suffix.
const (
	tempPrefix = ".superres-"
	tempSuffix = ".tmp"
)

// tempName returns a new name for a temporary file of this process.
func tempName() string {
	m := self()
	return fmt.Sprintf("%s%s-%s-%d-%d-%016x%s", tempPrefix, m.host, m.boot, m.pid, m.start, rand.Uint64(), tempSuffix)
}

// parseTemp reports whether a file name is one that tempName makes, and whose. Names without a
// maker, which earlier versions made, have the zero one.
func parseTemp(name string) (by maker, ok bool) {
	text, ok1 := strings.CutPrefix(name, tempPrefix)
	text, ok2 := strings.CutSuffix(text, tempSuffix)
	if !ok1 || !ok2 {
		return maker{}, false
	}
	fields := strings.Split(text, "-")
	if !isHex(fields[len(fields)-1], 16) {
		return maker{}, false
	}
	switch len(fields) {
	case 1:
		return maker{}, true
	case 5:
		pid, err1 := strconv.ParseInt(fields[2], 10, 32)
		start, err2 := strconv.ParseUint(fields[3], 10, 64)
		ok := err1 == nil && err2 == nil && pid > 0 && isHex(fields[0], 8) && isHex(fields[1], 8)
		return maker{fields[0], fields[1], int(pid), start}, ok
	}
	return maker{}, false
}

// isHex reports whether a text is of n lower-case hexadecimal digits.
func isHex(text string, n int) bool {
	return len(text) == n && strings.Trim(text, "0123456789abcdef") == ""
}
