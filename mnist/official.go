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

// officialSums are the SHA-256 sums of the unpacked contents of the four MNIST files.
var officialSums = []struct{ name, sum string }{
	{"train-images-idx3-ubyte", "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db"},
	{"train-labels-idx1-ubyte", "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5"},
	{"t10k-images-idx3-ubyte", "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7"},
	{"t10k-labels-idx1-ubyte", "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2"},
}

// ErrUnofficial is wrapped by the warning of [Verify] about a file that is named like one of MNIST's four files but has
// other content: a similar data set such as Fashion-MNIST, a selection, or damage that left the format valid.
var ErrUnofficial = errors.New("not the official MNIST file of this name")

// Verify returns which of MNIST's four files a regular file is: the official name without ".gz", or "" for none. It
// decides by the SHA-256 sum of the unpacked bytes, which it also returns, not by the name. Indices such as those of
// [Table1] are valid only in these four files. If the file is named like one of the four but has other content, the
// error wraps ErrUnofficial. Such an error is only a warning: the results are valid nevertheless.
func Verify(name string) (which string, sum [sha256.Size]byte, err error) {
	f, err := openRegular(name)
	if err != nil {
		return "", sum, fmt.Errorf("mnist: %w", err)
	}
	defer f.Close()
	h := sha256.New()
	r, err := unpack(f)
	if err == nil {
		_, err = io.Copy(h, r)
	}
	if err != nil {
		return "", sum, fmt.Errorf("mnist: %s: %w", name, err)
	}
	sum = [sha256.Size]byte(h.Sum(nil))
	digits := hex.EncodeToString(sum[:])
	// Unpacked files are often called t10k-images.idx3-ubyte.
	claim := strings.Replace(strings.TrimSuffix(filepath.Base(name), ".gz"), ".idx", "-idx", 1)
	claimed := ""
	for _, f := range officialSums {
		if f.sum == digits {
			which = f.name
		}
		if f.name == claim {
			claimed = f.sum
		}
	}
	if claimed == "" || claimed == digits {
		return which, sum, nil
	}
	holds := ""
	if which != "" {
		holds = " and belongs to " + which
	}
	return which, sum, fmt.Errorf("mnist: %s: %w: the SHA-256 of what it unpacks to is %s…%s, expected %s…",
		name, ErrUnofficial, digits[:16], holds, claimed[:16])
}
