package mutate

import (
	"bytes"
	"fmt"
	"math"
	"slices"
)

// site is the place where an operation works: part i among the parts of holder, which all have one format.
type site struct {
	m      *Mutator
	holder *part
	i      int
	*dice
}

// operations are all ways to change one part of a file, such as a chunk: move it, write a wrong length (lie) or
// checksum (spoil), shorten it (cut) … Each returns a description of the change, or "" if it changed nothing. An
// operation listed twice is twice as frequent.
var operations = []func(site) string{
	site.swap, site.repeat, site.repeat, site.drop, site.move, site.move, site.move, site.splice, site.splice,
	site.rename, site.setNumber, site.setNumber, site.setNumber, site.setNumber, site.lie, site.spoil, site.cut,
	site.grow, site.flip, site.flip,
}

// changePart changes one part inside root, at any depth, and returns a description of the change.
func (m *Mutator) changePart(root *part, d *dice) string {
	for range 8 { // until an operation changes something
		s := site{m, root, d.sampleBelow(len(root.parts)), d}
		for inner := s.part(); len(inner.parts) > 0 && d.sampleBelow(3) > 0; inner = s.part() {
			s.holder, s.i = inner, d.sampleBelow(len(inner.parts))
		}
		if what := operations[d.sampleBelow(len(operations))](s); what != "" {
			return what
		}
	}
	return "nothing"
}

// changeWhole returns the file data after one change, and a description of the change: a byte is changed, or the file
// is cut off, doubled, or continued from some offset on as another valid file of format f.
func (m *Mutator) changeWhole(f *format, data []byte, d *dice) ([]byte, string) {
	switch at := d.sampleBelow(len(data)); d.sampleBelow(4) {
	case 0:
		return data[:at], fmt.Sprintf("truncate to %d", at)
	case 1:
		return append(data, data...), "twice"
	case 2:
		if other := m.other(f, d); at < len(other) {
			return append(bytes.Clone(data[:at]), other[at:]...), fmt.Sprintf("goes on as another from %d", at)
		}
		fallthrough
	default:
		data = bytes.Clone(data)
		data[at] ^= byte(1 + d.sampleBelow(255))
		return data, fmt.Sprintf("flip %d", at)
	}
}

// other draws up to 16 valid files, and returns the first of the format f, or nil if none is.
func (m *Mutator) other(f *format, d *dice) []byte {
	for range min(16, 16*len(m.Seeds)) { // 16 times, or not once if there are no seeds
		if s := m.Seeds[d.sampleBelow(len(m.Seeds))]; f.is != nil && f.is(s.Data) {
			return s.Data
		}
	}
	return nil
}

func (s site) part() *part { return &s.holder.parts[s.i] }

// body returns the body of the part, copied so that it may be changed.
func (s site) body() []byte {
	p := s.part()
	p.body = bytes.Clone(p.body)
	return p.body
}

// swap exchanges the part with another in its list, or returns "" if it draws the part itself.
func (s site) swap() string {
	list, j := s.holder.parts, s.sampleBelow(len(s.holder.parts))
	if s.i == j {
		return ""
	}
	list[s.i], list[j] = list[j], list[s.i]
	return fmt.Sprintf("swap %s %s", list[j].kind, list[s.i].kind)
}

// repeat inserts a copy of the part anywhere in its list, or 2, 4, 8 … or 512 before it, unless that would be too much.
func (s site) repeat() string {
	p, n, to := s.part().clone(), 1, s.sampleBelow(len(s.holder.parts)+1)
	if s.sampleBelow(2) > 0 {
		n, to = 2<<s.sampleBelow(9), s.i
	}
	if n*(len(p.content())+16) > maxBytes/4 || len(s.holder.parts) > 2000 {
		return ""
	}
	var copies []part
	for range n {
		copies = append(copies, p.clone())
	}
	s.holder.parts = slices.Insert(s.holder.parts, to, copies...)
	return fmt.Sprintf("repeat %s %d times", p.kind, n)
}

func (s site) drop() string {
	if len(s.holder.parts) < 2 {
		return ""
	}
	return "drop " + s.take().kind
}

// take removes the part from its list.
func (s site) take() part {
	p := *s.part()
	s.holder.parts = slices.Delete(s.holder.parts, s.i, s.i+1)
	return p
}

// move moves the part to one of the first two or last two places of its list, and returns "" if that changes nothing.
func (s site) move() string {
	to, where := min(1, s.sampleBelow(8)), "front " // seldom before the first part, which is the signature
	if s.sampleBelow(3) == 0 {
		to, where = len(s.holder.parts)-1-s.sampleBelow(2), "back "
	}
	if to < 0 || s.i == to {
		return ""
	}
	p := s.take()
	s.holder.parts = slices.Insert(s.holder.parts, min(to, len(s.holder.parts)), p)
	return where + p.kind
}

// splice inserts a part from another file of the format, or replaces the part and all after it by that file's end.
func (s site) splice() string {
	f := s.holder.inner
	other := s.m.other(f, s.dice)
	if other == nil {
		return ""
	}
	parts := f.split(other)
	j := s.sampleBelow(len(parts))
	if s.sampleBelow(3) == 0 {
		s.holder.parts = append(s.holder.parts[:s.i], parts[j:]...)
		return "end as another from " + parts[j].kind
	}
	s.holder.parts = slices.Insert(s.holder.parts, s.i, parts[j])
	return "insert " + parts[j].kind
}

// rename gives a part the kind of another part in its list, or returns "" if that changes nothing in the file.
func (s site) rename() string {
	p, kind := s.part(), s.holder.parts[s.sampleBelow(len(s.holder.parts))].kind
	before := p.kind
	if p.kind = kind; before == kind || s.holder.inner.hasNoKinds {
		p.kind = before
		return ""
	}
	return fmt.Sprintf("rename %s to %s", before, kind)
}

// extremes are numbers at the boundaries of types and limits.
var extremes = []uint32{
	0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 100, 127, 128, 255, 256, 4095, 4096, 7071, 16383, 16384, 32767, 32768, 50_000,
	65535, 65536, 1<<24 - 1, 1 << 24, 1<<30 - 1, 1 << 30, math.MaxInt32 - 1, math.MaxInt32, 1 << 31, math.MaxUint32 - 1,
	math.MaxUint32,
}

func (s site) sampleExtreme() uint32 { return extremes[s.sampleBelow(len(extremes))] }

// setNumber changes a number of 1, 2 or 4 bytes near the start of a part, where headers have numbers: to an extreme, to
// twice its value, or to a number nearby.
func (s site) setNumber() string {
	f, p, size := s.holder.inner, s.part(), 1<<s.sampleBelow(3)
	const header = 28
	places := min(len(p.body), header) - size + 1
	if places < 1 {
		return ""
	}
	at := s.sampleBelow(places)
	if s.sampleBelow(4) > 0 { // most numbers begin at a multiple of their size
		at -= at % size
	}
	number := s.body()[at : at+size]
	v := f.number(number)
	switch s.sampleBelow(8) {
	case 0:
		v++
	case 1:
		v--
	case 2:
		v *= 2
	case 3:
		v += uint32(s.sampleBelow(256))
	default:
		v = s.sampleExtreme()
	}
	f.putNumber(number, v)
	return fmt.Sprintf("set %s+%d=%d", p.kind, at, v)
}

// lie has an extreme number written as the length of the part, or one at most 4 away from the length of its body.
func (s site) lie() string {
	if !s.holder.inner.hasLengths {
		return ""
	}
	p, v := s.part(), s.sampleExtreme()
	if s.sampleBelow(2) > 0 {
		v = uint32(len(p.body) + s.sampleBelow(9) - 4)
	}
	p.lie = &v
	return fmt.Sprintf("lie %s=%d", p.kind, v)
}

// spoil gives a part a wrong checksum, if parts of the format have checksums.
func (s site) spoil() string {
	s.part().isSpoiled = s.holder.inner.hasSum
	if !s.part().isSpoiled {
		return ""
	}
	return "spoil " + s.part().kind
}

// cut shortens a part, perhaps to no bytes, or returns "" if it has none.
func (s site) cut() string {
	p := s.part()
	if len(p.body) == 0 {
		return ""
	}
	p.body = p.body[:s.sampleBelow(len(p.body))]
	return fmt.Sprintf("cut %s to %d", p.kind, len(p.body))
}

// grow inserts 1, 2, 4 … or 2,048 equal bytes in a part or at its end.
func (s site) grow() string {
	p, n := s.part(), 1<<s.sampleBelow(12)
	at := len(p.body)
	if s.sampleBelow(2) > 0 {
		at = s.sampleBelow(at + 1)
	}
	p.body = slices.Concat(p.body[:at], bytes.Repeat([]byte{byte(s.sampleBelow(256))}, n), p.body[at:])
	return fmt.Sprintf("grow %s by %d", p.kind, n)
}

// flip changes up to four bytes in a part. The description names only the last.
func (s site) flip() string {
	body, at := s.body(), 0 // the part's body, now a copy, which may be changed
	if len(body) == 0 {
		return "" // nothing was changed
	}
	for range 1 + s.sampleBelow(4) {
		at = s.sampleBelow(len(body))
		body[at] ^= byte(1 + s.sampleBelow(255))
	}
	return fmt.Sprintf("flip %s+%d", s.part().kind, at)
}
