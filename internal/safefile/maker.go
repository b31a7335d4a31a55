package safefile

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
)

// maker is the process that made a temporary file, as the name of the file says.
type maker struct {
	host    string // a hash of the name of the machine
	process string // a random number
}

// self is the maker that this process is.
var self = func() maker {
	name, _ := os.Hostname() // without one, the machines without are as one
	sum := sha256.Sum256([]byte(name))
	return maker{hex.EncodeToString(sum[:4]), fmt.Sprintf("%08x", rand.Uint32())}
}()

// The names of temporary files are the prefix, the two fields of the maker and 8 random hexadecimal digits, with dashes
// between, and the suffix.
const (
	tempPrefix = ".superres-"
	tempSuffix = ".tmp"
)

// tempName returns a new name for a temporary file of this process.
func tempName() string {
	return fmt.Sprintf("%s%s-%s-%08x%s", tempPrefix, self.host, self.process, rand.Uint32(), tempSuffix)
}

// parseTemp reports whether name is one that tempName makes, and returns the maker in it.
func parseTemp(name string) (by maker, ok bool) {
	text, ok1 := strings.CutPrefix(name, tempPrefix)
	text, ok2 := strings.CutSuffix(text, tempSuffix)
	fields := strings.Split(text, "-")
	if !ok1 || !ok2 || len(fields) != 3 {
		return maker{}, false
	}
	for _, f := range fields {
		if len(f) != 8 || strings.Trim(f, "0123456789abcdef") != "" {
			return maker{}, false
		}
	}
	return maker{fields[0], fields[1]}, true
}
