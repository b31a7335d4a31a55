package recovery

import (
	"encoding/csv"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"superres/learners/planted"
)

// columns are the fields of a trial, by name in JSON, in the order of the columns in trials.csv.
var columns = strings.Fields("m k s n noise trial seed learner coder limit assigned in_order recovered rmse " +
	"non_zeros iterations replaced stop seconds failure program revision atoms coefficients use coherence outliers " +
	"by_chance least falling")

// results are the columns that stay empty if a trial failed.
var results = strings.Fields("assigned in_order recovered rmse non_zeros iterations replaced stop seconds least " +
	"falling")

// fields returns the values of the fields of t, by name in JSON.
func fields(t *planted.Trial) map[string]reflect.Value {
	v, list := reflect.ValueOf(t).Elem(), map[string]reflect.Value{}
	for _, f := range reflect.VisibleFields(v.Type()) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			list[name] = v.FieldByIndex(f.Index)
		}
	}
	return list
}

// csv writes the table trials.csv: a line of names, and a line for every trial. Fields without a value are empty: the
// results of a failed trial, and an unknown number of iterations.
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
