package recovery

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"superres/cmd/internal/console"
	"superres/internal/safefile"
	"superres/learners/planted"
)

// tableName is the name of the file with a line for every trial. A later call takes the finished trials from this file
// where the folder has no journal.
const tableName = "trials.csv"

// columns are the fields of a trial, by their names in JSON, in the order of the columns of the table. Those from
// "least" on are missing in tables of before.
var columns = strings.Fields("m k s n noise trial seed learner coder limit assigned in_order recovered rmse " +
	"non_zeros iterations replaced stop seconds failure program revision atoms coefficients use coherence outliers " +
	"by_chance least falling")

// fewestColumns is the number of columns of tables of before.
const fewestColumns = 28

// results are the columns that are empty for a trial that failed. The number of iterations is also empty where it is
// not known.
var results = strings.Fields("assigned in_order recovered rmse non_zeros iterations replaced stop seconds least " +
	"falling")

// fields returns the fields of t by their names in JSON.
func fields(t *planted.Trial) map[string]reflect.Value {
	v, list := reflect.ValueOf(t).Elem(), map[string]reflect.Value{}
	for _, f := range reflect.VisibleFields(v.Type()) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			list[name] = v.FieldByIndex(f.Index)
		}
	}
	return list
}

// csv writes a line for every trial.
func (f findings) csv(w io.Writer) error {
	out := csv.NewWriter(w)
	rows := [][]string{columns}
	for _, t := range f.trials {
		of := fields(&t)
		var row []string
		for _, name := range columns {
			text := fmt.Sprint(of[name])
			if t.Failure != "" && slices.Contains(results, name) || name == "iterations" && text == "0" {
				text = ""
			}
			row = append(row, text)
		}
		rows = append(rows, row)
	}
	return out.WriteAll(rows)
}

// parseField sets a field from text, which fmt.Sprint made. It fails for other texts.
func parseField(field reflect.Value, text string) error {
	if field.Kind() == reflect.String {
		field.SetString(text)
		return nil
	}
	return json.Unmarshal([]byte(text), field.Addr().Interface())
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
		return nil, console.Failf(console.ExitOutput, "%s: %w; remove it to have its trials again, or use another -o",
			name, err)
	}
	return trials, nil
}

// parseTable returns the trials of a table that findings.csv wrote, perhaps of an earlier version, which had fewer
// columns. It fails where r holds anything else.
func parseTable(r io.Reader) (trials []planted.Trial, err error) {
	in := csv.NewReader(r)
	in.ReuseRecord = true
	for i := 0; ; i++ {
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
		of := fields(&t)
		for k, name := range columns[:len(row)] {
			switch {
			case i == 0 && row[k] != name:
				return nil, fmt.Errorf("column %d is %q, expected %q", k+1, row[k], name)
			case i == 0 || row[k] == "" && slices.Contains(results, name):
				continue
			}
			if err := parseField(of[name], row[k]); err != nil {
				return nil, fmt.Errorf("trial %d, %s: %w", i, name, err)
			}
		}
		if i > 0 {
			trials = append(trials, t)
		}
	}
}
