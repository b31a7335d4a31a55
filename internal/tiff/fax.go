package tiff

import "io"

// faxRows are rows of one bit a pixel, 0 for white, in fax codes: every line as runs (ITU-T T.4, MH), some lines as
// changes from the line before (MR), or all lines as changes (T.6, MMR). A run of 64 or more pixels has one or more
// make-up codes before the code of the rest.
type faxRows struct {
	bits    faxBits
	width   int
	kind    int  // the compression: faxRLE, faxRLEWords, fax3 or fax4
	mixed   bool // MR: a bit after each end-of-line code says if the next line is runs or changes
	damaged func()

	line, before []int // where the colour changes in this line and in the line before, first to black, up to width
}

// newFaxRows returns the rows of data, width pixels wide. Where a line of fax3 breaks off, the rows call damaged, and
// the rest of the line is white. Other compressions fail there, since they have no end-of-line codes at which to go on.
func newFaxRows(l *layout, width int, data []byte, damaged func()) *faxRows {
	const mixed = 1 // a bit of T4Options
	return &faxRows{bits: faxBits{data: data}, width: width, kind: l.compression, mixed: l.fax3Options&mixed != 0,
		damaged: damaged}
}

// next decodes the next line into row. See newFaxRows for damaged lines.
func (f *faxRows) next(row []byte) error {
	f.before, f.line = f.line, f.before[:0] // reuses the memory
	changes := f.kind == fax4
	switch f.kind {
	case faxRLE:
		f.bits.align(8)
	case faxRLEWords:
		f.bits.align(16)
	case fax3:
		found, runs := f.endOfLine()
		changes = f.mixed && found && !runs
	}
	if f.bits.atEnd() {
		return io.ErrUnexpectedEOF
	}
	ok := false
	if changes {
		ok = f.changes()
	} else {
		ok = f.runs()
	}
	if !ok {
		switch {
		case f.bits.atEnd():
			return io.ErrUnexpectedEOF
		case f.kind != fax3:
			return FormatError("it has no fax code where one must be")
		}
		f.damaged() // the rest of the line stays white
		f.skipToEndOfLine()
	}
	f.paint(row)
	return nil
}

// paint draws f.line into row: black pixels from each change to black to the next change, or to the end of the row.
func (f *faxRows) paint(row []byte) {
	clear(row)
	for i := 0; i < len(f.line); i += 2 { // changes with an even index are to black
		lo, hi := f.line[i], f.width
		if i+1 < len(f.line) {
			hi = f.line[i+1]
		}
		for x := lo; x < hi; {
			if x%8 == 0 && hi-x >= 8 {
				row[x/8] = 0xff
				x += 8
				continue
			}
			row[x/8] |= 0x80 >> (x % 8)
			x++
		}
	}
}

// runs reads a line of runs, white and black in turn, into f.line: where each ends. It reports if the line is whole.
func (f *faxRows) runs() bool {
	for x, black := 0, 0; x < f.width; black ^= 1 {
		n, ok := f.bits.run(black)
		if x += n; !ok || x > f.width {
			return false
		}
		f.line = append(f.line, x)
	}
	return true
}

// changes reads a line coded as changes from the line before into f.line. It reports whether the line is complete. A
// code moves a0, the place reached in the line: over a change in the line before (pass), by two runs (horizontal),
// or to a change, which lies up to 3 pixels from the next change in the line before (vertical).
func (f *faxRows) changes() bool {
	at, black, i := -1, 0, 0 // at is a0; black is 1 if the colour there is black; i is where to look for b1
	for at < f.width {
		// b1 is the first change after a0, in the line before, to the colour opposite to the present one.
		for i = max(i-2, 0); i < len(f.before) && (f.before[i] <= at || i%2 != black); {
			i++
		}
		b1, b2 := f.width, f.width
		if i < len(f.before) {
			b1 = f.before[i]
		}
		if i+1 < len(f.before) {
			b2 = f.before[i+1]
		}
		m, ok := f.bits.mode()
		switch {
		case !ok:
			return false
		case m == pass:
			at = b2
		case m == horizontal:
			at = max(at, 0)
			for k := range 2 {
				n, ok := f.bits.run(black ^ k)
				if at += n; !ok || at > f.width {
					return false
				}
				f.line = append(f.line, at)
			}
		default: // vertical, by m pixels
			if b1+m < max(at, 0) || b1+m > f.width {
				return false
			}
			at = b1 + m
			f.line = append(f.line, at)
			black ^= 1
		}
	}
	return true
}

// endOfLine skips the end-of-line codes here: at least eleven zeros and a one. found: there was a code. runs: a line of
// runs follows. Where the file mixes lines of runs and changes, the bit after the last code says so.
func (f *faxRows) endOfLine() (found, runs bool) {
	for f.bits.peek(11) == 0 && !f.bits.atEnd() {
		for f.bits.peek(1) == 0 && !f.bits.atEnd() {
			f.bits.skip(1)
		}
		f.bits.skip(1)
		found, runs = true, true
		if f.mixed {
			runs = f.bits.peek(1) == 1
			f.bits.skip(1)
		}
	}
	return found, runs
}

// skipToEndOfLine moves to the next end-of-line code.
func (f *faxRows) skipToEndOfLine() {
	for f.bits.peek(11) != 0 && !f.bits.atEnd() {
		f.bits.skip(1)
	}
}

// faxBits reads the bits of data, the highest of each byte first. Past the end of data all bits are 0.
type faxBits struct {
	data []byte
	at   int // in bits
}

// peek returns the next n bits, 13 at most.
func (b *faxBits) peek(n int) int {
	v, i := 0, b.at/8
	for k := range 3 {
		v <<= 8
		if i+k < len(b.data) {
			v |= int(b.data[i+k])
		}
	}
	return v >> (24 - b.at%8 - n) & (1<<n - 1)
}

func (b *faxBits) skip(n int) { b.at += n }

func (b *faxBits) atEnd() bool { return b.at >= 8*len(b.data) }

// align moves to the next bit at a multiple of n.
func (b *faxBits) align(n int) { b.at = (b.at + n - 1) / n * n }

// run reads the length of a run of white (0) or black (1) pixels: make-up codes, of 64 pixels or more, and the code of
// the rest. ok is false for an unknown code and where the data end.
func (b *faxBits) run(black int) (n int, ok bool) {
	for {
		c := faxRuns[black][b.peek(13)]
		if c.bits == 0 || b.atEnd() {
			return n, false
		}
		b.skip(int(c.bits))
		if n += int(c.run); c.run < 64 {
			return n, b.at <= 8*len(b.data)
		}
	}
}

// Two modes of a line of changes. The other modes are vertical distances of −3 to 3 pixels.
const (
	pass       = 4
	horizontal = 5
)

// mode reads a mode: pass, horizontal or a vertical distance. ok is false for an unknown code and after the data.
func (b *faxBits) mode() (m int, ok bool) {
	c := faxModes[b.peek(7)]
	if c.bits == 0 || b.atEnd() {
		return 0, false
	}
	b.skip(int(c.bits))
	return int(c.run), b.at <= 8*len(b.data)
}
