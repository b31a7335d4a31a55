// Package usage builds errors about wrong requests of a user: a setting out of its range, or an unknown name. They wrap
// [ErrSettings], which distinguishes them from errors about data; the program then exits with the code for wrong usage.
package usage

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrSettings is wrapped by every error from Errorf. Errors about data do not wrap it.
var ErrSettings = errors.New("wrong settings")

type settingsError string

func (e settingsError) Error() string        { return string(e) }
func (e settingsError) Is(target error) bool { return target == ErrSettings }

// Errorf returns an error that wraps ErrSettings, with the text of fmt.Sprintf. It does not wrap errors in args.
func Errorf(format string, args ...any) error { return settingsError(fmt.Sprintf(format, args...)) }

// Unknown returns the text of an error about a name that is not in known. kind is the word for things with such names.
// The text suggests the nearest known name, if one is near, and lists all known names. name is cut after 60 bytes.
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

// Meant returns the word in known that the user most likely meant by name: the nearest in spelling, else the only word
// that begins with name, of 3 bytes or more, else "". It is stricter than the suggestion of Unknown, for long lists.
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

// nearest returns the word of known with the smallest distance to name, or "" if no distance is at most limit.
func nearest(name string, known []string, limit int) (word string) {
	least := limit + 1
	for _, k := range known {
		d := editDistance(name, k)
		if sortedBytes(name) == sortedBytes(k) {
			d = 1 // the right letters in the wrong order, the most frequent mistake
		}
		if d < least && d < max(len(name), len(k)) { // at the greatest distance, words have nothing in common
			word, least = k, d
		}
	}
	return word
}

// editDistance returns the Levenshtein distance: the fewest bytes to insert, delete or replace that turn a into b.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1) // row[j] is the distance from the part of a read so far to b[:j]
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

// Bytes returns n bytes as text: in MiB, rounded down, or from 1 GiB on in GiB.
func Bytes(n int64) string {
	if n < 1<<30 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}
