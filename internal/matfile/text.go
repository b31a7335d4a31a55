package matfile

import (
	"errors"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gonum.org/v1/gonum/mat"
)

// text reads numbers in lines. It reads the file twice, field by field: first to count, so that memory is
// allocated once, for the numbers alone, after the caller has agreed.
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
	// Lines of different lengths may make the product of rows and columns too large; a number takes at least two bytes.
	values := make([]float64, 0, min(int64(is.rows)*int64(is.cols), x.size/2+1))
	l, column := x.fields(0, is.separator), 0
	for l.next() {
		if l.line < is.first {
			continue // this line has the names of the columns
		}
		if column++; column <= is.cols { // further columns are only counted, for the error below
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
	return mat.NewDense(is.rows, is.cols, values), nil
}

// layout is the arrangement of the numbers in a text.
type layout struct {
	rows, cols int
	first      int // the number of the line that the first row is in
	separator  rune
}

// layout counts the rows, and the columns of the first row. One line of names may come before it.
func (x *reading) layout() (is layout, err error) {
	if is.separator, err = x.separatorFrom(0); err != nil {
		return is, err
	}
	l, names, header := x.fields(0, is.separator), true, false
	for l.next() {
		if is.rows == 0 {
			is.cols++
			names = names && isName(string(l.field))
		}
		switch {
		case !l.last:
		case is.rows == 0 && names && !header:
			header, is.cols = true, 0
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
	return is, l.err
}

// number returns the number in field, and fails where it is not a finite number. line and column are for errors.
func (x *reading) number(field string, line, column int) (float64, error) {
	v, err := strconv.ParseFloat(field, 64)
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

// isName reports whether a field names a column: it is a word, or quoted.
func isName(field string) bool {
	if _, err := strconv.ParseFloat(field, 64); err == nil {
		return false // "nan" is no name
	}
	first, _ := utf8.DecodeRuneInString(field)
	return unicode.IsLetter(first) || strings.ContainsRune(`_"'`, first)
}
