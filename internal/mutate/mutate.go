// Package mutate makes damaged picture files for tests. It takes a valid file apart, a PNG, a WebP or an AVIF into its
// chunks and files of other formats into short pieces, changes some of the parts, and puts the file together again with
// correct lengths and checksums, so that a reader gets past its first checks. The same number gives the same file.
//
// mutate.go contains the mutator, operations.go its changes to a file; formats.go divides files and puts them together.
// Guard bounds the time and memory of a reader for one file. The valid files are in seeds; they come from encoders of
// the standard library, libwebp and libjpeg-turbo, and from special encoders for features that these encoders lack,
// such as animations and metadata. Files of megapixels are packed by gzip. The package imports no reader, so that the
// tests of every reader can import it.
package mutate

import (
	"bytes"
	"compress/gzip"
	"embed"
	"io"
	"math/rand/v2"
	"os"
	"path"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

//go:embed seeds
var folder embed.FS

// File is a valid file.
type File struct {
	Name string // says what the file is, with the extension of its format: animated.png
	Data []byte
}

// Mutant is a changed file.
type Mutant struct {
	Name    string // the name of the valid file it was made from
	Changes string // the changes, such as "front fcTL, set IHDR+4=65535"
	Data    []byte // the content, at most 1 MiB
}

// String describes a mutant, for a message from a test.
func (m Mutant) String() string { return m.Name + ": " + m.Changes }

// maxBytes is the greatest size of a mutant, in bytes.
const maxBytes = 1 << 20

// Mutator makes mutants from a set of valid files. It is safe for concurrent use.
type Mutator struct {
	Seeds []File // the valid files
}

// New returns a mutator for small valid files of every format and kind.
func New(t testing.TB) *Mutator { return mutatorOf(t, "seeds") }

// NewLarge returns a mutator for valid files of every format, with up to three megapixels.
func NewLarge(t testing.TB) *Mutator { return mutatorOf(t, "seeds/large") }

// mutatorOf returns a mutator for the files in the embedded folder dir, sorted by name, with .gz unpacked.
func mutatorOf(t testing.TB, dir string) *Mutator {
	t.Helper()
	m := &Mutator{}
	entries, err := folder.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		data, err := folder.ReadFile(path.Join(dir, e.Name()))
		name, packed := strings.CutSuffix(e.Name(), ".gz")
		if packed {
			var z *gzip.Reader
			if z, err = gzip.NewReader(bytes.NewReader(data)); err == nil {
				data, err = io.ReadAll(z)
			}
		}
		if err != nil {
			t.Fatalf("%s: %v", e.Name(), err)
		}
		m.Seeds = append(m.Seeds, File{name, data})
	}
	return m
}

// Of returns a mutator for the seeds whose names end with one of ends.
func (m *Mutator) Of(ends ...string) *Mutator {
	of := &Mutator{}
	for _, s := range m.Seeds {
		if slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(s.Name, end) }) {
			of.Seeds = append(of.Seeds, s)
		}
	}
	return of
}

// Mutant returns mutant number n, always the same for the same n. Consecutive numbers go through the seeds.
func (m *Mutator) Mutant(n uint64) Mutant {
	seed := m.Seeds[n%uint64(len(m.Seeds))]
	data, changes := m.change(seed.Data, &dice{random: rand.New(rand.NewPCG(n, 0x6d757461))})
	return Mutant{seed.Name, changes, data}
}

// Change returns data after changes that the bytes of choices decide, one or more bytes for each decision. Fuzzing uses
// it: small changes of choices change the file little. If choices is empty or the format unknown, data is unchanged.
func (m *Mutator) Change(data, choices []byte) []byte {
	if len(choices) == 0 {
		return data
	}
	sum := uint64(14695981039346656037) // FNV-1a
	for _, c := range choices {
		sum = (sum ^ uint64(c)) * 1099511628211
	}
	changed, _ := m.change(data, &dice{choices: choices, random: rand.New(rand.NewPCG(sum, 1))})
	return changed
}

// change returns data with one to four changed parts, mostly with the fields that depend on other parts made right,
// and sometimes with a change to the whole file, cut off at maxBytes, as d decides. changes describes this. Data of
// an unknown format, or without a complete part, are returned unchanged.
func (m *Mutator) change(data []byte, d *dice) (changed []byte, changes string) {
	f := formatOf(data)
	if f == nil {
		return data, ""
	}
	root := &part{inner: f, parts: f.split(data)}
	if len(root.parts) == 0 {
		return data, ""
	}
	var done []string
	for range 1 + d.sampleBelow(2)*d.sampleBelow(4) { // mostly once
		done = append(done, m.changePart(root, d))
	}
	if f.settle != nil && d.sampleBelow(4) > 0 {
		f.settle(root.parts)
		done = append(done, "settle")
	}
	changed = f.join(root.parts)
	if d.sampleBelow(12) == 0 && len(changed) > 0 {
		var what string
		changed, what = m.changeWhole(f, changed, d)
		done = append(done, what)
	}
	return changed[:min(len(changed), maxBytes)], strings.Join(done, ", ")
}

// dice makes decisions: from a list of bytes, and at random when all bytes are used.
type dice struct {
	choices []byte
	random  *rand.Rand
}

// sampleBelow returns a number in [0, n), from as many of the choices as n needs or, once used up, at random.
func (d *dice) sampleBelow(n int) int {
	if len(d.choices) == 0 {
		return d.random.IntN(n)
	}
	v := 0
	for most := 1; most < n && len(d.choices) > 0; most <<= 8 {
		v = v<<8 | int(d.choices[0])
		d.choices = d.choices[1:]
	}
	return v % n
}

// Files returns the number of mutants that a test should make: usual, or the number in the environment variable
// SUPERRES_MUTATED, which is for long runs.
func Files(usual uint64) uint64 {
	if n, err := strconv.ParseUint(os.Getenv("SUPERRES_MUTATED"), 10, 64); err == nil && n > 0 {
		return n
	}
	return usual
}

// MostTime is the longest time a reader may take for one mutant: far more than any reader needs. Only the time limit
// of go test stops a reader that never ends.
const MostTime = 10 * time.Second

// Guard runs a reader on one file and waits for it, however long it takes. It fails the test, with name as the name
// of the file, if the reader panics, has taken longer than MostTime, or has allocated more than limit bytes in total,
// freed or not. Other goroutines must not allocate meanwhile. It returns the bytes allocated, or 0 after a panic.
func Guard(t testing.TB, name string, limit int64, read func()) (allocated int64) {
	t.Helper()
	began, before := time.Now(), allocations()
	defer func() {
		t.Helper()
		if p := recover(); p != nil {
			t.Errorf("%s: a panic: %v\n%s", name, p, debug.Stack())
			return
		}
		if took := time.Since(began); took > MostTime {
			t.Errorf("%s: took %v, expected at most %v", name, took, MostTime)
		}
		if allocated = int64(allocations() - before); allocated > limit {
			t.Errorf("%s: allocated %d bytes, expected at most %d", name, allocated, limit)
		}
	}()
	read()
	return 0 // the deferred function sets allocated
}

// allocations returns the number of bytes that this process has allocated so far.
func allocations() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
