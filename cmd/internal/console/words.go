package console

import (
	"fmt"
	"math"
	"strings"
	"time"

	"superres/internal/usage"
)

// mostNames is the greatest number of names that a message lists.
const mostNames = 10

// FirstOf returns names joined by commas; of more than mostNames, only the first mostNames and "and N more".
func FirstOf(names []string) string {
	if len(names) <= mostNames {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:mostNames], ", "), len(names)-mostNames)
}

// Count returns n and thing as text, such as "1 file" or "3 files", with an s after thing unless n is 1.
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

func Bytes(n int64) string { return usage.Bytes(n) }

// Elapsed returns the time that work took, in seconds, as text: "0.42 s", "4.2 s", "42 s", "2 min 5 s", "1 h 20 min".
func Elapsed(seconds float64) string {
	switch whole := int(seconds + 0.5); { // 0.995 would become 1.00, and 9.95 become 10.0
	case seconds < 0.995:
		return fmt.Sprintf("%.2f s", seconds)
	case seconds < 9.95:
		return fmt.Sprintf("%.1f s", seconds)
	case whole < 100:
		return fmt.Sprintf("%d s", whole)
	case whole < 3600:
		return fmt.Sprintf("%d min %d s", whole/60, whole%60)
	default:
		return fmt.Sprintf("%d h %d min", whole/3600, whole%3600/60)
	}
}

// Remaining returns d as text such as "about 40 s left": in seconds below 100 s, in minutes below 2 hours, or in hours.
func Remaining(d time.Duration) string {
	switch seconds := max(d.Seconds(), 1); {
	case seconds < 100:
		return fmt.Sprintf("about %.0f s left", seconds)
	case seconds < 7200:
		return fmt.Sprintf("about %.0f min left", seconds/60)
	default:
		return fmt.Sprintf("about %.0f h left", seconds/3600)
	}
}

// Quantity returns n, 0 or more, as text with three digits and a prefix for powers of 1000: 950, 24.9 K, 1.21 M, 38 T.
func Quantity(n float64) string {
	prefix := ""
	for _, larger := range []string{"K", "M", "G", "T", "P", "E"} {
		if n < 999.5 { // 999.5 would be 1000 in three digits
			break
		}
		n, prefix = n/1000, " "+larger
	}
	return fmt.Sprintf("%.3g%s", n, prefix)
}

// Quoted returns text as one word for a POSIX shell, in single quotes if it needs them.
func Quoted(text string) string {
	if strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-,:=+@/") == "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// Finite returns a pointer to v, or nil if v is NaN or infinite, which JSON cannot represent.
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
