package console

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"superres/internal/imagefile"
	"superres/internal/must"
	"superres/internal/safefile"
)

// Messages shorten a name that is longer than any file name may be.
func TestLongNamesInMessages(t *testing.T) {
	name := strings.Repeat("long/", 820) + "a.png"
	got := Message(fmt.Errorf("%s exists, and so does %q; use another -o", name, name))
	whole := strings.HasPrefix(got, "long/long/") && strings.Contains(got, "/a.png exists, and so does \"long/") &&
		strings.HasSuffix(got, "; use another -o")
	if len(got) > 500 || !whole {
		t.Errorf("%d characters: %s", len(got), got)
	}
}

// Message returns these exact texts, wherever the fault is among wrapped errors.
func TestRemedies(t *testing.T) {
	taken := safefile.Unwritable("a.png", fs.ErrExist)
	_, format := imagefile.FormatOf("a.gif")
	huge := safefile.Refuse(safefile.ErrLimit, "b.png", "9x9 is 81 pixels, the limit is 80").With(imagefile.MorePixels)
	late, _ := safefile.Stopped(context.DeadlineExceeded, "c.png")
	for want, err := range map[string]error{
		"a.png: already exists; use --on-exist overwrite or another name": taken,
		"superres: a.png: already exists; use --on-exist overwrite or another name " +
			"(later)": fmt.Errorf("superres: %w (later)", taken),
		"a.gif: cannot write \".gif\" files (known: PNG JPEG WebP TIFF BMP AVIF); use --format or another name": format,
		"b.png: 9x9 is 81 pixels, the limit is 80; use --max-pixels\nc.png: ran out of time; use " +
			"--timeout": errors.Join(huge, late),
		"x/b.png: 9x9; use --max-pixels and b.png: " + "9x9": fmt.Errorf("%w and %w",
			safefile.Refuse(safefile.ErrLimit, "x/b.png", "9x9").With(imagefile.MorePixels),
			safefile.Refuse(safefile.ErrLimit, "b.png", "9x9")),
		"d.png: too dear, b.png: 9x9 is 81 pixels, the limit is 80; use " +
			"--max-pixels": &safefile.Fault{Name: "d.png", Reason: "too dear, " + huge.Error(),
			Cause: huge},
		"e.png: is empty": Fail(ExitInput, safefile.Refuse(safefile.ErrInput, "e.png", "is empty")),
		"interrupted":     Interrupt{},
	} {
		if got := advised(err); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
	if got := ExitCode(fmt.Errorf("%w", huge)); got != ExitLimit {
		t.Errorf("exit code %d", got)
	}
}

// Every safefile.Remedy that a package defines has a text in remedies.
func TestRemediesAreWorded(t *testing.T) {
	files, err := filepath.Glob("../../../internal/*/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	defined := 0
	for _, name := range files {
		file := must.Get(parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution))(t)
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || !strings.HasSuffix(types.ExprString(spec.Type), "Remedy") {
				return true
			}
			for i, v := range spec.Values {
				defined++
				text, err := strconv.Unquote(types.ExprString(v))
				if err != nil || remedies[safefile.Remedy(text)] == "" {
					t.Errorf("%s: %s has no words", name, spec.Names[i])
				}
			}
			return true
		})
	}
	if defined != len(remedies) {
		t.Errorf("%d remedies are defined, %d have words", defined, len(remedies))
	}
}
