package npz

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/internal/must"
)

// The bytes of files do not change from one version of the program to the next: so
// many spaces are in the header of a matrix.
func TestMatrixBytes(t *testing.T) {
	for _, c := range []struct{ rows, cols, spaces int }{
		{1, 1, 8}, {3, 2, 8}, {10, 7, 9}, {100, 10, 11}, {1000, 10, 12}, {12345, 3, 12}, {123, 4567, 13},
		{1, 1000000, 14}, {1000, 10000, 15}, {10000, 10000, 0},
	} {
		text := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }%s\n", c.rows, c.cols,
			strings.Repeat(" ", c.spaces))
		want := Magic + "\x02\x00" + string([]byte{byte(len(text)), 0, 0, 0}) + text
		if got := string(plainHeader("<f8", fmt.Sprintf("(%d, %d)", c.rows, c.cols))); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
	var b bytes.Buffer
	if err := WriteMatrix(&b, mat.NewDense(2, 3, []float64{1, 2, -3, 0.1, 5, 6}).Slice(0, 2, 1,
		3).(*mat.Dense)); err != nil {
		t.Fatal(err)
	}
	const want = "934e554d5059" + "0200" + "44000000" +
		"7b276465736372273a20273c6638272c2027666f727472616e5f6f72646572273a20" +
		"46616c73652c20277368617065273a2028322c2032292c207d" + "2020202020202020" + "0a" +
		"0000000000000040" + "00000000000008c0" + "0000000000001440" + "0000000000001840"
	if got := hex.EncodeToString(b.Bytes()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A sparse matrix, member by member.
func TestCSCBytes(t *testing.T) {
	var b bytes.Buffer
	must.Succeed(t, WriteCSC(&b, 4, []int{0, 1, 1, 3}, []int32{3, 0, 2}, []float64{1, 2, 0.5}))
	f := must.Get(Open(bytes.NewReader(b.Bytes()), int64(b.Len())))(t)
	for _, c := range []struct {
		name, version, description string
		spaces                     int
		data                       string
	}{
		{"indices", "0200", "'<i4', 'fortran_order': False, 'shape': (3,)", 6, "03000000" + "00000000" + "02000000"},
		{"indptr", "0200", "'<i8', 'fortran_order': False, 'shape': (4,)", 6,
			"0000000000000000" + "0100000000000000" + "0100000000000000" + "0300000000000000"},
		{"data", "0200", "'<f8', 'fortran_order': False, 'shape': (3,)", 6,
			"000000000000f03f" + "0000000000000040" + "000000000000e03f"},
		{"shape", "0200", "'<i8', 'fortran_order': False, 'shape': (2,)", 6, "0400000000000000" + "0300000000000000"},
		{"format", "0100", "'|S3', 'fortran_order': False, 'shape': ()", 62, "637363"},
	} {
		got := must.Get(f.Text(c.name+".npy", 1000))(t)
		text := "{'descr': " + c.description + ", }" + strings.Repeat(" ", c.spaces) + "\n"
		length := fmt.Sprintf("%02x00", len(text))
		if c.version == "0200" {
			length += "0000"
		}
		want := hex.EncodeToString([]byte(Magic)) + c.version + length + hex.EncodeToString([]byte(text)) + c.data
		if hex.EncodeToString(got) != want {
			t.Errorf("%s: got  %x\nwant %s", c.name, got, want)
		}
	}
}
