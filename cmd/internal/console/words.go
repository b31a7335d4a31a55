package console

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// MostNames is how many names a list in a message has.
const MostNames = 10

// FirstOf lists the first MostNames names, and says how many more there are.
func FirstOf(names []string) string { return FirstOfMany(names, len(names)) }

// FirstOfMany is FirstOf for a number of names of which no more than the first MostNames are known.
func FirstOfMany(names []string, count int) string {
	names = names[:min(len(names), MostNames)]
	if count <= len(names) {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names, ", "), count-len(names))
}

// Count words a number of things.
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Bytes words a number of bytes.
func Bytes(n int64) string {
	if n < 1<<30 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}

// Quoted makes a word of text for a shell.
func Quoted(text string) string {
	if strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-,:=+@/") == "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// Finite is a number, or nil where it is none: JSON has no other.
func Finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// Number words what Finite gave, with a dash for none.
func Number(format string, v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf(format, *v)
}

// Told writes a count of what there is one of at least, and nothing for 0: nobody has told it.
func Told(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// Figure writes a number, or a dash for none.
func Figure(format string, v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return fmt.Sprintf(format, v)
}
