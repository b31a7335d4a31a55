package npz

import (
	"bytes"
	"fmt"
	"testing"

	"superres/internal/must"

	"gonum.org/v1/gonum/mat"
)

// Any columns of a matrix are what they are in the whole of it, in either order, as they are or transposed.
func TestColumns(t *testing.T) {
	for _, order := range []string{"False", "True"} {
		for _, transpose := range []bool{false, true} {
			head := fmt.Sprintf("{'descr': '<u2', 'fortran_order': %s, 'shape': (3, 5), }\n", order)
			file := append([]byte(Magic+"\x01\x00"), byte(len(head)), 0)
			file = append(file, head...)
			want := mat.NewDense(3, 5, nil)
			for i := range 15 {
				file = append(file, byte(i), 1)
				if order == "True" {
					want.Set(i%3, i/3, float64(256+i))
				} else {
					want.Set(i/5, i%5, float64(256+i))
				}
			}
			if transpose {
				want = mat.DenseCopyOf(want.T())
			}
			c := must.Get(OpenColumns(bytes.NewReader(file), int64(len(file)), transpose))(t)
			rows, cols := c.Dims()
			got := mat.NewDense(rows, cols, nil)
			for _, part := range [][2]int{{2, cols - 2}, {0, 1}, {1, 1}} { // from, count
				must.Succeed(t, c.Read(got, part[0], part[0], part[1]))
			}
			if !mat.Equal(got, want) {
				t.Errorf("order %s, transpose %v: %v, want %v", order, transpose, got, want)
			}
			if c.Read(got, 0, cols-1, 2) == nil {
				t.Error("read a column behind the last")
			}
			if _, err := OpenColumns(bytes.NewReader(file), int64(len(file)-1), transpose); err == nil {
				t.Error("opened a file that is cut off")
			}
		}
	}
}
