package matfile_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"superres/internal/matfile"
	"superres/internal/must"
	"superres/internal/safefile"
	"superres/internal/usage"
)

// array makes a .npy file of version 1 with the values in the given byte order.
func array(order binary.ByteOrder, kind string, fortran bool, shape string, values ...any) []byte {
	word := map[bool]string{true: "True", false: "False"}[fortran]
	return headed(fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': %s, }", kind, word, shape), order,
		values...)
}

func headed(header string, order binary.ByteOrder, values ...any) []byte {
	var b bytes.Buffer
	b.WriteString("\x93NUMPY\x01\x00")
	binary.Write(&b, binary.LittleEndian, uint16(len(header)+1))
	b.WriteString(header + "\n")
	for _, v := range values {
		binary.Write(&b, order, v)
	}
	return b.Bytes()
}

// archive makes a zip of members: name, data, name, data...
func archive(t testing.TB, members ...any) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(members); i += 2 {
		w := must.Get(z.Create(members[i].(string)))(t)
		w.Write(members[i+1].([]byte))
	}
	z.Close()
	return b.Bytes()
}

func read(data []byte, opt matfile.Options) (*mat.Dense, error) {
	return matfile.Read(bytes.NewReader(data), int64(len(data)), "Y", opt)
}

var little, big = binary.LittleEndian, binary.BigEndian

// y is the matrix that most files of these tests hold.
var y = mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})

func TestWhatIsRead(t *testing.T) {
	float := array(little, "<f8", false, "(2, 3)", []float64{1, 2, 3, 4, 5, 6})
	version2 := append([]byte("\x93NUMPY\x02\x00"), append(little.AppendUint32(nil, uint32(little.Uint16(float[8:]))),
		float[10:]...)...)
	for name, data := range map[string][]byte{
		"float64":     float,
		"version 2":   version2,
		"version 3":   append([]byte("\x93NUMPY\x03\x00"), version2[8:]...),
		"float32":     array(little, "<f4", false, "(2, 3)", []float32{1, 2, 3, 4, 5, 6}),
		"columns":     array(little, "<f8", true, "(2, 3)", []float64{1, 4, 2, 5, 3, 6}),
		"big endian":  array(big, ">f8", false, "(2, 3)", []float64{1, 2, 3, 4, 5, 6}),
		"big float32": array(big, ">f4", true, "(2, 3)", []float32{1, 4, 2, 5, 3, 6}),
		"float16":     array(little, "<f2", false, "(2, 3)", []uint16{0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600}),
		"int8":        array(little, "|i1", false, "(2, 3)", []int8{1, 2, 3, 4, 5, 6}),
		"int16":       array(little, "<i2", false, "(2, 3)", []int16{1, 2, 3, 4, 5, 6}),
		"int32, big":  array(big, ">i4", false, "(2, 3)", []int32{1, 2, 3, 4, 5, 6}),
		"int64":       array(little, "<i8", true, "(2, 3)", []int64{1, 4, 2, 5, 3, 6}),
		"uint8":       array(little, "|u1", false, "(2, 3)", []uint8{1, 2, 3, 4, 5, 6}),
		"uint16":      array(little, "<u2", false, "(2, 3)", []uint16{1, 2, 3, 4, 5, 6}),
		"uint32":      array(little, "<u4", false, "(2, 3)", []uint32{1, 2, 3, 4, 5, 6}),
		"uint64":      array(little, "<u8", false, "(2, 3)", []uint64{1, 2, 3, 4, 5, 6}),
		"no last comma": headed("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)}", little,
			[]float64{1, 2, 3, 4, 5, 6}),
		"other order": headed(`{"shape": (2L,3L), "fortran_order":False, "descr":"<f8"}`, little,
			[]float64{1, 2, 3, 4, 5, 6}),
		"npz":              archive(t, "Y.npy", float),
		"npz with text":    archive(t, "notes.txt", []byte("hello"), "Y.npy", float),
		"commas":           []byte("1,2,3\n4,5,6\n"),
		"no last newline":  []byte("1,2,3\n4,5,6"),
		"carriage returns": []byte("\ufeff1,2,3\r\n4,5,6\r\n"),
		"space":            []byte("  1  2\t3 \n\n4 5 6\n"),
		"tabs":             []byte("1\t2\t3\n4\t5\t6\n"),
		"semicolons":       []byte("1; 2; 3\n4;5;6\n"),
		"comments":         []byte("# commas, here; too\n1,2,3 # and, here\n   # there\n4,5,6"),
		"names":            []byte("alpha,\"beta\",_c\n1,2,3\n4,5,6\n"),
		"science":          []byte("1e0,+2.0E+00,.3e1\n4.,5,6\n"),
	} {
		if m, err := read(data, matfile.Options{}); err != nil || !mat.Equal(m, y) {
			t.Errorf("%s: %v %v", name, m, err)
		}
		if m, err := read(data, matfile.Options{Transpose: true}); err != nil || !mat.Equal(m, y.T()) {
			t.Errorf("%s, transposed: %v %v", name, m, err)
		}
	}
	for name, c := range map[string]struct {
		data []byte
		opt  matfile.Options
		want *mat.Dense
	}{
		"negative": {array(little, "<i2", false, "(1, 2)", []int16{-1, math.MinInt16}), matfile.Options{},
			mat.NewDense(1, 2, []float64{-1, math.MinInt16})},
		"large": {array(little, "<u8", false, "(1, 1)", uint64(math.MaxUint64)), matfile.Options{},
			mat.NewDense(1, 1, []float64{1 << 64})},
		"bool": {array(little, "|b1", false, "(1, 3)", []byte{0, 1, 1}), matfile.Options{},
			mat.NewDense(1, 3, []float64{0, 1, 1})},
		"chosen": {archive(t, "a.npy", []byte("bad"), "Y.npy", array(little, "|u1", false, "(1, 1)", byte(7))),
			matfile.Options{Array: "Y"}, mat.NewDense(1, 1, []float64{7})},
		"one":      {[]byte("7"), matfile.Options{}, mat.NewDense(1, 1, []float64{7})},
		"a column": {[]byte("x\n7\n8"), matfile.Options{}, mat.NewDense(2, 1, []float64{7, 8})},
		"many rows": {bytes.Repeat([]byte("7\n"), 70_000), matfile.Options{Transpose: true},
			mat.NewDense(1, 70_000, slices.Repeat([]float64{7}, 70_000))},
		"many cols": {array(little, "<f4", true, "(1, 70000)", bytes.Repeat([]byte{0, 0, 0xe0, 0x40}, 70_000)),
			matfile.Options{}, mat.NewDense(1, 70_000, slices.Repeat([]float64{7}, 70_000))},
	} {
		if m, err := read(c.data, c.opt); err != nil || !mat.Equal(m, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Texts as programs write them: the numbers come out, or what may be no data is refused and named. None is taken in
// silence. The matrix is y, or 4×3 with the lines of y and two more.
func TestTextsOfPrograms(t *testing.T) {
	const line, column = "the first line is ", "the first column is "
	data := "0.5,-1,3\n2,0.25,-4\n7,1,0.125\n-2,6,1\n"
	numbered := func(from int, quote string) (text string) {
		for i, row := range strings.SplitAfter(strings.TrimSuffix(data, "\n"), "\n") {
			text += fmt.Sprintf("%s%d%s,%s", quote, from+i, quote, row)
		}
		return text
	}
	timed := strings.NewReplacer("0.5,", "0,0.5,", "2,0.25", "0.004,2,0.25", "7,1", "0.008,7,1", "-2,6",
		"0.012,-2,6").Replace(data) + "0.016,1,1,2\n"
	for _, c := range []struct{ program, text, refused string }{
		{"pandas, to_csv(index=False, header=False)", data, ""},
		{"pandas, to_csv(index=False)", "0,1,2\n" + data, line},
		{"pandas, to_csv()", ",0,1,2\n" + numbered(0, ""), "line 1, column 1 is empty"},
		{"pandas, to_csv(header=False)", numbered(0, ""), column},
		{"pandas, to_csv(index=False), columns of names", "a,b,c\n" + data, ""},
		{"pandas, to_csv(index_label='i')", "i,a,b,c\n" + numbered(0, ""), column},
		{"R, write.csv", "\"\",\"V1\",\"V2\",\"V3\"\n" + numbered(1, `"`), `"\"1\"" is no number`},
		{"R, write.csv(row.names=FALSE)", "\"V1\",\"V2\",\"V3\"\n" + data, ""},
		{"R, write.table(col.names=FALSE, quote=FALSE)", strings.ReplaceAll(numbered(1, ""), ",", " "), column},
		{"Octave, save -ascii", " 5.0e-01 -1.0e+00 3.0e+00\n 2 0.25 -4\n 7 1 0.125\n -2 6 1\n", ""},
		{"Octave, save -text", "# Created by Octave\n# name: Y\n# type: matrix\n# rows: 4\n# columns: 3\n " +
			strings.ReplaceAll(data, ",", " ") + "\n\n", ""},
		{"Octave, csvwrite with a first line of 1 to n", "1,2,3\n" + data, line},
		{"Excel, CSV", "\ufeff" + strings.ReplaceAll(data, "\n", "\r\n"), ""},
		{"Excel, CSV of a country with decimal commas", strings.NewReplacer(",", ";", ".", ",").Replace(data),
			"write decimals with a point"},
		{"Excel, CSV with numbered columns", "1;2;3\n" + strings.ReplaceAll(data, ",", ";"), line},
		{"PhysioNet, rdsamp -c -v -pe", "'Elapsed time','MLII','V5'\n'hh:mm:ss.mmm','(mV)','(mV)'\n'0:00.000',-0.1,2\n",
			"is no number"},
		{"PhysioNet, rdsamp -c -v -ps", "'Elapsed time','a','b','c'\n'(seconds)','(mV)','(mV)','(mV)'\n" + timed,
			column},
		{"PhysioNet, rdsamp -c -v without time", "'a','b','c'\n(mV),(mV),(mV)\n" + data, ""},
		{"Fortran, 3D24.16", " 0.5D+00 -0.1D+01 3.0D0\n 0.2D+01 2.5D-01 -4d0\n 7 1 0.125\n -2 6 1\n", ""},
		{"Fortran, numbered lines", "1 0.5D0 2\n2 3 0.1D1\n3 -1 0.2D0\n", column},
		{"NumPy, savetxt(header='a b c')", "# a b c\n" + strings.ReplaceAll(data, ",", " "), ""},
		{"pandas, to_csv(header=False) of chosen lines", "3,0.5,-1.5,2\n0,2.5,0.25,1\n17,1.5,0.125,4\n4,6.5,1,2.5\n",
			column},
		{"pandas, to_csv(index=False, header=False, na_rep='NA')", "NA,NA,NA\n" + data, `"NA" is no number`},
		{"pandas, to_csv(index=False, na_rep='NA')", "a,b,c\nNA,NA,NA\n" + data, `line 2, column 1: "NA" is no number`},
		{"pandas, to_csv(sep='\\t')", "\ta\tb\tc\n" + strings.ReplaceAll(numbered(0, ""), ",", "\t"), column},
		{"Excel, #N/A", data + "#N/A,1,2\n", `line 5, column 1: "#N/A" is no number`},
		{"Octave, save -text of two", "# name: Y\n# type: matrix\n 1 2 3\n\n\n# name: Z\n# type: matrix\n 4 5 6\n",
			"holds 2 variables"},
		{"Octave, save -text of complex numbers", "# name: Y\n# type: complex matrix\n (1,2) (3,4)\n (5,6) (7,8)\n",
			"is no number"},
		{"wavelengths over spectra", "400,402,404,406,408\n1,2,4,2,1\n0,1,3,3,1\n", line},
	} {
		m, err := read([]byte(c.text), matfile.Options{})
		if c.refused != "" {
			if err == nil || !strings.Contains(err.Error(), c.refused) {
				t.Errorf("%s: %v, expected %q", c.program, err, c.refused)
			}
			continue
		}
		if want := mat.NewDense(4, 3, []float64{0.5, -1, 3, 2, 0.25, -4, 7, 1, 0.125, -2, 6, 1}); err != nil ||
			!mat.Equal(m, want) {
			t.Errorf("%s: %v, %v", c.program, m, err)
		}
	}
}

func TestWhatIsRefused(t *testing.T) {
	one := func(kind string, body ...any) []byte { return array(little, kind, false, "(1, 1)", body...) }
	shaped := func(shape string) []byte { return array(little, "<f8", false, shape, []float64{1, 2, 3, 4}) }
	several := archive(t, "D.npy", shaped("(2, 2)"), "X.npy", shaped("(2, 2)"))
	broken := archive(t, "Y.npy", shaped("(2, 2)"))
	broken[60] ^= 1
	type refusal struct {
		data []byte
		want string
	}
	check := func(name string, data []byte, opt matfile.Options, class error, want string) {
		t.Helper()
		m, err := read(data, opt)
		if m != nil || err == nil || !strings.Contains(err.Error(), want) || !errors.Is(err, class) {
			t.Errorf("%s: %v, expected %q of class %v", name, err, want, class)
		}
	}
	for name, c := range map[string]refusal{
		"empty":   {nil, "Y: is empty"},
		"binary":  {[]byte("\x89PNG\r\n\x1a\n\x00"), "neither .npy nor .npz nor text"},
		"pickle":  {[]byte("\x80\x04\x95"), "a Python pickle"},
		"Parquet": {[]byte("PAR1\x15\x04"), "a Parquet file; save it with numpy.save"},
		"Arrow":   {[]byte("ARROW1\x00\x00"), "an Arrow or Feather file; save it with numpy.save"},
		"EDF": {[]byte(fmt.Sprintf("%-8d%-160s%-16s%-8d%-44s%-8d%-8d%-4d", 0, "X X X X", "01.01.2601.01.01", 256*3, "",
			1, 1, 2)), "an EDF recording; save it with numpy.save"},
		"MATLAB":  {[]byte("MATLAB 5.0 MAT-file"), "a MATLAB file"},
		"Octave":  {[]byte("Octave-1-L\x00"), "an Octave file; save the matrix with save -text"},
		"objects": {one("|O", 1.0), "holds Python objects"},
		"complex": {one("<c16", 1.0, 1.0), "holds complex numbers"},
		"records": {headed("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1, 1), }", little,
			1.0), "holds records"},
		"number":               {shaped("()"), "a single number"},
		"1-D":                  {shaped("(4,)"), "make it one with reshape(-1, 1)"},
		"3-D":                  {shaped("(2, 2, 1)"), "has 3 dimensions"},
		"no rows":              {shaped("(0, 4)"), "is empty (0×4)"},
		"no columns":           {shaped("(4, 0)"), "is empty (4×0)"},
		"negative":             {shaped("(-2, -2)"), "damaged .npy header"},
		"huge":                 {shaped("(1000000, 1000000)"), "take 8000000000000 bytes, there are 32"},
		"overflow":             {shaped("(4294967296, 4294967296)"), "damaged, or too large"},
		"overflow of int":      {shaped("(18446744073709551618, 2)"), "damaged .npy header"},
		"cut off":              {shaped("(2, 2)")[:90], "is cut off"},
		"header cut off":       {shaped("(2, 2)")[:40], "damaged .npy header"},
		"long header":          {[]byte("\x93NUMPY\x02\x00\xff\xff\xff\xff"), "damaged .npy header"},
		"version 9":            {[]byte("\x93NUMPY\x09\x00\xff\xff\xff\xff"), "version 9"},
		"too long":             {append(shaped("(2, 2)"), 1), "has more than one array"},
		"no arrays":            {archive(t), "without arrays"},
		"other zip":            {archive(t, "word/document.xml", []byte("x")), "without arrays"},
		"twice":                {archive(t, "Y.npy", shaped("(2, 2)"), "Y.npy", shaped("(2, 2)")), "there twice"},
		"bad checksum":         {broken, "Y: array Y: "},
		"half an npz":          {several[:len(several)/2], "damaged"},
		"comments only":        {[]byte("# nothing\n\n"), "holds no numbers"},
		"names only":           {[]byte("a,b\n"), "holds no numbers"},
		"three lines of names": {[]byte("a,b\nc,d\ne,f\n1,2"), `line 3, column 1: "e" is no number`},
		"text":                 {[]byte("# x\n1,2\n3,abc\n"), `line 3, column 2: "abc" is no number`},
		"text at once":         {[]byte("1,abc\n"), `line 1, column 2: "abc" is no number`},
		"too short":            {[]byte("1,2\n3\n"), "line 2 has 1 numbers, line 1 has 2"},
		"too many":             {[]byte("# x\na,b\n1,2\n3,4,5\n"), "line 4 has 3 numbers, line 3 has 2"},
		"wide, then long": {[]byte(strings.Repeat("1,", 1<<20) + "1" + strings.Repeat("\n1", 1<<20)),
			"line 2 has 1 numbers"},
		"nothing between":   {[]byte("1,,3\n"), "line 1, column 2 is empty"},
		"last comma":        {[]byte("1,2,\n"), "line 1, column 3 is empty"},
		"decimal comma":     {[]byte("1;2\n3;1,5\n"), "write decimals with a point"},
		"nan as text":       {[]byte("1,2\n3,nan\n"), "line 2, column 2: nan is not finite"},
		"nan everywhere":    {[]byte("nan,inf\n"), "line 1, column 1: nan is not finite"},
		"too long a number": {[]byte("1," + strings.Repeat("1", 5000) + "\n"), "line 1, column 2: \"1111"},
		"space within":      {[]byte("1,2 \t 3\n"), `line 1, column 2: "2 3" is no number`},
		"too large":         {[]byte("1e999\n"), "line 1, column 1: 1e999 is too large"},
	} {
		check(name, c.data, matfile.Options{}, safefile.ErrInput, c.want)
	}
	input, settings := safefile.ErrInput, usage.ErrSettings
	check("NaN", array(little, "<f8", true, "(2, 2)", []float64{1, 2, 3, math.NaN()}),
		matfile.Options{Column: "signal"},
		input, "entry 1 of signal 1 (counted from 0) is NaN")
	check("Inf, transposed", array(little, "<f8", false, "(1, 3)", []float64{1, 2, math.Inf(-1)}),
		matfile.Options{Transpose: true}, input, "entry 2 of column 0 (counted from 0) is -Inf")
	check("several", several, matfile.Options{ArrayFlag: "--array"}, settings,
		"holds 2 arrays (D X), expected one; choose it with --array")
	check("no such", several, matfile.Options{Array: "d"}, settings, `unknown array "d"`)
	check("array of no npz", []byte("1,2"), matfile.Options{Array: "Y"}, settings, "is no .npz file")
	if _, err := matfile.Open(t.TempDir(), matfile.Options{}); err == nil ||
		!strings.Contains(err.Error(), "is a folder") {
		t.Error(err)
	}
	if _, err := matfile.Open(filepath.Join(t.TempDir(), "none.npy"), matfile.Options{}); !errors.Is(err,
		safefile.ErrInput) {
		t.Error(err)
	}
}

// The caller hears of the size before there is memory for it.
func TestAcceptComesFirst(t *testing.T) {
	no := errors.New("no")
	const n = 4 << 20 // of one byte in the file, of eight in memory
	whole := array(little, "|u1", false, fmt.Sprintf("(4, %d)", n/4), make([]byte, n))
	for name, data := range map[string][]byte{
		"npy":  whole,
		"npz":  archive(t, "Y.npy", whole),
		"text": bytes.Repeat([]byte("1,2,3,4\n"), n/4),
	} {
		want := []int{n / 4, 4}
		if name == "text" {
			want = []int{4, n / 4}
		}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		_, err := read(data, matfile.Options{Transpose: true, Accept: func(rows, cols int) error {
			runtime.GC()
			runtime.ReadMemStats(&after)
			if got := []int{rows, cols}; !slices.Equal(got, want) {
				t.Errorf("%s: asked for %v, expected %v", name, got, want)
			}
			return no
		}})
		if err != no {
			t.Errorf("%s: %v", name, err)
		}
		if live := int64(after.HeapAlloc) - int64(before.HeapAlloc); live > n {
			t.Errorf("%s: %d bytes are held before", name, live)
		}
	}
}

// watched is a file that notes, as it is read, how much memory is in use at most.
type watched struct {
	*bytes.Reader
	calls int
	most  uint64
}

func (w *watched) ReadAt(p []byte, at int64) (int, error) {
	if w.calls++; w.calls%8 == 0 {
		var now runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&now)
		w.most = max(w.most, now.HeapAlloc)
	}
	return w.Reader.ReadAt(p, at)
}

// A text takes the memory of its numbers while it is read, and of nothing else, in short
// lines and in one that is as long as all.
func TestTextTakesItsNumbers(t *testing.T) {
	const n = 80_000
	for name, separator := range map[string]string{"a column": "\n", "a row": ",", "a row, by space": "  "} {
		text := strings.Repeat("1.2345678901234567"+separator, n-1) + "1"
		w := &watched{Reader: bytes.NewReader([]byte(text))}
		var before runtime.MemStats
		runtime.GC()
		runtime.GC() // the second frees what pools of other tests have kept
		runtime.ReadMemStats(&before)
		m := must.Get(matfile.Read(w, int64(len(text)), "Y", matfile.Options{}))(t)
		if rows, cols := m.Dims(); rows*cols != n || max(rows, cols) != n {
			t.Errorf("%s: %d×%d", name, rows, cols)
		}
		if took := int64(w.most) - int64(before.HeapAlloc); took < 8*n || took > 8*n+1<<20 {
			t.Errorf("%s: %d bytes, expected %d", name, took, 8*n)
		}
		runtime.KeepAlive(text)
	}
}

// Any byte changed, any length cut: an error or a matrix, never a panic.
func TestDamage(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	for _, whole := range seeds(t) {
		for i := range 1000 {
			data := bytes.Clone(whole)
			if i%2 == 0 {
				data = data[:rng.IntN(len(data))]
			} else {
				data[rng.IntN(len(data))] ^= byte(1 + rng.IntN(255))
			}
			check(t, data)
		}
	}
}

func seeds(t testing.TB) [][]byte {
	npy := array(little, "<f8", false, "(2, 3)", []float64{1, 2, 3, 4, 5, 6})
	return [][]byte{npy, archive(t, "a.npy", npy, "b.npy", array(big, ">i2", true, "(1, 2)", []int16{1, 2})),
		[]byte("# x\na,b\n1.5,-2e3\n3,4\n")}
}

func check(t *testing.T, data []byte) {
	for _, opt := range []matfile.Options{{}, {Array: "a", Transpose: true}} {
		opt.Accept = func(rows, cols int) error {
			if rows*cols > 1<<20 {
				return errors.New("too large")
			}
			return nil
		}
		m, err := read(data, opt)
		if err == nil {
			if r, c := m.Dims(); r < 1 || c < 1 {
				t.Errorf("%d×%d from %q", r, c, data)
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range seeds(f) {
		f.Add(s)
	}
	f.Fuzz(check)
}
