// Package rules has no code: its tests keep the shape of the module, that is who may import whom, who may print,
// exit or name a flag, which types an interface may show, and what lies at the top.
//
// The sources are parsed here rather than listed by the go command for two reasons. A build constraint hides
// nothing: a file for another system obeys the same rules. And go test reuses a result until a file that the test
// itself opened has changed, which it could not know of a file opened by go list.
package rules

import (
	"encoding/json"
	"go/version"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"superres/internal/must"
)

// root is the module's folder as seen from this package's, where go test runs.
const root = "../.."

// The top of the module. A folder or file joins by being written here.
var (
	topFolders = []string{"cmd", "superres", "learners", "patches", "mnist", "internal", "testdata", "findings"}
	topFiles   = []string{"go.mod", "go.sum", "README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md"}
)

// A rule forbids the packages it binds to import others, directly or through packages of the module. Packages of
// the module are written "./learners/sparse", all others by their import path.
type rule struct {
	what   string
	binds  func(pkg string) bool
	forbid func(pkg string) bool
	tests  bool // binds tests as well
}

var importRules = []rule{
	{"learners know no pictures", within("./learners"), within("image", "golang.org/x/image", "./patches"), true},
	{"mnist imports only the standard library", within("./mnist"), func(p string) bool {
		return !standard(p) && !within("./mnist")(p)
	}, true},
	{"kinds of stage know the contract, not the model", func(p string) bool {
		return within("./superres")(p) && p != "./superres" && !within("./superres/models", "./superres/fit",
			"./superres/files")(p)
	}, func(p string) bool { return p == "./superres" || p == "./superres/models" }, false},
	{"the model knows no kind of stage", func(p string) bool { return p == "./superres" },
		within("./superres/coupled", "./superres/convolutional", "./superres/models"), false},
	{"only cmd imports the command-line library", not(within("./cmd")), within("github.com/urfave/cli"), true},
}

// floors are the folders that have code, from the lowest floor to the highest. A package imports packages of its own
// floor and of those below it. internal/enlarging is of the floor of superres; it is in internal because superres and
// cmd share it, and no other module may use it.
var floors = [][]string{{"./mnist"}, {"./patches"}, {"./internal"}, {"./learners"},
	{"./superres", "./internal/enlarging"}, {"./cmd"}}

// climbing lists the imports of packages on a higher floor.
func climbing(pkgs map[string]*pkg) (found []string) {
	for i, floor := range floors {
		above := within(slices.Concat(floors[i+1:]...)...)
		on := func(p string) bool { return within(floor...)(p) && !above(p) }
		found = append(found, brokenImports(pkgs, rule{"a floor stands on those below it", on, above, false})...)
	}
	return found
}

// readers are the packages that make pictures of files of strangers: the memory of these comes from
// an imagefile.Size, which is made by the check alone. Beside the file of that check, what only
// writes has pictures that are there already; a file joins by being written here.
var (
	readers  = within("./internal/imagefile", "./internal/sequence", "./internal/y4m")
	noReader = []string{
		"internal/imagefile/size.go",
		"internal/imagefile/avifwrite.go", "internal/imagefile/jpegwrite.go", "internal/imagefile/pngchunk.go",
		"internal/imagefile/tiffwrite.go",
		"internal/sequence/giffile.go",
	}
)

// careless lists what takes memory for pixels without a check.
func careless(pkgs map[string]*pkg) (found []string) {
	for name, p := range pkgs {
		if !readers(name) || strings.HasSuffix(name, "/imagetest") {
			continue
		}
		constants := constantsOf(p.files)
		for file, f := range p.files {
			if slices.Contains(noReader, file) {
				continue
			}
			for _, use := range unchecked(f, constants) {
				found = append(found, "readers take memory for pixels by a Size: "+file+" uses "+use)
			}
		}
	}
	return found
}

// decidesNoByte are the packages that may call the functions of package math that differ between processors: they draw
// charts and print figures, or are for tests, as pictures or as definitions that others are compared with at a
// tolerance.
var decidesNoByte = within("./internal/report", "./cmd/internal/comparison", "./internal/testimage",
	"./superres/networks/graph/graphtest", "./superres/stage/stagetest", "./learners/sparse/sparsetest",
	"./cmd/internal/console/consoletest")

// within matches the packages in some folders and below.
func within(folders ...string) func(string) bool {
	return func(p string) bool {
		return slices.ContainsFunc(folders, func(f string) bool { return p == f || strings.HasPrefix(p, f+"/") })
	}
}

func not(f func(string) bool) func(string) bool { return func(p string) bool { return !f(p) } }

// standard uses the go command's own rule: without a dot in its first element,
// and out of the module, a path belongs to the standard library.
func standard(p string) bool {
	first, _, _ := strings.Cut(p, "/")
	return !strings.Contains(first, ".")
}

// brokenImports describes each forbidden import by the chain that leads to it.
func brokenImports(pkgs map[string]*pkg, r rule) (found []string) {
	for name, p := range pkgs {
		if !r.binds(name) {
			continue
		}
		seen := map[string]bool{name: true}
		var visit func(chain string, imports []string)
		visit = func(chain string, imports []string) {
			for _, i := range imports {
				if seen[i] {
					continue
				}
				seen[i] = true
				if r.forbid(i) {
					found = append(found, r.what+": "+chain+" → "+i)
				} else if next := pkgs[i]; next != nil {
					visit(chain+" → "+i, next.imports)
				}
			}
		}
		visit(name, p.imports)
		if r.tests {
			visit(name+" (test)", p.testImports)
		}
	}
	return found
}

// strangers lists what has no place at the top among a repository's files, each named by its path from the top, and
// files in findings that are no script of bash. Dot-files and dot-folders have a place.
func strangers(files []string) (found []string) {
	for _, file := range files {
		top, _, isFolder := strings.Cut(file, "/")
		allowed := topFiles
		if isFolder {
			allowed = topFolders
		}
		if !strings.HasPrefix(top, ".") && !slices.Contains(allowed, top) {
			found = append(found, "the top has no place for "+top)
		}
		if name, is := strings.CutPrefix(file, "findings/"); is && (path.Dir(name) != "." || path.Ext(name) != ".sh") {
			found = append(found, "findings has scripts of bash alone, not "+name)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// findings applies every rule about Go files to the module in dir.
func findings(dir, module string) ([]string, error) {
	pkgs, err := load(dir, module)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, r := range importRules {
		found = append(found, brokenImports(pkgs, r)...)
	}
	found = append(found, climbing(pkgs)...)
	for name, p := range pkgs {
		if !within("./cmd", "./internal")(name) {
			found = append(found, revealing(p)...)
		}
	}
	found = append(found, careless(pkgs)...)
	for name, p := range pkgs {
		if decidesNoByte(name) {
			continue
		}
		for file, f := range p.files {
			for _, use := range uses(f, inexact) {
				found = append(found, "what decides a byte uses internal/elementary: "+file+" uses "+use)
			}
		}
	}
	for name, p := range pkgs {
		if within("./cmd")(name) {
			continue
		}
		for file, f := range p.files {
			for _, use := range printing(f) {
				found = append(found, "only cmd prints or exits: "+file+" uses "+use)
			}
			for _, flag := range flags(f) {
				if file == optionRecords {
					break
				}
				found = append(found, "only cmd names a flag: "+file+" names "+flag)
			}
		}
	}
	slices.Sort(found)
	return found, nil
}

// optionRecords is the file with the records of which the flags for pictures are made, which name one another in help.
const optionRecords = "internal/enlarging/options.go"

type module struct {
	Path, Version string
	Error         *struct{ Err string }
}

// askGo runs the go command in the module, of which this go.mod alone counts, and returns what it prints.
func askGo(t *testing.T, args ...string) []byte {
	t.Helper()
	// So that go test repeats the test when go.mod changes: see the package comment.
	must.Get(os.Stat(filepath.Join(root, "go.mod")))(t)
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir, cmd.Stderr = root, os.Stderr
	cmd.Env = append(os.Environ(), "GOWORK=off")
	return must.Get(cmd.Output())(t)
}

// goList asks the go command about a module in the build; "" is this one.
func goList(t *testing.T, modulePath string) (m module) {
	t.Helper()
	args := []string{"list", "-m", "-e", "-json"}
	if modulePath != "" {
		args = append(args, modulePath)
	}
	must.Succeed(t, json.Unmarshal(askGo(t, args...), &m))
	return m
}

func TestModule(t *testing.T) {
	found := must.Get(findings(root, goList(t, "").Path))(t)
	for _, f := range found {
		t.Error(f)
	}
}

// tracked returns the paths of the files that git tracks, which alone are judged: what users put beside them, such as
// the results of README's examples, is theirs.
func tracked(t *testing.T) []string {
	t.Helper()
	// So that go test repeats the test when a file is added: see the package comment.
	_, _ = os.Stat(filepath.Join(root, ".git", "index"))
	if _, err := os.Stat(filepath.Join(root, ".git")); err != nil {
		t.Skipf("what git tracks is judged, and this is no repository: %v", err)
	}
	cmd := exec.CommandContext(t.Context(), "git", "ls-files", "-z")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("what git tracks is judged, and git does not tell: %v", err)
	}
	files := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if !slices.Contains(files, "go.mod") {
		t.Fatalf("%d files, without go.mod", len(files))
	}
	return files
}

func TestTop(t *testing.T) {
	for _, f := range strangers(tracked(t)) {
		t.Error(f)
	}
}

// The decoders of old releases can be made to panic by a picture, and one of our dependencies is content with them.
func TestImageDecodersAreRecent(t *testing.T) {
	const name, floor = "golang.org/x/image", "go0.45.0" // as go/version writes it
	m := goList(t, name)
	if m.Error != nil {
		t.Skipf("not in the build: %s", m.Error.Err)
	}
	if got := "go" + strings.TrimPrefix(m.Version, "v"); version.Compare(got, floor) < 0 {
		t.Errorf("%s: got %s, expected at least %s", name, m.Version, floor)
	}
}
