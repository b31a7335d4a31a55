package tiff

import (
	"context"
	"io"
	"math"
	"math/bits"
	"sync"

	"superres/internal/parallel"
	"superres/internal/safefile"
)

// decoder decodes the blocks of a picture: strips or tiles.
type decoder struct {
	*layout
	ctx    context.Context
	data   []byte // the whole file
	opt    Options
	white  float64 // the floating-point sample that becomes white
	canvas canvas

	mu       sync.Mutex
	warnings map[string]bool
}

// span is the part of a row of a block that lies in the picture: n pixels that begin at (x, y), or none if n <= 0.
// plane is the number of the sample in the blocks of a planar picture, else 0.
type span struct {
	plane, x, y, n int
	row            []byte // samples in the file's encoding, predictor undone; valid only until visit returns
}

// blocks calls visit with each row of each block, from several goroutines. It visits all blocks even if some fail, and
// returns the error of the first block that failed.
func (d *decoder) blocks(visit func(span)) error {
	count := int(d.blockCount())
	var mu sync.Mutex
	first, failure := count, error(nil)
	const grain = 1 // blocks that a worker takes at a time
	err := parallel.For(d.ctx, count, grain, func() func(lo, hi int) {
		w := worker{decoder: d, row: make([]byte, d.rowBytes())}
		return func(lo, hi int) {
			for i := lo; i < hi; i++ {
				if err := w.block(i, visit); err != nil {
					mu.Lock()
					if i < first {
						first, failure = i, err
					}
					mu.Unlock()
				}
			}
		}
	})
	if err != nil {
		return err
	}
	return failure
}

func (d *decoder) rowBytes() int { return (d.blockWidth*d.inBlock()*d.bits + 7) / 8 }

// worker holds the memory for decoding one block after another.
type worker struct {
	*decoder
	row      []byte // of a block
	reversed []byte // the data of a block with the bits of each byte reversed
	rows     rowMemory
}

// block calls visit with each row of block number i. Blocks are numbered plane by plane, and in each row by row.
func (w *worker) block(i int, visit func(span)) error {
	across := w.blocksAcross()
	inPlane := across * w.blocksDown()
	s := span{plane: i / inPlane, x: i % across * w.blockWidth, y: i % inPlane / across * w.blockHeight}
	s.n = min(w.blockWidth, w.width-s.x)
	height := min(w.blockHeight, w.height-s.y)
	data, err := w.blockData(i, height)
	if err != nil {
		return err
	}
	defer w.rows.release()
	rows, err := w.open(data)
	if err != nil {
		return err
	}
	if w.subsampled() {
		return w.visitSubsampled(rows, s, height, visit)
	}
	for range height {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		if err := rows.next(w.row); err != nil {
			return safefile.CutShort(err)
		}
		w.undoPredictor(w.row)
		s.row = w.row
		visit(s)
		s.y++
	}
	return nil
}

// blockData returns the data of block i, which is height pixels high. It undoes a reversed order of bits. Where the
// length is missing or reaches beyond the file, the data go to the end of the file.
func (w *worker) blockData(i, height int) ([]byte, error) {
	at, size := w.offsets[i], uint64(len(w.data))
	if at >= size {
		return nil, io.ErrUnexpectedEOF
	}
	n := size - at
	if i < len(w.lengths) && w.lengths[i] > 0 {
		if n = min(n, w.lengths[i]); w.compression == none { // some programs write lengths that are too small
			n = min(size-at, max(n, uint64(len(w.row))*uint64(height)))
		}
	}
	data := w.data[at : at+n]
	if w.layout.reversed && !w.isJPEG() {
		w.reversed = append(w.reversed[:0], data...)
		for i, b := range w.reversed {
			w.reversed[i] = bits.Reverse8(b)
		}
		data = w.reversed
	}
	return data, nil
}

// visitSubsampled calls visit with the rows of a subsampled YCbCr block. In the file, the luma of horizontal ×
// vertical pixels is followed by the Cb and Cr that they share (TIFF 6.0, section 21). Each gets a copy.
func (w *worker) visitSubsampled(rows rowSource, s span, height int, visit func(span)) error {
	across := (w.blockWidth + w.horizontal - 1) / w.horizontal
	luma := w.horizontal * w.vertical      // luma samples that share Cb and Cr
	units := make([]byte, across*(luma+2)) // as many units of luma, Cb and Cr as lie side by side in the block
	for top := 0; top < height; top += w.vertical {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		if err := rows.next(units); err != nil {
			return safefile.CutShort(err)
		}
		for v := range min(w.vertical, height-top) {
			for x := range s.n {
				unit := units[x/w.horizontal*(luma+2):]
				p := w.row[x*w.samples:]
				p[0], p[1], p[2] = unit[v*w.horizontal+x%w.horizontal], unit[luma], unit[luma+1]
			}
			s.row = w.row
			visit(s)
			s.y++
		}
	}
	return nil
}

// warn records a fault that does not stop decoding.
func (d *decoder) warn(text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.warnings == nil {
		d.warnings = map[string]bool{}
	}
	d.warnings[text] = true
}

// setWhite decodes a floating-point picture, and sets d.white from its largest finite sample: see Decode.
func (d *decoder) setWhite() error {
	var mu sync.Mutex
	largest := 0.0
	err := d.blocks(func(s span) {
		most := 0.0
		for i := range s.n * d.inBlock() {
			if i%d.inBlock() >= d.samplesUsed() {
				continue // an extra sample that the decoder ignores
			}
			if v := d.float(s.row, i); v > most && !math.IsInf(v, 0) {
				most = v
			}
		}
		mu.Lock()
		largest = max(largest, most)
		mu.Unlock()
	})
	const bright = 16 // the largest sample expected in pictures with a white of 1
	switch {
	case largest <= bright:
		d.white = 1
	case largest <= math.MaxUint8:
		d.white = math.MaxUint8
	case largest <= math.MaxUint16:
		d.white = math.MaxUint16
	default:
		d.white = largest
	}
	return err
}
