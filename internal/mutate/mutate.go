// Package mutate makes damaged picture files for tests. It takes a valid file apart into what
// its format is made of, such as the chunks of a PNG, changes some of them, and puts the file
// together again with correct lengths and checksums, so that a reader gets past its first checks
// to where a mistake would matter. The same number makes the same file.
//
// mutate.go has the mutator, operations.go what is done to a file, formats.go takes files apart and
// puts them together, and guard.go bounds what a reader may take for one file. The valid files are in
// seeds; they come from encoders of the standard library and of libwebp, and from encoders that wrote
// what those cannot, such as animations and metadata. Those of megapixels are packed by gzip.
// The package imports no reader, so that the tests of every reader can import it.
package mutate

import (
	"bytes"
	"compress/gzip"
	"embed"
	"io"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"
)

//go:embed seeds
var folder embed.FS

// File is a valid file.
type File struct {
	// Name tells what it is and ends with the extension of its format, such as animated.png.
	Name string
	Data []byte
}

// Mutant is a changed file.
type Mutant struct {
	// Name is that of the valid file from which it was made.
	Name string
	// Changes says what was done to it, such as "front fcTL, set IHDR+4=65535".
	Changes string
	// Data is the file, of at most 1 MiB.
	Data []byte
}

// String describes a mutant for a message of a test.
func (m Mutant) String() string { return m.Name + ": " + m.Changes }

// maxBytes is the largest size of a mutant, in bytes.
const maxBytes = 1 << 20

// Mutator makes mutants of a set of valid files. It may be used by several goroutines.
type Mutator struct {
	// Seeds are the valid files.
	Seeds []File
}

// New returns a mutator of small valid files of every format and kind.
func New(t testing.TB) *Mutator { return mutatorOf(t, "seeds") }

// NewLarge returns a mutator of valid files of up to three megapixels, of every format.
func NewLarge(t testing.TB) *Mutator { return mutatorOf(t, "seeds/large") }

// mutatorOf returns the mutator of the files in an embedded folder, sorted by name.
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

// Of returns a mutator of those seeds whose names end with one of the given texts.
func (m *Mutator) Of(ends ...string) *Mutator {
	of := &Mutator{}
	for _, s := range m.Seeds {
		if slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(s.Name, end) }) {
			of.Seeds = append(of.Seeds, s)
		}
	}
	return of
}

// Mutant returns mutant n, always the same for one n. Consecutive numbers go through the seeds.
func (m *Mutator) Mutant(n uint64) Mutant {
	seed := m.Seeds[n%uint64(len(m.Seeds))]
	data, changes := m.change(seed.Data, &dice{random: rand.New(rand.NewPCG(n, 0x6d757461))})
	return Mutant{seed.Name, changes, data}
}

// Change returns a file changed as choices say, a byte or more for each decision, for fuzzing:
// small changes of choices are small changes of the file. A file without choices, and one of a
// format that is not known, is returned as it is.
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

// change makes one to four changes of the parts of a file, and sometimes one of the whole.
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
	for range 1 + d.below(2)*d.below(4) {
		done = append(done, m.changePart(root, d))
	}
	if f.settle != nil && d.below(4) > 0 {
		f.settle(root.parts)
		done = append(done, "settle")
	}
	changed = f.join(root.parts)
	if d.below(12) == 0 && len(changed) > 0 {
		var what string
		changed, what = m.changeWhole(f, changed, d)
		done = append(done, what)
	}
	return changed[:min(len(changed), maxBytes)], strings.Join(done, ", ")
}

// dice makes decisions: by bytes that are given, and by chance when these are used up.
type dice struct {
	choices []byte
	random  *rand.Rand
}

// below returns 0 to n-1.
func (d *dice) below(n int) int {
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
