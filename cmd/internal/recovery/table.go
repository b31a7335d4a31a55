package recovery

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"superres/cmd/internal/console"
	"superres/internal/safefile"
	"superres/learners/planted"
)

// tableName is the name of the file with a line for every trial. A later call takes the finished trials from this file
// where the folder has no journal.
const tableName = "trials.csv"

// tableColumn is a column of trials.csv.
type tableColumn struct {
	name string
	// result: the column is part of the result, and empty for a trial that failed. false: it is always filled.
	result bool
	field  func(*planted.Trial) any // returns a pointer to the field of a trial that the column holds
}

var columns = []tableColumn{
	{"m", false, func(t *planted.Trial) any { return &t.M }},
	{"k", false, func(t *planted.Trial) any { return &t.K }},
	{"s", false, func(t *planted.Trial) any { return &t.S }},
	{"n", false, func(t *planted.Trial) any { return &t.N }},
	{"noise", false, func(t *planted.Trial) any { return &t.Noise }},
	{"trial", false, func(t *planted.Trial) any { return &t.Task.Trial }},
	{"seed", false, func(t *planted.Trial) any { return &t.Seed }},
	{"learner", false, func(t *planted.Trial) any { return &t.Learner }},
	{"coder", false, func(t *planted.Trial) any { return &t.Coder }},
	{"limit", false, func(t *planted.Trial) any { return &t.Limit }},
	{"assigned", true, func(t *planted.Trial) any { return &t.Assigned }},
	{"in_order", true, func(t *planted.Trial) any { return &t.InOrder }},
	{"recovered", true, func(t *planted.Trial) any { return &t.Recovered }},
	{"rmse", true, func(t *planted.Trial) any { return &t.RMSE }},
	{"non_zeros", true, func(t *planted.Trial) any { return &t.NonZeros }},
	{"iterations", true, func(t *planted.Trial) any { return (*optionalInt)(&t.Iterations) }},
	{"replaced", true, func(t *planted.Trial) any { return &t.Replaced }},
	{"stop", true, func(t *planted.Trial) any { return &t.Stop }},
	{"seconds", true, func(t *planted.Trial) any { return &t.Seconds }},
	{"failure", false, func(t *planted.Trial) any { return &t.Failure }},
	{"program", false, func(t *planted.Trial) any { return &t.Program }},
	{"revision", false, func(t *planted.Trial) any { return &t.Revision }},
	{"atoms", false, func(t *planted.Trial) any { return &t.Atoms }},
	{"coefficients", false, func(t *planted.Trial) any { return &t.Coefficients }},
	{"use", false, func(t *planted.Trial) any { return &t.Use }},
	{"coherence", false, func(t *planted.Trial) any { return &t.Coherence }},
	{"outliers", false, func(t *planted.Trial) any { return &t.Outliers }},
	{"by_chance", false, func(t *planted.Trial) any { return &t.ByChance }},
	{"least", true, func(t *planted.Trial) any { return &t.Least }},
	{"falling", true, func(t *planted.Trial) any { return &t.Falling }},
}

// fewestColumns is the number of columns that tables have had from the first.
const fewestColumns = 28

// optionalInt is a number that is unknown when it is 0, and then an empty field of the table.
type optionalInt int

// columnNames returns the head of the table.
func columnNames() (names []string) {
	for _, c := range columns {
		names = append(names, c.name)
	}
	return names
}

// csv writes a line for every trial.
func (f findings) csv(w io.Writer) error {
	out := csv.NewWriter(w)
	rows := [][]string{columnNames()}
	for _, t := range f.all {
		row := make([]string, len(columns))
		for i, c := range columns {
			if !c.result || t.Failure == "" {
				row[i] = formatField(c.field(&t))
			}
		}
		rows = append(rows, row)
	}
	return out.WriteAll(rows)
}

// formatField returns the text in the table for field, a pointer to a field of a trial.
func formatField(field any) string {
	switch v := field.(type) {
	case *int:
		return strconv.Itoa(*v)
	case *optionalInt:
		return console.Told(int(*v))
	case *uint64:
		return strconv.FormatUint(*v, 10)
	case *bool:
		return strconv.FormatBool(*v)
	case *float64:
		return strconv.FormatFloat(*v, 'g', -1, 64)
	}
	return *field.(*string)
}

// parseField sets the variable that field points to from text, which formatField made. It fails for other texts.
func parseField(field any, text string) (err error) {
	switch v := field.(type) {
	case *int:
		*v, err = strconv.Atoi(text)
	case *optionalInt:
		if text != "" {
			return parseField((*int)(v), text)
		}
	case *uint64:
		*v, err = strconv.ParseUint(text, 10, 64)
	case *bool:
		*v, err = strconv.ParseBool(text)
	case *float64:
		*v, err = strconv.ParseFloat(text, 64)
	case *string:
		*v = text
	}
	return err
}

// readTable returns the trials of the table in a folder, or none where there is no table.
func readTable(folder string) ([]planted.Trial, error) {
	name := filepath.Join(folder, tableName)
	if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	f, size, err := safefile.OpenRegular(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	trials, err := parseTable(io.LimitReader(f, size))
	if err != nil {
		return nil, console.Failf(console.ExitOutput, "%s: %w; remove it to have its trials anew, or use another -o",
			name, err)
	}
	return trials, nil
}

// parseTable returns the trials of a table that findings.csv wrote, perhaps of an earlier version, which had fewer
// columns. It fails where r holds anything else.
func parseTable(r io.Reader) (trials []planted.Trial, err error) {
	in := csv.NewReader(r)
	in.ReuseRecord = true
	for i, names := 0, columnNames(); ; i++ {
		row, err := in.Read()
		switch {
		case errors.Is(err, io.EOF) && i > 0:
			return trials, nil
		case err != nil:
			return nil, fmt.Errorf("it is no table of trials: %w", err)
		case len(row) > len(columns) || len(row) < fewestColumns:
			return nil, fmt.Errorf("it is no table of trials: %d columns", len(row))
		}
		var t planted.Trial
		for k, c := range columns[:len(row)] {
			switch {
			case i == 0 && row[k] != names[k]:
				return nil, fmt.Errorf("column %d is %q, expected %q", k+1, row[k], names[k])
			case i == 0 || c.result && row[k] == "":
				continue
			}
			if err := parseField(c.field(&t), row[k]); err != nil {
				return nil, fmt.Errorf("trial %d, %s: %w", i, c.name, err)
			}
		}
		if i > 0 {
			trials = append(trials, t)
		}
	}
}
