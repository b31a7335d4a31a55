package mutate

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// operation changes one part of a list, or its place. It says what it did, "" for nothing.
type operation func(m *Mutator, f *format, holder *part, i int, d *dice) string

// operations are all of them; those that are here twice are twice as frequent.
var operations = []operation{
	swap, repeat, drop, moveToFront, moveToFront, moveToBack, splice, splice, rename, setNumber, setNumber, setNumber,
	setNumber, lie, spoil, cut, grow, flip, flip, multiply,
}

// operate changes one part of a file.
func (m *Mutator) operate(f *format, root *part, d *dice) string {
	for range 8 { // until something can be done
		holder, inner := root, f
		for {
			i := d.below(len(holder.parts))
			if p := &holder.parts[i]; p.inner != nil && len(p.parts) > 0 && d.below(3) > 0 {
				holder, inner = p, p.inner
				continue
			}
			if what := operations[d.below(len(operations))](m, inner, holder, i, d); what != "" {
				return what
			}
			break
		}
		if len(root.parts) == 0 {
			break
		}
	}
	return "nothing"
}

// operateWhole changes a file that is put together.
func (m *Mutator) operateWhole(f *format, data []byte, d *dice) ([]byte, string) {
	if len(data) == 0 {
		return data, "nothing"
	}
	switch d.below(4) {
	case 0:
		n := d.below(len(data))
		return data[:n], fmt.Sprintf("truncate to %d", n)
	case 1:
		return append(data, data...), "twice"
	case 2:
		if other := m.other(f, d); other != nil {
			at := d.below(min(len(data), len(other)))
			return append(bytes.Clone(data[:at]), other[at:]...), fmt.Sprintf("goes on as another from %d", at)
		}
	}
	data = bytes.Clone(data)
	at := d.below(len(data))
	data[at] ^= byte(1 + d.below(255))
	return data, fmt.Sprintf("flip %d", at)
}

// other returns a valid file of a format, nil where there is none.
func (m *Mutator) other(f *format, d *dice) []byte {
	if len(m.Seeds) == 0 {
		return nil
	}
	for range 16 {
		s := m.Seeds[d.below(len(m.Seeds))]
		if f.is != nil && f.is(s.Data) {
			return s.Data
		}
	}
	return nil
}

func swap(_ *Mutator, _ *format, h *part, i int, d *dice) string {
	j := d.below(len(h.parts))
	if i == j {
		return ""
	}
	h.parts[i], h.parts[j] = h.parts[j], h.parts[i]
	return fmt.Sprintf("swap %s %s", h.parts[j].kind, h.parts[i].kind)
}

// insert puts a copy of a part before place i of a list.
func (p *part) insert(i int, q part) {
	p.parts = append(p.parts[:i:i], append([]part{q.clone()}, p.parts[i:]...)...)
}

func repeat(_ *Mutator, _ *format, h *part, i int, d *dice) string {
	at := d.below(len(h.parts) + 1)
	kind := h.parts[i].kind
	h.insert(at, h.parts[i])
	return fmt.Sprintf("repeat %s", kind)
}

// multiply repeats a part many times.
func multiply(_ *Mutator, _ *format, h *part, i int, d *dice) string {
	q := h.parts[i]
	n := 2 << d.below(9)
	if n*(len(q.content())+16) > mostBytes/4 || len(h.parts) > 2000 {
		return ""
	}
	list := append([]part(nil), h.parts[:i]...)
	for range n {
		list = append(list, q.clone())
	}
	h.parts = append(list, h.parts[i:]...)
	return fmt.Sprintf("%d times %s", n, q.kind)
}

func drop(_ *Mutator, _ *format, h *part, i int, _ *dice) string {
	if len(h.parts) < 2 {
		return ""
	}
	kind := h.parts[i].kind
	h.parts = append(h.parts[:i:i], h.parts[i+1:]...)
	return "drop " + kind
}

// move puts a part to another place of its list.
func move(h *part, i, to int) {
	p := h.parts[i]
	rest := append(h.parts[:i:i], h.parts[i+1:]...)
	h.parts = append(rest[:to:to], append([]part{p}, rest[to:]...)...)
}

// moveToFront puts a part first, or behind the first, which is the signature in many formats.
func moveToFront(_ *Mutator, _ *format, h *part, i int, d *dice) string {
	to := 0
	if len(h.parts) > 1 && d.below(8) > 0 {
		to = 1
	}
	if i <= to {
		return ""
	}
	kind := h.parts[i].kind
	move(h, i, to)
	return "front " + kind
}

func moveToBack(_ *Mutator, _ *format, h *part, i int, d *dice) string {
	to := len(h.parts) - 1
	if d.below(2) > 0 {
		to--
	}
	if i >= to {
		return ""
	}
	kind := h.parts[i].kind
	move(h, i, to)
	return "back " + kind
}

// splice puts a part of another file of the format into this one, or ends this one as the other.
func splice(m *Mutator, f *format, h *part, i int, d *dice) string {
	other := m.other(f, d)
	if other == nil {
		return ""
	}
	parts := f.split(other)
	if len(parts) == 0 {
		return ""
	}
	j := d.below(len(parts))
	if d.below(3) == 0 {
		h.parts = append(h.parts[:i:i], clones(parts[j:])...)
		if len(h.parts) == 0 {
			h.parts = clones(parts)
		}
		return "end as another from " + parts[j].kind
	}
	h.insert(i, parts[j])
	return "insert " + parts[j].kind
}

// rename gives a part the kind of another in its list.
func rename(_ *Mutator, f *format, h *part, i int, d *dice) string {
	j := d.below(len(h.parts))
	p := &h.parts[i]
	if p.kind == h.parts[j].kind || f.text {
		return ""
	}
	before := p.kind
	p.kind, p.fields = h.parts[j].kind, h.parts[j].fields
	return fmt.Sprintf("rename %s to %s", before, p.kind)
}

// extremes are numbers at the borders of types and of limits.
var extremes = []uint32{
	0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 100, 127, 128, 255, 256, 4095, 4096, 7071, 16383, 16384, 32767, 32768, 50_000, 65535,
	65536, 1<<24 - 1, 1 << 24, 1<<30 - 1, 1 << 30, math.MaxInt32 - 1, math.MaxInt32, 1 << 31, math.MaxUint32 - 1,
	math.MaxUint32,
}

// setNumber sets a number in a part to an extreme one, to a multiple, or to the next.
func setNumber(_ *Mutator, f *format, h *part, i int, d *dice) string {
	p := &h.parts[i]
	if f.text {
		return setDigits(p, d)
	}
	if len(p.fields) == 0 {
		return ""
	}
	number := p.fields[d.below(len(p.fields))]
	v := number.get(p.body)
	switch d.below(8) {
	case 0:
		v++
	case 1:
		v--
	case 2:
		v *= 2
	case 3:
		v += uint32(d.below(256))
	default:
		v = extremes[d.below(len(extremes))]
	}
	p.body = bytes.Clone(p.body)
	number.put(p.body, v)
	p.touched = true
	return fmt.Sprintf("set %s+%d=%d", p.kind, number.at, v)
}

// setDigits sets a number that is written in digits.
func setDigits(p *part, d *dice) string {
	at := bytes.IndexAny(p.body, "0123456789")
	if at < 0 || p.kind == "FRAME" {
		return ""
	}
	text := strconv.FormatUint(uint64(extremes[d.below(len(extremes))]), 10)
	switch d.below(8) {
	case 0:
		text = "-" + text
	case 1:
		text = strings.Repeat("9", 1+d.below(64))
	case 2:
		text = ""
	}
	end := at
	for end < len(p.body) && p.body[end] >= '0' && p.body[end] <= '9' {
		end++
	}
	before := string(p.body)
	p.body = append(append(bytes.Clone(p.body[:at]), text...), p.body[end:]...)
	return fmt.Sprintf("set %.12s to %.12s", before, p.body)
}

// lie makes a part say another length, or another place.
func lie(_ *Mutator, _ *format, h *part, i int, d *dice) string {
	p := &h.parts[i]
	v := extremes[d.below(len(extremes))]
	if d.below(2) > 0 {
		v = uint32(len(p.body) + d.below(9) - 4)
	}
	p.lie = &v
	return fmt.Sprintf("lie %s=%d", p.kind, v)
}

func spoil(_ *Mutator, f *format, h *part, i int, _ *dice) string {
	if f != pngFormat {
		return ""
	}
	h.parts[i].spoiled = true
	return "spoil " + h.parts[i].kind
}

// cut shortens a part.
func cut(_ *Mutator, _ *format, h *part, i int, d *dice) string {
	p := &h.parts[i]
	if len(p.body) == 0 {
		return ""
	}
	p.body = p.body[:d.below(len(p.body)):len(p.body)]
	return fmt.Sprintf("cut %s to %d", p.kind, len(p.body))
}

// grow makes a part longer.
func grow(_ *Mutator, _ *format, h *part, i int, d *dice) string {
	p := &h.parts[i]
	n := 1 << d.below(12)
	more := bytes.Repeat([]byte{byte(d.below(256))}, n)
	if d.below(2) > 0 {
		p.body = append(bytes.Clone(p.body), more...)
	} else {
		at := d.below(len(p.body) + 1)
		p.body = append(bytes.Clone(p.body[:at]), append(more, p.body[at:]...)...)
	}
	return fmt.Sprintf("grow %s by %d", p.kind, n)
}

// flip changes some bytes of a part.
func flip(_ *Mutator, _ *format, h *part, i int, d *dice) string {
	p := &h.parts[i]
	if len(p.body) == 0 {
		return ""
	}
	p.body = bytes.Clone(p.body)
	at := 0
	for range 1 + d.below(4) {
		at = d.below(len(p.body))
		p.body[at] ^= byte(1 + d.below(255))
	}
	return fmt.Sprintf("flip %s+%d", p.kind, at)
}
