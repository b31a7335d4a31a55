package mnist

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// The SHA-256 sums of the four MNIST files as distributed, and of what they unpack to: a file that was unpacked and
// packed again keeps only the latter.
var officialSums = []struct{ name, sum string }{
	{"train-images-idx3-ubyte.gz", "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"},
	{"train-labels-idx1-ubyte.gz", "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"},
	{"t10k-images-idx3-ubyte.gz", "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"},
	{"t10k-labels-idx1-ubyte.gz", "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"},
	{"train-images-idx3-ubyte", "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"},
	{"train-labels-idx1-ubyte", "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"},
	{"t10k-images-idx3-ubyte", "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"},
	{"t10k-labels-idx1-ubyte", "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"},
}

// Official returns which of MNIST's four files has the SHA-256 sum sum: "train-images-idx3-ubyte.gz", for example, as
// distributed or, without ".gz", unpacked. ok is false for any other file. Indices such as [Table1]'s are valid
// only in these.
func Official(sum [sha256.Size]byte) (which string, ok bool) {
	s := hex.EncodeToString(sum[:])
	for _, f := range officialSums {
		if f.sum == s {
			return f.name, true
		}
	}
	return "", false
}

// FileSum returns the SHA-256 sum of the bytes of a regular file, packed or not.
func FileSum(name string) (sum [sha256.Size]byte, err error) {
	f, err := openRegular(name)
	if err != nil {
		return sum, fmt.Errorf("mnist: %w", err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return sum, fmt.Errorf("mnist: %w", err)
	}
	return [sha256.Size]byte(h.Sum(nil)), nil
}

// ErrUnofficial is wrapped by the warning of [Verify] about a file that has the name of one of MNIST's four but other
// content: a similar data set such as Fashion-MNIST, a selection, or damage that left the format valid.
var ErrUnofficial = errors.New("not the official MNIST file of this name")

// Verify returns which of MNIST's four files a regular file holds: its name without ".gz", or "" for none. It decides
// by the SHA-256 sum of the unpacked bytes, not by the name. If the file has the name of another of the four, the error
// wraps ErrUnofficial. That is a warning: the result which is valid nevertheless.
func Verify(name string) (which string, err error) {
	f, err := openRegular(name)
	if err != nil {
		return "", fmt.Errorf("mnist: %w", err)
	}
	defer f.Close()
	r, err := unpack(f)
	if err != nil {
		return "", fmt.Errorf("mnist: %s: %w", name, err)
	}
	h := sha256.New()
	if _, err := io.Copy(h, r); err != nil {
		return "", fmt.Errorf("mnist: %s: %w", name, err)
	}
	sum := hex.EncodeToString(h.Sum(nil))
	// Unpacked files are often called t10k-images.idx3-ubyte.
	claim := strings.Replace(strings.TrimSuffix(filepath.Base(name), ".gz"), ".idx", "-idx", 1)
	claimed := ""
	for _, f := range officialSums {
		if f.sum == sum {
			which = f.name
		}
		if f.name == claim {
			claimed = f.sum
		}
	}
	if claimed == "" || claimed == sum {
		return which, nil
	}
	holds := ""
	if which != "" {
		holds = " and belongs to " + which
	}
	return which, fmt.Errorf("mnist: %s: %w: the SHA-256 of what it unpacks to is %s…%s, expected %s…",
		name, ErrUnofficial, sum[:16], holds, claimed[:16])
}
