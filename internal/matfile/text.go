package matfile

import (
	"bufio"
	"errors"
	"io"
	"iter"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gonum.org/v1/gonum/mat"

	"superres/internal/safefile"
)

// maxLine is the longest line of a text, in bytes.
const maxLine = 256 << 20

// text reads numbers in lines. It goes over them twice: once to count, so that
// memory is allocated once, after the caller has agreed.
func (x *reading) text() (*mat.Dense, error) {
	var (
		rows, cols int
		first      int // the number of the first line with numbers
		header     = -1
		separator  rune
	)
	err := x.lines(func(number int, line string) error {
		if rows == 0 {
			separator = separatorOf(line)
			if header < 0 && isHeader(fields(line, separator)) {
				header = number
				return nil
			}
			first = number
			for range fields(line, separator) {
				cols++
			}
		}
		rows++
		return nil
	})
	if err != nil {
		return nil, err
	}
	if rows == 0 {
		return nil, x.refuse("holds no numbers; expected a matrix as .npy, .npz or .csv")
	}
	if err := x.accept(rows, cols); err != nil {
		return nil, err
	}
	// Lines that are not equally long may make a product beyond all bounds; a
	// number takes two bytes at least.
	values := make([]float64, 0, min(int64(rows)*int64(cols), x.size/2+1))
	err = x.lines(func(number int, line string) error {
		if number == header {
			return nil
		}
		column := 0
		for field := range fields(line, separator) {
			if column++; column > cols {
				continue // counted for the error below
			}
			v, err := x.number(field, number, column)
			if err != nil {
				return err
			}
			values = append(values, v)
		}
		if column != cols {
			return x.refuse("line %d has %d numbers, line %d has %d; give every line as many", number, column, first, cols)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(values) != rows*cols {
		return nil, x.refuse("changed while it was read; try again")
	}
	return mat.NewDense(rows, cols, values), nil
}

// number reads a field of a line.
func (x *reading) number(field string, line, column int) (float64, error) {
	v, err := strconv.ParseFloat(field, 64)
	switch {
	case err == nil && v-v == 0: // finite
		return v, nil
	case err == nil:
		return 0, x.refuse("line %d, column %d: %s is not finite; replace it", line, column, field)
	case field == "":
		return 0, x.refuse("line %d, column %d is empty; fill it in, or leave the names of rows and columns out", line, column)
	case errors.Is(err, strconv.ErrRange):
		return 0, x.refuse("line %d, column %d: %.40s is too large; scale the data", line, column, field)
	case strings.Contains(field, ","):
		return 0, x.refuse("line %d, column %d: %.40q is no number; write decimals with a point", line, column, field)
	}
	return 0, x.refuse("line %d, column %d: %.40q is no number; write numbers with commas or blank space between them", line, column, field)
}

// lines calls do with the lines that hold more than blank space and comments, and
// their numbers from 1.
func (x *reading) lines(do func(number int, line string) error) error {
	scanner := bufio.NewScanner(io.NewSectionReader(x.r, 0, x.size))
	scanner.Buffer(nil, maxLine)
	for number := 1; scanner.Scan(); number++ {
		line := scanner.Text()
		if number == 1 {
			line = strings.TrimPrefix(line, "\ufeff")
		}
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if err := do(number, line); err != nil {
			return err
		}
	}
	switch err := scanner.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return safefile.Refuse(safefile.ErrLimit, x.name, "has a line of more than %d MiB; save the matrix as .npy", maxLine>>20)
	case err != nil:
		return x.refuse("cannot be read: %v; check the disk", err)
	}
	return nil
}

// separatorOf tells what stands between the numbers of a line; ' ' is blank space
// of any kind and length.
func separatorOf(line string) rune {
	for _, s := range ";," {
		if strings.ContainsRune(line, s) {
			return s
		}
	}
	return ' '
}

// fields returns the parts of a line without the space around them.
func fields(line string, separator rune) iter.Seq[string] {
	if separator == ' ' {
		return strings.FieldsSeq(line)
	}
	return func(yield func(string) bool) {
		for field := range strings.SplitSeq(line, string(separator)) {
			if !yield(strings.TrimSpace(field)) {
				return
			}
		}
	}
}

// isHeader tells whether a line names columns: every field is a word, or quoted.
func isHeader(fields iter.Seq[string]) bool {
	for field := range fields {
		if _, err := strconv.ParseFloat(field, 64); err == nil {
			return false // "nan" is no name
		}
		first, _ := utf8.DecodeRuneInString(field)
		if !unicode.IsLetter(first) && !strings.ContainsRune(`_"'`, first) {
			return false
		}
	}
	return true
}
