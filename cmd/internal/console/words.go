package console

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// MostNames is the greatest number of names that a message lists.
const MostNames = 10

// FirstOf returns the first MostNames of names, joined by commas, and how many more there are.
func FirstOf(names []string) string { return FirstOfMany(names, len(names)) }

// FirstOfMany is FirstOf for count names, of which only the first MostNames need be in names.
func FirstOfMany(names []string, count int) string {
	names = names[:min(len(names), MostNames)]
	if count <= len(names) {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names, ", "), count-len(names))
}

// Count returns "1 thing", or "n things" with an s behind thing.
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Bytes returns n bytes as text, in MiB, rounded down, or in GiB from 1 GiB.
func Bytes(n int64) string {
	if n < 1<<30 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
}

// Quantity returns n, 0 or more, as text of three digits with a prefix for thousands: 950, 24.9 K, 1.21 M, 38 T.
func Quantity(n float64) string {
	prefix := ""
	for _, larger := range []string{"K", "M", "G", "T", "P", "E"} {
		if n < 999.5 { // which is 1000 in three digits
			break
		}
		n, prefix = n/1000, " "+larger
	}
	return fmt.Sprintf("%.3g%s", n, prefix)
}

// Quoted returns text as one word of a POSIX shell, in single quotes if it needs any.
func Quoted(text string) string {
	if strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-,:=+@/") == "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// Finite returns a pointer to v, or nil if v is NaN or infinite, which JSON cannot hold.
func Finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// Number formats *v, a result of Finite, or returns "-" if v is nil.
func Number(format string, v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf(format, *v)
}

// Told returns n in digits, or "" if n is 0, which stands for a count that is not known.
func Told(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// Figure formats v, or returns a dash if v is NaN.
func Figure(format string, v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	return fmt.Sprintf(format, v)
}
