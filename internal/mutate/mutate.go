// Package mutate makes damaged picture files for tests. It takes a valid file apart into what
// its format is made of, such as the chunks of a PNG, changes some of them, and puts the file
// together again with correct lengths and checksums, so that a reader gets past its first checks
// to where a mistake would matter. The same choices make the same file.
//
// mutate.go has the types, operations.go what is done to a file, and png.go, gif.go, webp.go,
// tiff.go, jpeg.go, y4m.go and bmp.go take the formats apart; seeds.go makes the valid files.
// The package imports no reader, so that the tests of every reader can import it.
package mutate

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

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

// mostBytes is how large a mutant becomes at most, in bytes.
const mostBytes = 1 << 20

// Mutator makes mutants of a set of valid files. It may be used by several goroutines.
type Mutator struct {
	// Seeds are the valid files.
	Seeds []File
}

// New returns a mutator of small valid files of every format and kind.
func New(t testing.TB) *Mutator {
	t.Helper()
	return &Mutator{Seeds: seeds(t)}
}

// NewLarge returns a mutator of valid files of up to three megapixels, of every format.
func NewLarge(t testing.TB) *Mutator {
	t.Helper()
	return &Mutator{Seeds: large(t)}
}

// Of returns the mutator of those seeds alone whose names end with one of the extensions.
func (m *Mutator) Of(extensions ...string) *Mutator {
	of := &Mutator{}
	for _, s := range m.Seeds {
		for _, e := range extensions {
			if strings.HasSuffix(s.Name, e) {
				of.Seeds = append(of.Seeds, s)
			}
		}
	}
	return of
}

// Mutant returns mutant n, always the same for one n. Consecutive numbers go through the seeds.
func (m *Mutator) Mutant(n uint64) Mutant {
	seed := m.Seeds[n%uint64(len(m.Seeds))]
	d := &dice{random: rand.New(rand.NewPCG(n, 0x6d757461))}
	data, changes := m.change(seed.Data, d)
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

// change makes one to four changes of a file.
func (m *Mutator) change(data []byte, d *dice) (changed []byte, changes string) {
	f := formatOf(data)
	if f == nil {
		return data, ""
	}
	root := &part{parts: f.split(data)}
	if len(root.parts) == 0 {
		return data, ""
	}
	var done []string
	for range 1 + d.below(2)*d.below(4) {
		done = append(done, m.operate(f, root, d))
	}
	if f.settle != nil && d.below(4) > 0 {
		f.settle(root.parts)
		done = append(done, "settle")
	}
	changed = f.join(root.parts)
	if d.below(12) == 0 {
		var what string
		changed, what = m.operateWhole(f, changed, d)
		done = append(done, what)
	}
	return changed[:min(len(changed), mostBytes)], strings.Join(done, ", ")
}

// part is a piece of a file.
type part struct {
	// kind is what the format calls it, such as IDAT.
	kind string
	// body is its content, without its length and checksum where the format has these.
	body []byte
	// inner is the format of the parts inside of it, which follow body; nil: it has none.
	inner *format
	parts []part
	// fields are the numbers in body.
	fields []field
	// lie, if any, is written where the format has a length or an offset.
	lie *uint32
	// spoiled tells that its checksum is to be wrong.
	spoiled bool
	// touched tells that a number of it was set, and is not to be corrected.
	touched bool
}

// clone returns a copy that shares nothing with p.
func (p part) clone() part {
	p.body = bytes.Clone(p.body)
	p.parts = clones(p.parts)
	return p
}

func clones(list []part) []part {
	var all []part
	for _, p := range list {
		all = append(all, p.clone())
	}
	return all
}

// content returns body with what is inside of the part.
func (p part) content() []byte {
	if p.inner == nil {
		return p.body
	}
	return append(bytes.Clone(p.body), p.inner.join(p.parts)...)
}

// field is a number in the body of a part.
type field struct {
	at, size int
	order    binary.ByteOrder
}

// format is how files of a kind are taken apart and put together.
type format struct {
	// extension is that of its files.
	extension string
	// is tells whether a file begins as one of the format.
	is func(data []byte) bool
	// split takes a file apart. What cannot be taken apart is one part, or left out.
	split func(data []byte) []part
	// join is the way back.
	join func([]part) []byte
	// settle, if any, corrects what parts say of one another.
	settle func([]part)
	// text tells that numbers are written in digits.
	text bool
}

// formats are those that are known.
func formats() []*format {
	return []*format{pngFormat, gifFormat, webpFormat, tiffFormat, jpegFormat, y4mFormat, bmpFormat}
}

// formatOf returns the format of a file; nil: none that is known.
func formatOf(data []byte) *format {
	for _, f := range formats() {
		if f.is(data) {
			return f
		}
	}
	return nil
}

// begins makes the test of a format whose files begin with a text.
func begins(magic string) func([]byte) bool {
	return func(data []byte) bool { return len(data) >= len(magic) && string(data[:len(magic)]) == magic }
}

// put writes the low bytes of a number, as many as a field has and as the body has room for.
func (f field) put(body []byte, v uint32) {
	for i := range f.size {
		shift := 8 * i
		if f.order == binary.ByteOrder(binary.BigEndian) {
			shift = 8 * (f.size - 1 - i)
		}
		if at := f.at + i; at < len(body) {
			body[at] = byte(v >> shift)
		}
	}
}

// get reads a number.
func (f field) get(body []byte) (v uint32) {
	for i := range f.size {
		shift := 8 * i
		if f.order == binary.ByteOrder(binary.BigEndian) {
			shift = 8 * (f.size - 1 - i)
		}
		if at := f.at + i; at < len(body) {
			v |= uint32(body[at]) << shift
		}
	}
	return v
}

// fieldsOf makes fields of one byte order from pairs of place and size.
func fieldsOf(order binary.ByteOrder, pairs ...int) (list []field) {
	for ; len(pairs) > 0; pairs = pairs[2:] {
		list = append(list, field{pairs[0], pairs[1], order})
	}
	return list
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

func (p part) String() string { return fmt.Sprintf("%q", p.kind) }
