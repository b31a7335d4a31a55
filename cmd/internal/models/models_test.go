package models

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/must"
	"superres/superres"
	embedded "superres/superres/models"
)

var program = consoletest.Of(Command)

func TestMain(m *testing.M) { program.Main(m) }

// standIn makes networks be imported as a small model of the program, and returns a folder with three files of
// networks. The user has no models.
func standIn(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	t.Setenv(folderVariable, filepath.Join(dir, "data", "models"))
	for name, text := range map[string]string{"a.param": "7767517\n", "a.bin": "weights", "b v2.onnx": "another"} {
		must.Succeed(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	before := importNetwork
	t.Cleanup(func() { importNetwork = before })
	importNetwork = func(_ context.Context, files []string, _ int64) (*superres.Model, error) {
		m := *must.Get(embedded.Open("photo-fast"))(t)
		sum := strings.Repeat("ab"[len(files)-1:][:1], 64)
		m.Provenance = superres.Provenance{Imported: &superres.Imported{SHA256: sum,
			File: filepath.Base(files[0]), Format: "ncnn", Architecture: "SRVGGNetCompact 64×32",
			Parameters: 1_213_283, MACs: 1.21e6}}
		return &m, nil
	}
	return dir
}

// A network is added once, under its own name or another, is listed, described, used and removed.
func TestAddAndRemove(t *testing.T) {
	dir := standIn(t)
	ends := func(code int, want string, args ...string) {
		t.Helper()
		program.Ends(t, dir, code, want, append([]string{"models"}, args...)...)
	}
	ends(0, "a: ×2, SRVGGNetCompact 64×32, 1.21 M parameters, imported from a.param", "add", "a.bin")
	ends(0, "a.param: is there already, as a", "add", "a.param", "a.bin")
	ends(0, "second: ×2", "add", "a.param", "--name", "second")
	ends(0, "b-v2: ×2", "add", ".")
	list, _ := program.Succeeds(t, dir, "models")
	want := "\n\nyours, in " + os.Getenv(folderVariable) +
		":\na               ×2, SRVGGNetCompact 64×32, 1.21 M parameters, imported from a.param\nb-v2            ×2"
	if !strings.Contains(list, want) || !strings.Contains(list, "nearest         repeats") {
		t.Errorf("%s, expected %s", list, want)
	}
	for _, name := range []string{"second", "a.param", "./a.bin"} {
		ends(0, name+": network\n  architecture SRVGGNetCompact 64×32\n", "info", name)
		ends(0, "terms        superres does not know its terms", "info", name)
	}
	text, _ := program.Succeeds(t, dir, "models", "info", "--json", "second")
	told := consoletest.Decode[information](t, text)
	if told.File != "a.param" || told.MACs != 1.21e6 || len(told.SHA256) != 64 {
		t.Errorf("%+v", told)
	}
	ends(0, "interpolation", "info", "lanczos")
	ends(0, "BSD 3-Clause", "info", "photo")
	ends(0, "trained by   superres\n", "info", "photo")
	ends(2, "is part of the program", "remove", "a", "photo")
	ends(6, "(known: a b-v2 second)", "remove", "a", "nothing")
	ends(0, "", "remove", "a", "second")
	if _, err := Open(t.Context(), "a"); err == nil || !strings.Contains(err.Error(), "the file is named -m a.param") {
		t.Errorf("a removed model: %v", err)
	}
	if m, err := Open(t.Context(), "b-v2"); err != nil || m.Scale != 2 {
		t.Errorf("a user's model: %v", err)
	}
}

// What cannot be added leaves nothing behind, and says why.
func TestAddRefuses(t *testing.T) {
	dir := standIn(t)
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{2, "no file to add", nil},
		{2, "a model cannot be called \"x/../y\"", []string{"a.param", "--name", "x/../y"}},
		{2, "a model cannot be called Photo, which has another meaning", []string{"a.param", "--name", "Photo"}},
		{2, "a model cannot be called add,", []string{"a.param", "--name", "add"}},
		{2, "a model cannot be called nul,", []string{"a.param", "--name", "nul"}},
		{2, "there are 2 files, and a name is for one", []string{"a.param", "b v2.onnx", "--name", "x"}},
		{6, "none.param: does not exist", []string{"none.param"}},
		{6, "there is no network in this folder", []string{t.TempDir()}},
		{6, "none of the 2 files can be added", []string{"none.param", "nor.param"}},
	} {
		program.Ends(t, dir, c.code, c.want, append([]string{"models", "add"}, c.args...)...)
	}
	if names := UserNames(); len(names) > 0 {
		t.Errorf("%v were added", names)
	}
	add := []string{"models", "add"}
	program.Succeeds(t, dir, append(add, "a.param")...)
	for _, name := range []string{"A", "a"} {
		program.Ends(t, dir, 5, "there is another model a; give a --name", append(add, "b v2.onnx", "--name", name)...)
	}
	program.Succeeds(t, dir, append(add, "b v2.onnx", "--name", "a", "--on-exist", "overwrite")...)
	if _, err := Open(t.Context(), "a"); err != nil {
		t.Errorf("what was added: %v", err)
	}
}

// A file is taken for what it holds.
func TestAsNetwork(t *testing.T) {
	dir := standIn(t)
	name := func(base string) string { return filepath.Join(dir, base) }
	m := must.Get(embedded.Open("photo-fast"))(t)
	f := must.Get(os.Create(name("model.pth")))(t)
	must.Succeed(t, m.Save(f))
	must.Succeed(t, f.Close())
	must.Succeed(t, os.WriteFile(name("plain.txt"), []byte("7767517\n"), 0o666))
	must.Succeed(t, os.WriteFile(name("text.txt"), []byte("text"), 0o666))
	for base, files := range map[string]int{"a.param": 2, "a.bin": 2, "b v2.onnx": 1, "model.pth": 0, "plain.txt": 1,
		"text.txt": 0, "none.npz": 0, "none.bin": 1} {
		if got := len(identify(name(base)).network); got != files {
			t.Errorf("%s: a network of %d files, expected %d", base, got, files)
		}
	}
}

// The user's folder is where the system has such folders, and may be named.
func TestFolder(t *testing.T) {
	t.Setenv(folderVariable, "")
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	if got := must.Get(Folder())(t); got != filepath.Join(os.Getenv("XDG_DATA_HOME"), "superres", "models") {
		t.Error(got)
	}
	t.Setenv("XDG_DATA_HOME", "relative")
	if got := must.Get(Folder())(t); !filepath.IsAbs(got) {
		t.Error(got)
	}
}
