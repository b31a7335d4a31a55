package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"superres/internal/golden"
	"superres/internal/must"
)

// content are the files of an archive that a wheel has, and others.
var content = map[string]string{
	"LICENSE": "ours", "licenses/go/LICENSE": "theirs", "licenses/example.org/a/COPYING": "others'",
	"README.md": "read", "doc/superres/README.md": "more", "superres.1": "manual",
}

var made = time.Date(2026, 11, 24, 10, 20, 30, 0, time.UTC)

// putArchive writes to folder an archive of a version for a target, such as linux/amd64, with files.
func putArchive(t *testing.T, folder, version, target string, files map[string]string) {
	t.Helper()
	name := "superres-" + version + "-" + strings.ReplaceAll(target, "/", "-")
	files = maps.Clone(files)
	program, ext := "superres", ".tar.gz"
	if strings.HasPrefix(target, "windows") {
		program, ext = "superres.exe", ".zip"
	}
	files[program] = "#!/bin/sh\necho the program for " + target + " \"$@\"\n"
	var out bytes.Buffer
	if ext == ".zip" {
		z := zip.NewWriter(&out)
		for _, f := range slices.Sorted(maps.Keys(files)) {
			w := must.Get(z.CreateHeader(&zip.FileHeader{Name: name + "/" + f, Modified: made}))(t)
			must.Get(io.WriteString(w, files[f]))(t)
		}
		must.Succeed(t, z.Close())
	} else {
		packed := gzip.NewWriter(&out)
		z := tar.NewWriter(packed)
		must.Succeed(t, z.WriteHeader(&tar.Header{Name: name + "/", Typeflag: tar.TypeDir, Mode: 0o755}))
		for _, f := range slices.Sorted(maps.Keys(files)) {
			must.Succeed(t, z.WriteHeader(&tar.Header{Name: name + "/" + f, Size: int64(len(files[f])), Mode: 0o644,
				ModTime: made}))
			must.Get(io.WriteString(z, files[f]))(t)
		}
		must.Succeed(t, z.Close())
		must.Succeed(t, packed.Close())
	}
	must.Succeed(t, os.WriteFile(filepath.Join(folder, name+ext), out.Bytes(), 0o644))
}

// wheels makes archives for all targets of a release, packs them and returns the wheels by their names.
func wheels(t *testing.T) map[string][]byte {
	t.Helper()
	folder := t.TempDir()
	for target := range strings.FieldsSeq(string(must.Get(os.ReadFile("../../.ci/targets"))(t))) {
		putArchive(t, folder, "1.2.3", target, content)
	}
	must.Succeed(t, pack("1.2.3", folder))
	all := map[string][]byte{}
	for _, path := range must.Get(filepath.Glob(filepath.Join(folder, "*.whl")))(t) {
		all[filepath.Base(path)] = must.Get(os.ReadFile(path))(t)
	}
	return all
}

// A wheel has the module, the program, which alone is executable, the licences and the metadata, and RECORD has the
// size and hash of each file.
func TestStructure(t *testing.T) {
	for name, data := range wheels(t) {
		z := must.Get(zip.NewReader(bytes.NewReader(data), int64(len(data))))(t)
		files, about := map[string]string{}, "superres-1.2.3.dist-info/"
		record := ""
		for i, f := range z.File {
			text := string(must.Get(io.ReadAll(must.Get(f.Open())(t)))(t))
			if _, twice := files[f.Name]; twice || !f.Modified.Equal(made) {
				t.Errorf("%s: %s comes twice (%v), or is of %v", name, f.Name, twice, f.Modified)
			}
			files[f.Name] = text
			mode := os.FileMode(0o644)
			if strings.Contains(f.Name, ".data/scripts/superres") {
				mode = 0o755
			}
			if f.Mode() != mode {
				t.Errorf("%s: %s has mode %v", name, f.Name, f.Mode())
			}
			if i == len(z.File)-1 {
				record += about + "RECORD,,\n"
			} else {
				sum := sha256.Sum256([]byte(text))
				digest := base64.RawURLEncoding.EncodeToString(sum[:])
				record += fmt.Sprintf("%s,sha256=%s,%d\n", f.Name, digest, len(text))
			}
		}
		if files[about+"RECORD"] != record {
			t.Errorf("%s: RECORD is\n%s\nexpected\n%s", name, files[about+"RECORD"], record)
		}
		program := "superres-1.2.3.data/scripts/superres"
		if strings.Contains(name, "-win_") {
			program += ".exe"
		}
		want := []string{about + "METADATA", about + "RECORD", about + "WHEEL", about + "licenses/LICENSE",
			about + "licenses/example.org/a/COPYING", about + "licenses/go/LICENSE", program, "superres/__init__.py",
			"superres/__main__.py", "superres/_learn.py", "superres/_picture.py", "superres/_program.py",
			"superres/_sklearn.py", "superres/_upscale.py", "superres/py.typed", "superres/train.py"}
		if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
			t.Errorf("%s: has %q", name, got)
		}
		tags := strings.TrimSuffix(strings.TrimPrefix(name, "superres-1.2.3-py3-none-"), ".whl")
		lines := "Wheel-Version: 1.0\nGenerator: superres-python\nRoot-Is-Purelib: false\n"
		for tag := range strings.SplitSeq(tags, ".") {
			lines += "Tag: py3-none-" + tag + "\n"
		}
		if files[about+"WHEEL"] != lines {
			t.Errorf("%s: WHEEL is\n%s", name, files[about+"WHEEL"])
		}
		head, body, _ := strings.Cut(files[about+"METADATA"], "\n\n")
		for _, want := range []string{"Metadata-Version: 2.4\nName: superres\nVersion: 1.2.3\n",
			"\nLicense-File: LICENSE\nLicense-File: example.org/a/COPYING\nLicense-File: go/LICENSE\n",
			"\nProvides-Extra: sklearn\nRequires-Dist: scikit-learn; extra == \"sklearn\"\n",
			"\nRequires-Python: >=3.9\n"} {
			if !strings.Contains(head, want) {
				t.Errorf("%s: METADATA lacks %q", name, want)
			}
		}
		if body != string(must.Get(os.ReadFile("README.md"))(t)) {
			t.Errorf("%s: METADATA does not end with README.md", name)
		}
	}
}

// The same archives give the same bytes.
func TestSameBytes(t *testing.T) {
	once, again := wheels(t), wheels(t)
	for name := range once {
		if !bytes.Equal(once[name], again[name]) {
			t.Errorf("%s differs", name)
		}
	}
}

// pip installs a wheel without a network: the program, which runs, the module, which finds it, and nothing that is not
// taken away again.
func TestInstall(t *testing.T) {
	golden.NotShort(t, "it takes long")
	python := findPython(t)
	folder := t.TempDir()
	for name, data := range wheels(t) {
		must.Succeed(t, os.WriteFile(filepath.Join(folder, name), data, 0o644))
	}
	venv := filepath.Join(folder, "venv")
	for _, args := range [][]string{{"-m", "pip", "--version"}, {"-m", "venv", "--without-pip", venv}} {
		if out, err := exec.CommandContext(t.Context(), python, args...).CombinedOutput(); err != nil {
			t.Skipf("there is no pip or no venv (Debian: python3-pip, python3-venv): %v %s", err, out)
		}
	}
	if _, err := os.Stat(filepath.Join(venv, "bin", "python")); err != nil {
		t.Skip("the program of this test is a script for Unix")
	}
	run := func(path string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), path, args...)
		cmd.Dir, cmd.Env = folder, append(os.Environ(), "SUPERRES_PROGRAM=", "PYTHONDONTWRITEBYTECODE=1")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %q: %v\n%s", path, args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	inside, program := filepath.Join(venv, "bin", "python"), filepath.Join(venv, "bin", "superres")
	run(python, "-m", "pip", "--python", inside, "install", "--no-index", "--no-compile", "--find-links", folder,
		"superres")
	if got := run(program, "photo.jpg"); !regexp.MustCompile(`^the program for \w+/\w+ photo\.jpg$`).MatchString(got) {
		t.Errorf("superres says %q", got)
	}
	if got := run(inside, "-m", "superres", "photo.jpg"); !strings.HasSuffix(got, " photo.jpg") {
		t.Errorf("python -m superres says %q", got)
	}
	got := run(inside, "-c", "import superres; print(superres.__version__, superres.find_program())")
	if want := "1.2.3 " + program; got != want {
		t.Errorf("%q, expected %q", got, want)
	}
	run(python, "-m", "pip", "--python", inside, "uninstall", "-y", "superres")
	for _, path := range []string{"bin/superres*", "lib/python*/site-packages/superres*"} {
		if left := must.Get(filepath.Glob(filepath.Join(venv, path)))(t); len(left) > 0 {
			t.Errorf("left: %q", left)
		}
	}
}
