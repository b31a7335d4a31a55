// Package usage makes errors about wrong requests of a user: a setting out of its range, or an unknown name. They wrap
// [ErrSettings], by which the program tells them from errors about data; its exit code then says wrong usage.
package usage

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrSettings is wrapped by every error of Errorf. Errors about data do not wrap it.
var ErrSettings = errors.New("wrong settings")

type settingsError string

func (e settingsError) Error() string        { return string(e) }
func (e settingsError) Is(target error) bool { return target == ErrSettings }

// Errorf returns an error that wraps ErrSettings, with the text of fmt.Sprintf. It does not wrap errors among args.
func Errorf(format string, args ...any) error { return settingsError(fmt.Sprintf(format, args...)) }

// Unknown returns the text of an error about name, which is not among known, the names of things of the given kind. It
// suggests the nearest known name, if one is near, and lists them all. Names of more than 60 bytes are cut.
func Unknown(kind, name string, known []string) string {
	if len(name) > 60 {
		name = name[:60] + "..."
	}
	text := fmt.Sprintf("unknown %s %q", kind, name)
	if nearest := nearest(name, known, max(2, len(name)/3)); nearest != "" {
		text += fmt.Sprintf("; did you mean %q?", nearest)
	}
	if len(known) == 0 {
		return text + "; there are none"
	}
	return text + " (known: " + strings.Join(known, " ") + ")"
}

// Meant returns the word of known that name was most likely meant as: the nearest by spelling, else the only one that
// begins with name; or "" if there is none. It is stricter than the suggestion of Unknown, for lists that are long.
func Meant(name string, known []string) string {
	if word := nearest(name, known, max(1, len(name)/3)); word != "" || len(name) < 3 {
		return word
	}
	longer := slices.DeleteFunc(slices.Clone(known), func(k string) bool { return !strings.HasPrefix(k, name) })
	if len(longer) != 1 {
		return ""
	}
	return longer[0]
}

// nearest returns the word of known with the least distance to name, at most the distance most, or "" if there is none.
func nearest(name string, known []string, most int) (word string) {
	least := most + 1
	for _, k := range known {
		d := editDistance(name, k)
		if sortedBytes(name) == sortedBytes(k) {
			d = 1 // the right letters in another order, which is the most frequent mistake
		}
		if d < least && d < max(len(name), len(k)) { // at the full distance they have nothing in common
			word, least = k, d
		}
	}
	return word
}

// editDistance returns the Levenshtein distance of two words: the least number of bytes to insert, delete or replace
// between a and b.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1) // row[j] is the distance from the part of a that was read so far to b[:j]
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// sortedBytes returns the bytes of a word in ascending order.
func sortedBytes(word string) string {
	b := []byte(word)
	slices.Sort(b)
	return string(b)
}

// Bytes returns n bytes as text, in MiB, rounded down, or in GiB from 1 GiB.
func Bytes(n int64) string {
	if n < 1<<30 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}
