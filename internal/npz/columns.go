package npz

import (
	"errors"
	"fmt"
	"io"

	"gonum.org/v1/gonum/mat"
)

// Columns reads the matrix in a .npy file, some columns at a time, so that the whole matrix need not be in memory.
type Columns struct {
	r          io.ReaderAt
	start      int64 // offset of the array in the file
	header     Header
	rows, cols int  // size of the matrix, after transposing if requested
	contiguous bool // the entries of a column are contiguous in the file
	buffer     []byte
}

// OpenColumns reads the header of the .npy file in r, of the given size. With transpose, rows in the file become
// columns. It fails unless the file is one complete matrix of real numbers.
func OpenColumns(r io.ReaderAt, size int64, transpose bool) (*Columns, error) {
	h, err := ReadHeader(io.NewSectionReader(r, 0, size))
	if err != nil {
		return nil, err
	}
	c := &Columns{r: r, header: h, start: h.length, contiguous: h.Fortran != transpose}
	var bytes int64
	if c.rows, c.cols, bytes, err = h.Matrix(); err != nil {
		return nil, err
	}
	if bytes != size-c.start {
		return nil, fmt.Errorf("is no whole array: %d×%d elements of type %s take %d bytes, there are %d", c.rows,
			c.cols, h.Type, bytes, size-c.start)
	}
	if transpose {
		c.rows, c.cols = c.cols, c.rows
	}
	return c, nil
}

func (c *Columns) Dims() (rows, cols int) { return c.rows, c.cols }

// Read copies count columns of the matrix, from column number srcAt on, to the columns of dst from column number at
// on. dst must have as many rows as Dims says. Values that are not finite are copied unchanged.
func (c *Columns) Read(dst *mat.Dense, at, srcAt, count int) error {
	n, order, err := c.header.number()
	if err != nil {
		return err
	}
	if rows, cols := dst.Dims(); rows != c.rows || at < 0 || srcAt < 0 || at+count > cols || srcAt+count > c.cols {
		return errors.New("npz: columns outside of the matrix")
	}
	runs, length := c.rows, count // number and length of the runs of contiguous values: a part of each row, or all
	if c.contiguous {
		runs, length = 1, c.rows*count // the file goes column after column
	}
	if need := length * n.size; cap(c.buffer) < need {
		c.buffer = make([]byte, need)
	}
	for i := range runs {
		first := int64(srcAt) * int64(c.rows) // the number of elements in the file before the run
		if !c.contiguous {
			first = int64(i)*int64(c.cols) + int64(srcAt)
		}
		part := c.buffer[:length*n.size]
		if _, err := c.r.ReadAt(part, c.start+first*int64(n.size)); err != nil {
			return err
		}
		for j := range length {
			row, col := i, j
			if c.contiguous {
				row, col = j%c.rows, j/c.rows
			}
			dst.Set(row, at+col, n.value(order, part[j*n.size:]))
		}
	}
	return nil
}
