package matfile

import (
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gonum.org/v1/gonum/mat"
)

// text returns the matrix in a text, a row a line. It reads the file twice, field by field: first to count, so that
// memory is allocated only once, only for the numbers, and after the caller has accepted the size.
func (x *reading) text() (*mat.Dense, error) {
	is, err := x.layout()
	if err != nil {
		return nil, err
	}
	if is.rows == 0 {
		return nil, x.refuse("holds no numbers; expected a matrix as .npy, .npz or .csv")
	}
	if err := x.accept(is.rows, is.cols); err != nil {
		return nil, err
	}
	// If lines differ in length, the product of rows and columns may be too large; a number takes at least two bytes.
	values := make([]float64, 0, min(int64(is.rows)*int64(is.cols), x.size/2+1))
	l, column := x.fields(0, is.separator), 0
	for l.next() {
		if l.line < is.first {
			continue // this line contains the names of the columns
		}
		if column++; column <= is.cols { // further columns are only counted, for an error below
			v, err := x.number(string(l.field), l.line, column)
			if err != nil {
				return nil, err
			}
			values = append(values, v)
		}
		if !l.last {
			continue
		}
		if column != is.cols {
			return nil, x.refuse("line %d has %d numbers, line %d has %d; give every line as many", l.line, column,
				is.first, is.cols)
		}
		column = 0
	}
	if l.err != nil {
		return nil, l.err
	}
	if len(values) != is.rows*is.cols {
		return nil, x.refuse("changed while it was read; try again")
	}
	m := mat.NewDense(is.rows, is.cols, values)
	if err := x.checkScales(m, is.named); err != nil {
		return nil, err
	}
	return m, nil
}

// checkScales refuses a matrix in which only the first line or only the first column looks like a scale. The numbers
// of a scale rise in even steps, like line numbers or times, or are 4 or more different whole numbers, like selected or
// shuffled line numbers, while at least half of the other entries are fractions. Few signals look like this. Such a
// signal can be passed as .npy, to which no program adds scales. If named, the first line stands below names, and is
// not checked. Fewer than 5 numbers count as even steps only if they are 0, 1, 2 … or 1, 2, 3 …
func (x *reading) checkScales(m *mat.Dense, named bool) error {
	rows, cols := m.Dims()
	for _, c := range []struct {
		what, leave string                    // its name, and the option of pandas that leaves out the scale
		count, n    int                       // number of lines or columns, and entries in each
		at          func(line, i int) float64 // entry i of a line or column
	}{
		{"line", "to_csv(header=False)", rows, cols, m.At},
		{"column", "to_csv(index=False)", cols, rows, func(column, i int) float64 { return m.At(i, column) }},
	} {
		if c.n < 3 || c.count < 2 || c.what == "line" && named {
			continue
		}
		first, last := c.at(0, 0), c.at(0, c.n-1)
		step, tolerance := (last-first)/float64(c.n-1), 1e-3
		if c.n >= 20 { // enough to recognise times with few digits: 0.003, 0.006, 0.008
			tolerance = 0.3
		}
		isScale, alike := c.n >= 5 || step == 1 && (first == 0 || first == 1), true // alike: all rise like the first
		for i := range c.n {
			isScale = isScale && math.Abs(c.at(0, i)-first-float64(i)*step) <= tolerance*step // never if step < 0
		}
		for line := range c.count {
			start := c.at(line, 0)
			alike = alike && c.at(line, 1)-start == c.at(0, 1)-first && c.at(line, c.n-1)-start == last-first
		}
		if isScale && step > 0 && !alike {
			return x.refuse("the first %s is %g, %g to %g in even steps, as numbers of lines and columns are, and "+
				"times; leave it out (in pandas, %s), or save the matrix as .npy where it is data", c.what, first,
				c.at(0, 1), last, c.leave)
		}
		if c.n >= 4 && !alike && beginsWithLineNumbers(c.n, c.count, c.at) {
			return x.refuse("the first %s is %g, %g, ..., %g, whole numbers, all different, beside fractions, as "+
				"numbers of lines and columns are; leave it out (in pandas, %s), or save the matrix as .npy where it "+
				"is data", c.what, first, c.at(0, 1), last, c.leave)
		}
	}
	return nil
}

// beginsWithLineNumbers reports whether the first of count lines with n entries looks like line numbers, not data:
// it has different whole numbers from 0 up, while at least half of the entries of all other lines together are
// fractions. at returns entry i of a line. It examines at most 1000 entries of each line.
func beginsWithLineNumbers(n, count int, at func(line, i int) float64) bool {
	n = min(n, 1000)
	seen, fractions := map[float64]bool{}, 0
	for i := range n {
		v := at(0, i)
		if v < 0 || v != math.Trunc(v) || seen[v] {
			return false
		}
		seen[v] = true
	}
	for line := 1; line < count; line++ {
		for i := range n {
			if v := at(line, i); v != math.Trunc(v) {
				fractions++
			}
		}
	}
	return 2*fractions >= n*(count-1)
}

// layout is the arrangement of the numbers in a text.
type layout struct {
	rows, cols int
	first      int  // the number of the line with the first row
	named      bool // lines of names come before the first row
	separator  rune // as in a lexer
}

// layout returns the layout of x: it counts the rows, and the columns of the first row. Up to two lines of names,
// for example of columns and of units, may come before this row. The lines after a line of names may have another
// separator. layout fails for a file of Octave with several variables.
func (x *reading) layout() (is layout, err error) {
	if is.separator, err = x.separatorFrom(0); err != nil {
		return is, err
	}
	const mostHeaders = 2
	l, names, headers := x.fields(0, is.separator), true, 0
	for l.next() {
		if is.rows == 0 {
			is.cols++
			names = names && isName(string(l.field))
		}
		switch {
		case !l.last: // the line goes on
		case is.rows == 0 && names && headers < mostHeaders:
			headers, is.cols, is.named = headers+1, 0, true
			if l.separator, err = x.separatorFrom(l.at); err != nil {
				return is, err
			}
			is.separator = l.separator
		default:
			if is.rows++; is.rows == 1 {
				is.first = l.line
			}
		}
	}
	if l.variables > 1 {
		return is, x.refuse("holds %d variables; save the one alone", l.variables)
	}
	return is, l.err
}

// reFortran matches a number in the double precision notation of Fortran, such as 0.5D+03.
var reFortran = regexp.MustCompile(`^[+-]?[0-9]*\.?[0-9]*[dD][+-]?[0-9]+$`)

// number returns the number in field, which may be written as in Fortran, 1.5D3. It fails if field is not a finite
// number. line and column are for errors.
func (x *reading) number(field string, line, column int) (float64, error) {
	v, err := strconv.ParseFloat(field, 64)
	if err != nil && reFortran.MatchString(field) {
		v, err = strconv.ParseFloat(strings.NewReplacer("D", "e", "d", "e").Replace(field), 64)
	}
	switch {
	case len(field) > maxField:
		return 0, x.refuse("line %d, column %d: %.40q and more, %d bytes at least, is no number; write numbers "+
			"with commas or blank space between them", line, column, field, maxField)
	case err == nil && v-v == 0: // finite
		return v, nil
	case err == nil:
		return 0, x.refuse("line %d, column %d: %s is not finite; replace it", line, column, field)
	case field == "":
		return 0, x.refuse("line %d, column %d is empty; fill it in, or leave the names of rows and columns out", line,
			column)
	case errors.Is(err, strconv.ErrRange):
		return 0, x.refuse("line %d, column %d: %.40s is too large; scale the data", line, column, field)
	case strings.Contains(field, ","):
		return 0, x.refuse("line %d, column %d: %.40q is no number; write decimals with a point", line, column, field)
	}
	return 0, x.refuse("line %d, column %d: %.40q is no number; write numbers with commas or blank space between them",
		line, column, field)
}

// reNoName matches NA from R and pandas, null from databases, truth values, and complex numbers in brackets.
var reNoName = regexp.MustCompile(`^("?(NA|N/A|<NA>|[Nn]ull|NULL|None|[Tt]rue|TRUE|[Ff]alse|FALSE)"?|\([-+.0-9].*)$`)

// isName reports whether a field names a column: a word, quoted or not, or a unit in brackets. Texts for missing or
// complex numbers or truth values are not names.
func isName(field string) bool {
	if _, err := strconv.ParseFloat(field, 64); err == nil || reNoName.MatchString(field) {
		return false
	}
	first, _ := utf8.DecodeRuneInString(field)
	return unicode.IsLetter(first) || strings.ContainsRune(`_"'([`, first)
}
