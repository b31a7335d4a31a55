package imagefile

import (
	"image"
	"image/color"
	"io"
	"math/bits"
	"sync"

	"superres/internal/parallel"
	"superres/internal/picture"
	"superres/internal/quantiser"
)

// encodeJPEG writes a baseline JPEG, ITU-T T.81, with the tables in its annex K and all colours at full resolution
// (4:4:4), while image/jpeg halves the resolution of colour. A grey picture has one component.
//
// For a block of 8×8 samples x, it computes the orthonormal cosine transform F = C·x·Cᵀ, divides it by the quantisation
// table and rounds it. The coefficients are written in zigzag order with Huffman codes: the first as the difference
// from the first of the previous block, the others with the lengths of the runs of zeros before them. Only integers are
// used, so that every machine writes the same bytes. Restart markers separate the rows of blocks, so that several rows
// can be packed at the same time.
func encodeJPEG(w io.Writer, img image.Image, opt EncodeOptions) error {
	b := img.Bounds()
	j, err := beginJPEG(w, b.Dx(), b.Dy(), opt.Quality, picture.IsGrey(img), func() image.Image { return img })
	if err != nil {
		return err
	}
	return j.pack(j.count.of)
}

// jpegFile is a JPEG that is written chunk by chunk. A chunk is one row of blocks.
type jpegFile struct {
	w          io.Writer
	tables     *jpegTables
	components int
	count      chunks
	next       func() image.Image // returns a picture whose first row is the first of the next chunk
}

// beginJPEG writes the header of the file to w, and returns a writer for the pixels. pack calls next for the rows.
func beginJPEG(w io.Writer, width, height, quality int, grey bool, next func() image.Image) (*jpegFile, error) {
	j := &jpegFile{w: w, tables: newJPEGTables(quality), components: 3, count: chunks{rows: 8, of: (height + 7) / 8},
		next: next}
	if grey {
		j.components = 1
	}
	_, err := w.Write(j.tables.header(width, height, j.components))
	return j, err
}

func (j *jpegFile) chunks() *chunks { return &j.count }

// end writes nothing: pack has written the end of the file with the last chunk.
func (j *jpegFile) end() error { return nil }

// pack compresses and writes the next n rows of blocks, from the picture that j.next returns.
func (j *jpegFile) pack(n int) error {
	img, first := j.next(), j.count.written
	j.count.written += n
	return parallel.Ordered(n, func(i int) *jpegRow {
		r := jpegRows.Get().(*jpegRow)
		r.tables = j.tables
		r.pack(img, 8*i, j.components)
		i += first
		if marker := byte(0xd0 + i%8); i+1 < j.count.of { // a restart marker or, in the last row, the end marker
			r.out = append(r.out, 0xff, marker)
		} else {
			r.out = append(r.out, 0xff, 0xd9)
		}
		return r
	}, func(r *jpegRow) error {
		_, err := j.w.Write(r.out)
		jpegRows.Put(r)
		return err
	})
}

// jpegRow compresses one row of blocks.
type jpegRow struct {
	tables  *jpegTables
	samples []int32 // eight rows of every component
	out     []byte
	bits    uint32 // bits not yet in out, from the most significant on
	n       uint   // number of bits in bits
}

// jpegRows keeps the memory of jpegRow values for reuse.
var jpegRows = sync.Pool{New: func() any { return new(jpegRow) }}

// pack compresses the rows [y, y+8) of img into e.out. Blocks beyond the edges of img repeat its last samples.
func (e *jpegRow) pack(img image.Image, y, components int) {
	b := img.Bounds()
	wide := (b.Dx() + 7) / 8 * 8
	e.out, e.bits, e.n = e.out[:0], 0, 0
	if cap(e.samples) < components*8*wide {
		e.samples = make([]int32, components*8*wide)
	}
	rows := e.samples[:components*8*wide]
	for r := range 8 {
		var row [3][]int32
		for c := range components {
			row[c] = rows[(c*8+r)*wide:][:wide]
		}
		readSamples(row[:components], img, min(y+r, b.Dy()-1))
	}
	var before [3]int32
	var block [64]int32
	for x := 0; x < wide; x += 8 {
		for c := range components {
			for r := range 8 {
				copy(block[8*r:8*r+8], rows[(c*8+r)*wide+x:])
			}
			transform(&block)
			before[c] = e.writeBlock(&block, min(c, 1), before[c])
		}
	}
	e.writeBits(0x7f, 7) // fills the last byte with ones
}

// sampleScale is the number of units per sample value of 0..255, so that converting colours loses nothing.
const sampleScale = 8

// readSamples sets rows, one for grey or three for Y, Cb and Cr, to row y of img, as values around 0 with sampleScale
// units per sample value. Beyond the picture, the last sample is repeated. Transparent pixels are blended with black.
func readSamples(rows [][]int32, img image.Image, y int) {
	b := img.Bounds()
	y += b.Min.Y
	at := func(x int) (r, g, bl int32) {
		c := color.RGBAModel.Convert(img.At(b.Min.X+x, y)).(color.RGBA)
		return int32(c.R), int32(c.G), int32(c.B)
	}
	switch src := img.(type) {
	case *image.Gray:
		for x, v := range src.Pix[src.PixOffset(b.Min.X, y):][:b.Dx()] {
			rows[0][x] = (int32(v) - 128) * sampleScale
		}
	case *image.YCbCr:
		for x := range b.Dx() {
			i, j := src.YOffset(b.Min.X+x, y), src.COffset(b.Min.X+x, y)
			for c, v := range [3]byte{src.Y[i], src.Cb[j], src.Cr[j]} {
				rows[c][x] = (int32(v) - 128) * sampleScale
			}
		}
	case *image.RGBA:
		at = func(x int) (r, g, bl int32) {
			p := src.Pix[src.PixOffset(b.Min.X+x, y):]
			return int32(p[0]), int32(p[1]), int32(p[2])
		}
	case *image.NRGBA:
		at = func(x int) (r, g, bl int32) {
			p := src.Pix[src.PixOffset(b.Min.X+x, y):]
			a := int32(p[3])
			return (int32(p[0])*a + 127) / 255, (int32(p[1])*a + 127) / 255, (int32(p[2])*a + 127) / 255
		}
	}
	_, ready := img.(*image.YCbCr)
	if len(rows) == 3 && !ready {
		// JFIF: Y = 0.299 R + 0.587 G + 0.114 B, Cb = 128 + (B - Y)/1.772, Cr = 128 + (R - Y)/1.402. Sums are in units
		// of 2⁻¹⁶; shift turns them into units of 1/sampleScale = 2⁻³.
		const half, shift = 1 << 12, 13
		for x := range b.Dx() {
			r, g, bl := at(x)
			rows[0][x] = (19595*r+38470*g+7471*bl+half)>>shift - 128*sampleScale
			rows[1][x] = (-11059*r - 21709*g + 32768*bl + half) >> shift
			rows[2][x] = (32768*r - 27439*g - 5329*bl + half) >> shift
		}
	}
	for _, row := range rows {
		for x := b.Dx(); x < len(row); x++ {
			row[x] = row[b.Dx()-1]
		}
	}
}

// cosines is the matrix C in units of 2⁻¹³: row k holds cos((2n+1)kπ/16)/2, row 0 divided by √2. Row k is symmetric for
// even k and antisymmetric for odd k, so only its first half is here.
var cosines = [8][4]int32{
	{2896, 2896, 2896, 2896},
	{4017, 3406, 2276, 799},
	{3784, 1567, -1567, -3784},
	{3406, -799, -4017, -2276},
	{2896, -2896, -2896, 2896},
	{2276, -4017, 799, 3406},
	{1567, -3784, 3784, -1567},
	{799, -2276, 3406, -4017},
}

const (
	rowBits         = 10                 // bits dropped after transforming the rows, so that 32 bits suffice
	coefficientBits = 3 + 2*13 - rowBits // fractional bits of a coefficient
)

// transform replaces the samples in block x by their cosine coefficients, in units of 2⁻¹⁹.
func transform(x *[64]int32) {
	line := func(at, step, shift int) { // transforms x[at], x[at+step] … x[at+7·step], and drops shift bits
		var sum, diff [4]int32
		for n := range 4 {
			a, b := x[at+n*step], x[at+(7-n)*step]
			sum[n], diff[n] = a+b, a-b // for the symmetric and the antisymmetric rows of C
		}
		for k := range 8 {
			in := &sum
			if k%2 == 1 {
				in = &diff
			}
			c := &cosines[k] // the first half of row k of C, in units of 2⁻¹³
			x[at+k*step] = (c[0]*in[0] + c[1]*in[1] + c[2]*in[2] + c[3]*in[3] + 1<<shift>>1) >> shift
		}
	}
	for y := range 8 {
		line(8*y, 1, rowBits)
	}
	for i := range 8 {
		line(i, 8, 0)
	}
}

// writeBlock quantises and writes f, a block of coefficients, with the tables for kind, 0 for luma and 1 for chroma.
// before is the first quantised coefficient of the previous block; the result is the first of this block.
func (e *jpegRow) writeBlock(f *[64]int32, kind int, before int32) int32 {
	steps := &e.tables.steps[kind]
	quantised := func(i int) int32 {
		v, q := f[quantiser.Zigzag[i]], steps[i]
		if v < 0 {
			if v = q/2 - v; v < q {
				return 0 // saves a division for most coefficients
			}
			return -(v / q)
		}
		if v += q / 2; v < q {
			return 0
		}
		return v / q
	}
	first := quantised(0)
	e.writeNumber(&huffman[kind][0], 0, first-before)
	ac, run := &huffman[kind][1], 0
	for i := 1; i < 64; i++ {
		v := quantised(i)
		if v == 0 {
			run++
			continue
		}
		for ; run > 15; run -= 16 {
			e.writeCode(ac, 0xf0) // 16 zeros
		}
		e.writeNumber(ac, run, v)
		run = 0
	}
	if run > 0 {
		e.writeCode(ac, 0x00) // the rest of the block is zero
	}
	return first
}

// writeNumber writes the code for run zeros before v and for the length of v in bits, then the bits of v. A negative v
// is written as v - 1, so that its first bit is 0.
func (e *jpegRow) writeNumber(codes *huffmanTable, run int, v int32) {
	n, low := uint(bits.Len32(uint32(max(v, -v)))), v
	if v < 0 {
		low--
	}
	e.writeCode(codes, byte(run<<4)|byte(n))
	e.writeBits(uint32(low)&(1<<n-1), n)
}

func (e *jpegRow) writeCode(codes *huffmanTable, v byte) {
	e.writeBits(uint32(codes.code[v]), uint(codes.length[v]))
}

// writeBits appends the n low bits of v, at most 16, to e.out, with a zero byte after every byte 0xff.
func (e *jpegRow) writeBits(v uint32, n uint) {
	e.n += n
	e.bits |= v << (32 - e.n)
	for ; e.n >= 8; e.n -= 8 {
		b := byte(e.bits >> 24)
		e.out = append(e.out, b)
		if b == 0xff {
			e.out = append(e.out, 0)
		}
		e.bits <<= 8
	}
}
