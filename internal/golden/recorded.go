package golden

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"superres/internal/must"
)

// Recorded is the command line that a model file records as its origin.
type Recorded struct {
	testing.TB
	// Command is the whole command line.
	Command string
}

// Flag returns the value of --name in the command line, after a space or =, and ends the test if there is none.
func (r Recorded) Flag(name string) string {
	r.Helper()
	words := strings.FieldsFunc(r.Command, func(c rune) bool { return c == ' ' || c == '=' })
	for i, w := range words[:len(words)-1] {
		if w == "--"+name {
			return words[i+1]
		}
	}
	r.Fatalf("the command has no --%s: %s", name, r.Command)
	return ""
}

// Decimal returns the value of the flag called name as a number.
func (r Recorded) Decimal(name string) float64 {
	r.Helper()
	return must.Get(strconv.ParseFloat(r.Flag(name), 64))(r)
}

// Number returns the value of the flag called name as an integer.
func (r Recorded) Number(name string) int {
	r.Helper()
	return must.Get(strconv.Atoi(r.Flag(name)))(r)
}

// Shipped opens the file name in superres/models, and returns it and its size in bytes. It is closed after the test.
func Shipped(t testing.TB, name string) (file *os.File, size int64) {
	t.Helper()
	file = must.Get(os.Open(filepath.Join(Root(t), "superres", "models", name)))(t)
	t.Cleanup(func() { file.Close() })
	return file, must.Get(file.Stat())(t).Size()
}
