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

// maker is the process that made a temporary file, as the name of the file says. The zero value is an unknown process.
type maker struct {
	// host is a hash of the machine and of its set of process numbers, of which each container has its own.
	host string
	// boot is a hash of a value that changes whenever the machine starts, and the same for all containers of a
	// machine. It is the hash of an empty text where the system has no such value.
	boot string
	// pid is the number of the process.
	pid int
	// start is the time at which the process began, in units of the system, or 0 where it is not known. A
	// later process that gets the same number has another start.
	start uint64
}

// self returns the maker that this process is.
var self = sync.OnceValue(func() maker {
	start, _ := processStart(os.Getpid())
	return maker{hashed(machine()), hashed(bootOf()), os.Getpid(), start}
})

// hashed returns 8 hexadecimal digits of the hash of a text.
func hashed(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:4])
}

// state returns whether the process m still runs, as far as this process can know.
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
		return gone // the machine was restarted since
	case m.boot == me.boot && m.boot != hashed(""):
		return beside
	}
	return elsewhere
}

// makerState is the known state of a maker.
type makerState int

const (
	elsewhere makerState = iota // on another machine, which cannot be asked
	beside                      // in another container of this machine: the locks of its files are seen here
	running
	gone
)

// The names of temporary files are the prefix, the four fields of the maker and 16 random hexadecimal digits,
// with dashes between, and the suffix.
const (
	tempPrefix = ".superres-"
	tempSuffix = ".tmp"
)

// tempName returns a new name for a temporary file of this process.
func tempName() string {
	m := self()
	return fmt.Sprintf("%s%s-%s-%d-%d-%016x%s", tempPrefix, m.host, m.boot, m.pid, m.start, rand.Uint64(), tempSuffix)
}

// parseTemp reports whether name is one that tempName makes, and returns the maker in it. Names of earlier versions of
// the program have no maker; for them it returns the zero value.
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

// isHex reports whether a text consists of n lower-case hexadecimal digits.
func isHex(text string, n int) bool {
	return len(text) == n && strings.Trim(text, "0123456789abcdef") == ""
}
