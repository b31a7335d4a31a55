package main

import (
	"bytes"
	"debug/buildinfo"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"
)

// release is what the files of a release for all systems have in common.
type release struct {
	version    string
	url        string    // of the folder that the files are fetched from, without a slash at its end
	time       time.Time // of the commit; that of everything in archives
	maintainer string    // NAME <ADDRESS> of whom the commit is by

	manual      []byte
	completions tree // superres.bash, _superres, superres.fish, superres.ps1
	pages       tree // README.md and what it links to, with links that hold in an archive
	install     tree // the folder of the same name: entries for desktops, plug-ins of editors
	licence     []byte
	changelog   []byte
}

// target is a system and processor, as Go names them.
type target struct{ os, arch string }

func (t target) String() string { return t.os + "/" + t.arch }

// program is the program built for a target.
type program struct {
	target
	data     []byte
	modules  []*debug.Module // linked, without superres, as the program itself says
	licences []licence       // of all that is linked, superres left out
	version  string          // of Go, such as go1.26.0
}

// source makes programs and texts of the checkout of a release.
type source struct {
	release
	root     string // the checkout's folder, absolute
	work     string // a temporary folder
	revision string // of the checkout
}

// summary says what superres is, in a line without a full stop.
const summary = "Enlarge pictures sharply, without a GPU, to the same bytes every time"

// description says more, in lines of at most 76 columns.
const description = `superres enlarges photographs, drawings, animations and video by any scale
from 1 to 16, from the command line or from a page in the browser, with models
that come with it. It takes away noise and JPEG artefacts where it finds them,
keeps profiles, metadata, transparency and 16 bits, and invents no detail.`

// installFolder has what is installed beside the program, and the page about that.
const installFolder = "cmd/superres/install"

// newSource reads and makes what all files of a release have in common, out of the checkout in root.
func newSource(root, version, address string) (*source, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	s := &source{release: release{version: version, url: address}, root: root}
	if s.work, err = os.MkdirTemp("", "superres-packages-"); err != nil {
		return nil, err
	}
	defer os.RemoveAll(s.work)
	commit, err := s.output(target{}, "git", "show", "-s", "--format=%H %ct %cn <%ce>", "HEAD")
	if err != nil {
		return nil, err
	}
	revision, rest, _ := strings.Cut(strings.TrimSpace(string(commit)), " ")
	seconds, maintainer, _ := strings.Cut(rest, " ")
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("git says that the commit is of %q: %w", seconds, err)
	}
	s.revision, s.time, s.maintainer = revision, time.Unix(unix, 0).UTC(), maintainer
	for _, read := range []func() error{s.readPages, s.readInstall, s.askProgram} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// output runs a command in the checkout, for a target or, with none, for this machine, and returns what it prints.
func (s *source) output(t target, name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stderr = s.root, os.Stderr
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=", "GOEXPERIMENT=", "GOAMD64=v1",
		"GOARM64=v8.0", "GOFIPS140=off", "GOOS="+t.os, "GOARCH="+t.arch)
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", cmd, err)
	}
	return out, nil
}

// askProgram lets the program of this machine write its manual and completions. It runs without the models and settings
// of the user.
func (s *source) askProgram() error {
	own := filepath.Join(s.work, "own")
	if _, err := s.output(target{}, "go", "build", "-trimpath", "-o", own, "./cmd/superres"); err != nil {
		return err
	}
	ask := func(args ...string) ([]byte, error) {
		cmd := exec.Command(own, args...)
		cmd.Dir, cmd.Env, cmd.Stderr = s.work, []string{"HOME=" + s.work, "PATH=/usr/bin:/bin"}, os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", cmd, err)
		}
		return out, nil
	}
	var err error
	if s.manual, err = ask("man"); err != nil {
		return err
	}
	for _, shell := range []struct{ name, file string }{{"bash", "superres.bash"}, {"fish", "superres.fish"},
		{"powershell", "superres.ps1"}, {"zsh", "_superres"}} {
		text, err := ask("completion", shell.name)
		if err != nil {
			return err
		}
		s.completions = append(s.completions, file{shell.file, 0o644, text})
	}
	return nil
}

var pageLink = regexp.MustCompile(`\]\(([^):#]+)(#[^)]*)?\)`)

// readPages reads README.md and all that it links to. Files of the top lie beside it in an archive, those of
// installFolder in install, and all others in doc, as a folder superres would be in the program's way.
func (s *source) readPages() error {
	readme, err := os.ReadFile(filepath.Join(s.root, "README.md"))
	if err != nil {
		return err
	}
	place := func(name string) string {
		if rest, is := strings.CutPrefix(name, installFolder+"/"); is {
			return "install/" + rest
		}
		if strings.Contains(name, "/") {
			return "doc/" + name
		}
		return name
	}
	var linked []string
	readme = pageLink.ReplaceAllFunc(readme, func(link []byte) []byte {
		m := pageLink.FindSubmatch(link)
		linked = append(linked, string(m[1]))
		return fmt.Appendf(nil, "](%s%s)", place(string(m[1])), m[2])
	})
	s.pages = tree{{"README.md", 0o644, readme}}
	slices.Sort(linked)
	for _, name := range slices.Compact(append(linked, "LICENSE", "CHANGELOG.md")) {
		data, err := os.ReadFile(filepath.Join(s.root, name))
		if err != nil {
			return fmt.Errorf("README.md: %w", err)
		}
		switch name {
		case "LICENSE":
			s.licence = data
		case "CHANGELOG.md":
			s.changelog = data
		}
		if !s.pages.has(place(name)) && !strings.HasPrefix(name, installFolder) {
			s.pages = append(s.pages, file{place(name), 0o644, data})
		}
	}
	return nil
}

// readInstall reads installFolder. What a system has to run is executable.
func (s *source) readInstall() error {
	top := filepath.Join(s.root, installFolder)
	return filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(top, name)
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if bytes.HasPrefix(data, []byte("#!")) {
			mode = 0o755
		}
		s.install = append(s.install, file{filepath.ToSlash(rel), mode, data})
		return nil
	})
}

// buildAll builds the program for all targets in .ci/targets.
func (s *source) buildAll() (programs []program, err error) {
	list, err := os.ReadFile(filepath.Join(s.root, ".ci", "targets"))
	if err != nil {
		return nil, err
	}
	for _, name := range strings.Fields(string(list)) {
		system, arch, _ := strings.Cut(name, "/")
		p, err := s.build(target{system, arch})
		if err != nil {
			return nil, err
		}
		programs = append(programs, p)
	}
	return programs, nil
}

// build builds the program for t.
func (s *source) build(t target) (p program, err error) {
	dir, err := os.MkdirTemp("", "superres-packages-")
	if err != nil {
		return p, err
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "superres")
	if _, err := s.output(t, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags",
		"-s -w -X superres/cmd/internal/manual.releaseRevision="+s.revision, "-o", name, "./cmd/superres"); err != nil {
		return p, err
	}
	p.target = t
	if p.data, err = os.ReadFile(name); err != nil {
		return p, err
	}
	info, err := buildinfo.Read(bytes.NewReader(p.data))
	if err != nil {
		return p, err
	}
	p.version, p.modules = info.GoVersion, info.Deps
	p.licences, err = s.readLicences(t)
	return p, err
}

// makePage makes the page that needs no server, as a zip file with a folder.
func (s *source) makePage() (name string, data []byte, err error) {
	dir, err := os.MkdirTemp("", "superres-packages-")
	if err != nil {
		return "", nil, err
	}
	defer os.RemoveAll(dir)
	if _, err := s.output(target{}, "go", "run", "./cmd/internal/serve/browser", dir); err != nil {
		return "", nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", nil, err
	}
	linked := program{}
	if linked.licences, err = s.readLicences(target{"js", "wasm"}); err != nil {
		return "", nil, err
	}
	pages := append(linked.licenceTree().in("licenses"), file{"LICENSE", 0o644, s.licence})
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return "", nil, err
		}
		pages = append(pages, file{e.Name(), 0o644, data})
	}
	name = "superres-page-" + s.version // not as archives of the program are called
	data, err = pages.in(name).zip(s.time)
	return name + ".zip", data, err
}

// licence is a file about the terms of something that is linked.
type licence struct {
	module string // path of the module; "go" for Go's own library
	name   string // path of the file inside the module
	text   []byte
}

var licenceName = regexp.MustCompile(`(?i)^(LICEN[CS]E|COPYING|NOTICE|PATENTS|THIRD_PARTY)`)

// readLicences reads the licence files in the folders of all packages that are linked into the program for t, and in
// those around them, up to the folder of the module. It fails if a module has none.
func (s *source) readLicences(t target) (list []licence, err error) {
	const format = "{{with .Module}}{{if not .Main}}{{.Path}}|{{.Dir}}|{{$.Dir}}{{end}}{{end}}"
	packages, err := s.output(t, "go", "list", "-deps", "-f", format, "./cmd/superres")
	if err != nil {
		return nil, err
	}
	goroot, err := s.output(t, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	lines := strings.Fields(string(packages))
	lines = append(lines, strings.Join([]string{"go", strings.TrimSpace(string(goroot)),
		strings.TrimSpace(string(goroot))}, "|"))
	slices.Sort(lines)
	seen := map[string]bool{}
	found := map[string]bool{} // by module
	for _, line := range lines {
		parts := strings.Split(line, "|")
		module, top, at := parts[0], parts[1], parts[2]
		for ; !seen[at]; at = filepath.Dir(at) {
			seen[at] = true
			some, err := licencesIn(module, top, at)
			if err != nil {
				return nil, err
			}
			list = append(list, some...)
			if at == top {
				found[module] = len(some) > 0
				break
			}
		}
	}
	for _, line := range lines {
		if module, _, _ := strings.Cut(line, "|"); !found[module] {
			return nil, fmt.Errorf("the module %s has no licence file", module)
		}
	}
	embedded := filepath.Join(s.root, "internal", "avif") // the decoder in WebAssembly
	some, err := licencesIn("github.com/gen2brain/avif", embedded, embedded)
	if err != nil {
		return nil, err
	}
	list = append(list, some...)
	slices.SortFunc(list, func(a, b licence) int {
		return strings.Compare(path.Join(a.module, a.name), path.Join(b.module, b.name))
	})
	return list, nil
}

// licencesIn reads the licence files in the folder at of a module whose own folder is top. gonum has a folder of them.
func licencesIn(module, top, at string) (list []licence, err error) {
	entries, err := os.ReadDir(at)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !licenceName.MatchString(e.Name()) {
			continue
		}
		err := filepath.WalkDir(filepath.Join(at, e.Name()), func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(top, name)
			list = append(list, licence{module, filepath.ToSlash(rel), text})
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

// licenceTree returns the licences as files in a folder for each module.
func (p program) licenceTree() (t tree) {
	for _, l := range p.licences {
		t = append(t, file{path.Join(l.module, l.name), 0o644, l.text})
	}
	return t
}

// terms are the SPDX identifiers of licences, and sentences that these alone have.
var terms = []struct{ id, has, hasNot string }{
	{"Apache-2.0", "Apache License Version 2.0", ""},
	{"BSD-2-Clause", "Redistribution and use in source and binary forms", "the name"},
	{"BSD-3-Clause", "Redistribution and use in source and binary forms", ""},
	{"MIT", "Permission is hereby granted, free of charge", ""},
}

// identify returns the SPDX identifiers of the licences that a text has, sorted; none if it is not known.
func identify(text []byte) (ids []string) {
	words := strings.Join(strings.Fields(string(text)), " ")
	for _, t := range terms {
		if !strings.Contains(words, t.has) || t.hasNot != "" && strings.Contains(words, t.hasNot) ||
			t.id == "BSD-3-Clause" && slices.Contains(ids, "BSD-2-Clause") {
			continue
		}
		ids = append(ids, t.id)
	}
	return ids
}

// expressions returns the SPDX licence expression of each module linked into the program, and of superres with them
// all under the name "". It fails for a licence that nobody has looked at.
func (p program) expressions() (map[string]string, error) {
	ids := map[string][]string{"": {"BSD-3-Clause"}}
	for _, l := range p.licences {
		base := strings.ToUpper(path.Base(l.name))
		if !strings.HasPrefix(base, "LICEN") && !strings.HasPrefix(base, "COPYING") ||
			strings.HasPrefix(l.name, "THIRD_PARTY") {
			continue // a grant of patents, a notice, or the terms of what a part was made after
		}
		found := identify(l.text)
		if len(found) == 0 {
			return nil, fmt.Errorf("the licence of %s, %s, is none of those known; look at it and add it to terms",
				l.module, l.name)
		}
		ids[l.module] = append(ids[l.module], found...)
		ids[""] = append(ids[""], found...)
	}
	list := map[string]string{}
	for module, some := range ids {
		slices.Sort(some)
		list[module] = strings.Join(slices.Compact(some), " AND ")
	}
	return list, nil
}
