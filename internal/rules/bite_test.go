package rules

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"superres/internal/must"
)

// A rule that cannot fail keeps nothing: a small module that breaks each of them
// must be found out, and what looks like a break must not.
func TestRulesBite(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{
		"go.mod": "",

		"cmd/m/main.go": `package main; import ("fmt"; "os"; "github.com/urfave/cli/v2"); func main() { ` +
			`fmt.Println(cli.App{}); os.Exit(0) }`,

		"learners/a.go":               `package learners; import "m/internal/kernel"`,
		"learners/a_test.go":          `package learners_test; import ("m/learners"; "m/patches")`,
		"learners/sparse/s.go":        `package sparse; import "m/internal/imagery"`, // no image, but like it
		"internal/kernel/k.go":        `package kernel; import "m/internal/pixel"`,
		"internal/kernel/k_test.go":   `package kernel; import "m/patches"`, // no concern of those who import kernel
		"internal/pixel/p_windows.go": `package pixel; import "image/color"`,
		"internal/imagery/i.go":       `package imagery`,

		"mnist/m.go":               `package mnist; import ("image"; "m/internal/pixel")`,
		"mnist/m_test.go":          `package mnist_test; import ("m/mnist"; "example.org/x")`,
		"internal/attic/a.go":      `package attic; import ("m/internal/kernel"; "m/learners")`,
		"internal/enlarging/e.go":  `package enlarging; import "m/superres/plain"`, // of the floor of superres
		"internal/closet/c.go":     `package closet; import "m/internal/enlarging"`,
		"superres/plain/p.go":      `package plain`,
		"internal/attic/a_test.go": `package attic; import "m/learners/sparse"`, // tests may climb
		"superres/s.go":            `package superres; import _ "github.com/urfave/cli/v2/altsrc"`,
		"superres/shown.go": `package superres
			import (k "m/internal/kernel"; "m/learners")
			func Func(x []k.A) learners.T { var hidden k.Z }
			func (t *T) Method() (map[int]k.B, error)
			type T struct { Field chan k.C; hidden k.Z }
			type Interface interface { Method(k.D); hidden(k.Z) }
			var Var, hidden k.E
			type Embeds struct { *k.F }
			type Alias = k.G
			type hidden struct { Field k.Z }
			func (h hidden) Method() k.Z`,
		"superres/testdata/t.go": `package not Go at all`,
		"superres/nested/go.mod": "", "superres/nested/n.go": `package nested; import . "fmt"`,

		"internal/loud/a.go": `package loud; import ("fmt"; l "log"; "os"); var w = os.Stderr; func f() { ` +
			`l.Fatal(); println(); fmt.Printf(""); os.Exit(1) }`,
		"internal/loud/b.go": `package loud; import . "fmt"; func g() { Println() }`,
		// Names that only look like the packages, and uses that print nothing.
		"internal/loud/c.go": `package loud; import "fmt"; var log, os T; var s = fmt.Sprint(log.Fatal, ` +
			`os.Exit); var x = T{}.println()`,
		"internal/loud/c_test.go": `package loud; import "fmt"; func init() { fmt.Println() }`,
		"internal/loud/make.go": "// A generator.\n\n//go:build ignore\n\npackage main; import \"fmt\"; func " +
			"main() { fmt.Println() }",

		"internal/y4m/a.go": `package y4m; import "image"; const four = 4; func f(w, h int, p []int) {
			_ = image.NewGray(image.Rect(0, 0, w, h)); _ = make([]byte, four*w*h)
			_ = make([]int, 1, 2+len(p)*w); _ = imagefile.Size{}; _ = Size{w, h} }`,
		// What was checked, or is there already, or grows with one number alone.
		"internal/y4m/b.go": `package y4m; import "image"; func g(s Size, m image.Image, p []int) {
			_, _ = image.NewGray(s.Bounds()), image.NewNRGBA(m.Bounds())
			_, _, _ = make([]int, four*len(p)), make(map[int]int), make([]byte, 8*four*2); _ = Size{} }`,
		"internal/y4m/b_test.go":       `package y4m; var m = make([]byte, w*h)`,
		"internal/sequence/giffile.go": `package sequence; var m = make([]byte, w*h)`,
		"internal/loud/pixels.go":      `package loud; var m = make([]byte, w*h)`,

		"internal/loud/curve.go": `package loud; import m "math"; var f, y = m.Tanh, m.Sqrt(2) + m.Exp(m.Floor(m.Pi))`,
		"internal/report/r.go":   `package report; import "math"; var y = math.Log10(2)`,

		"internal/wordy/a.go": `package wordy; var a, b = "too large; use --max-pixels or --tile", ` + "`--json`" +
			`; var c = "write it with -o, or use - for none"`,
		// A flag in a comment or a test, and dashes that are none.
		"internal/wordy/b.go":      "package wordy // has --no-flag\nvar d = `a -- b, a--b, x---y, -1, use -1 or -x.`",
		"internal/wordy/b_test.go": `package wordy; var e = "--in-test"`,
		"cmd/m/words.go":           `package main; var f = "use --any"`,
	}
	for name, content := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		must.Succeed(t, os.MkdirAll(filepath.Dir(name), 0o777))
		must.Succeed(t, os.WriteFile(name, []byte(content), 0o666))
	}
	want := []string{
		"a floor stands on those below it: ./internal/attic → ./learners",
		"a floor stands on those below it: ./internal/closet → ./internal/enlarging",
		"a floor stands on those below it: ./mnist → ./internal/pixel",
		"exported signatures have no internal types: superres/shown.go has kernel.A in Func",
		"exported signatures have no internal types: superres/shown.go has kernel.B in Method",
		"exported signatures have no internal types: superres/shown.go has kernel.C in T.Field",
		"exported signatures have no internal types: superres/shown.go has kernel.D in Interface.Method",
		"exported signatures have no internal types: superres/shown.go has kernel.E in Var",
		"exported signatures have no internal types: superres/shown.go has kernel.F in Embeds",
		"exported signatures have no internal types: superres/shown.go has kernel.G in Alias",
		"learners know no pictures: ./learners (test) → ./patches",
		"learners know no pictures: ./learners → ./internal/kernel → ./internal/pixel → image/color",
		"mnist imports only the standard library: ./mnist (test) → example.org/x",
		"mnist imports only the standard library: ./mnist → ./internal/pixel",
		"only cmd imports the command-line library: ./superres → github.com/urfave/cli/v2/altsrc",
		"only cmd names a flag: internal/wordy/a.go names --json",
		"only cmd names a flag: internal/wordy/a.go names --max-pixels",
		"only cmd names a flag: internal/wordy/a.go names --tile",
		"only cmd names a flag: internal/wordy/a.go names -o",
		"only cmd prints or exits: internal/loud/a.go uses fmt.Printf",
		"only cmd prints or exits: internal/loud/a.go uses log.Fatal",
		"only cmd prints or exits: internal/loud/a.go uses os.Exit",
		"only cmd prints or exits: internal/loud/a.go uses os.Stderr",
		"only cmd prints or exits: internal/loud/a.go uses println",
		`only cmd prints or exits: internal/loud/b.go uses import . "fmt"`,
		"readers take memory for pixels by a Size: internal/y4m/a.go uses Size{…}",
		"readers take memory for pixels by a Size: internal/y4m/a.go uses image.NewGray",
		"readers take memory for pixels by a Size: internal/y4m/a.go uses make",
		"readers take memory for pixels by a Size: internal/y4m/a.go uses make",
		"what decides a byte uses internal/elementary: internal/loud/curve.go uses math.Exp",
		"what decides a byte uses internal/elementary: internal/loud/curve.go uses math.Tanh",
	}
	slices.Sort(want)
	got := must.Get(findings(dir, "m"))(t)
	if !slices.Equal(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestTopBites(t *testing.T) {
	got := strangers([]string{
		".ci/run", ".gitignore", "go.mod", "cmd/m/main.go", "superres/s.go",
		"util/x.txt", "util/y.txt", "notes.txt", "go.mod/x", "cmd", "docs/README.md",
		"findings/bmp.sh", "findings/bmp.go", "findings/more/tiff.sh",
	})
	want := []string{
		"findings has scripts of bash alone, not bmp.go",
		"findings has scripts of bash alone, not more/tiff.sh",
		"the top has no place for cmd", // a file by the name of a folder
		"the top has no place for docs",
		"the top has no place for go.mod", // a folder by the name of a file
		"the top has no place for notes.txt",
		"the top has no place for util",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
