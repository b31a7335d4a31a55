package rules

import (
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// The longest line of Go, in columns.
const (
	mostColumns = 120
	tabColumns  = 4
)

// longLines returns a complaint for each line of a Go file that is too long. Lines with a part of a raw string are left
// alone, since they cannot be broken.
func longLines(name string, src []byte) (found []string) {
	raw := map[int]bool{}
	var s scanner.Scanner
	file := token.NewFileSet().AddFile(name, -1, len(src))
	s.Init(file, src, nil, 0)
	for {
		pos, kind, text := s.Scan()
		if kind == token.EOF {
			break
		}
		if kind == token.STRING && text[0] == '`' {
			for i := range strings.Count(text, "\n") + 1 {
				raw[file.Line(pos)+i] = true
			}
		}
	}
	number := 0
	for line := range strings.Lines(string(src)) {
		number++
		line = strings.TrimRight(line, "\r\n")
		n := utf8.RuneCountInString(line) + strings.Count(line, "\t")*(tabColumns-1)
		if n > mostColumns && !raw[number] {
			found = append(found, fmt.Sprintf("%s:%d: a line has at most %d columns, got %d", name, number, mostColumns,
				n))
		}
	}
	return found
}

// TestLinesAreShort looks at all Go files, also of nested modules, but for generated ones.
func TestLinesAreShort(t *testing.T) {
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		src, err := os.ReadFile(path)
		if err != nil || isGenerated(src) {
			return err
		}
		for _, f := range longLines(path, src) {
			t.Error(f)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func isGenerated(src []byte) bool {
	return slices.ContainsFunc(strings.Split(string(src), "\n"), func(line string) bool {
		return strings.HasPrefix(line, "// Code generated ") && strings.HasSuffix(line, " DO NOT EDIT.")
	})
}

func TestLongLines(t *testing.T) {
	long := strings.Repeat("x", mostColumns)
	for src, want := range map[string]int{
		"// " + long[3:]:                       0,
		"// " + long[2:]:                       1,
		"\t// " + long[7:]:                     0,
		"\t// " + long[6:]:                     1,
		"// " + strings.Repeat("é", 117):       0,
		"var s = `" + long + "\n" + long + "`": 0,
		"var s = \"" + long + "\"":             1,
	} {
		if got := longLines("a.go", []byte("package a\n"+src+"\n")); len(got) != want {
			t.Errorf("%.20q: %v, expected %d", src, got, want)
		}
	}
}
