package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"superres/internal/must"
)

// root is the module's folder as seen from this package's.
const root = "../../.."

const bsd = `Redistribution and use in source and binary forms, with or without modification, are permitted.
Neither the name of the copyright holder nor those of others may be used.`

// example returns a small release with the texts of this checkout and a program that is none.
func example(t *testing.T, targets ...target) (release, []program) {
	t.Helper()
	s := &source{root: must.Get(filepath.Abs(root))(t), release: release{version: "1.2.3",
		url: "https://example.com/superres/1.2.3", time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		maintainer: "A Person <person@example.com>", manual: []byte(".TH SUPERRES 1\n.SH NAME\nsuperres \\- enlarge\n"),
		completions: tree{{"superres.bash", 0o644, []byte("# bash\n")}, {"superres.fish", 0o644, []byte("# fish\n")},
			{"superres.ps1", 0o644, []byte("# powershell\n")}, {"_superres", 0o644, []byte("#compdef superres\n")}}}}
	must.Succeed(t, s.readPages())
	must.Succeed(t, s.readInstall())
	var programs []program
	for _, at := range targets {
		programs = append(programs, program{target: at, data: []byte("\x7fELF of " + at.String()), version: "go1.26.0",
			modules:  []*debug.Module{{Path: "example.org/m", Version: "v1.0.0", Sum: "h1:x="}},
			licences: []licence{{"example.org/m", "LICENSE", []byte(bsd)}, {"go", "LICENSE", []byte(bsd)}}})
	}
	return s.release, programs
}

// made makes a file of a release twice, and fails if the bytes differ.
func made(t *testing.T, make func(release, program) (string, []byte, error), at target) (name string, data []byte) {
	t.Helper()
	r, programs := example(t, at)
	name, data, err := make(r, programs[0])
	must.Succeed(t, err)
	_, again, err := make(r, programs[0])
	must.Succeed(t, err)
	if !bytes.Equal(data, again) {
		t.Errorf("%s has other bytes when it is made again", name)
	}
	return name, data
}

// unpackTar returns the headers of a tar file by their names, and the contents.
func unpackTar(t *testing.T, data []byte) (headers map[string]*tar.Header, contents map[string]string) {
	t.Helper()
	headers, contents = map[string]*tar.Header{}, map[string]string{}
	for r := tar.NewReader(bytes.NewReader(data)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return headers, contents
		}
		must.Succeed(t, err)
		if headers[h.Name] != nil || h.Uid != 0 || h.Gid != 0 || !h.ModTime.Equal(time.Unix(1767323045, 0)) {
			t.Errorf("%s is there twice, or belongs to %d:%d, or is of %v", h.Name, h.Uid, h.Gid, h.ModTime)
		}
		headers[h.Name], contents[h.Name] = h, string(must.Get(io.ReadAll(r))(t))
	}
}

func unpackGzip(t *testing.T, data []byte) []byte {
	t.Helper()
	r := must.Get(gzip.NewReader(bytes.NewReader(data)))(t)
	return must.Get(io.ReadAll(r))(t)
}

func TestArchives(t *testing.T) {
	name, data := made(t, makeArchive, target{"darwin", "arm64"})
	headers, contents := unpackTar(t, unpackGzip(t, data))
	const top = "superres-1.2.3-darwin-arm64/"
	if name != "superres-1.2.3-darwin-arm64.tar.gz" || headers[top+"superres"].Mode != 0o755 ||
		contents[top+"superres"] != "\x7fELF of darwin/arm64" {
		t.Errorf("%s has the program %v", name, headers[top+"superres"])
	}
	for _, want := range []string{"README.md", "LICENSE", "CHANGELOG.md", "superres.1", "completions/_superres",
		"install/README.md", "install/gimp-3/superres/superres.py", "licenses/go/LICENSE", "doc/superres/README.md"} {
		if headers[top+want] == nil {
			t.Errorf("%s has no %s", name, want)
		}
	}
	for _, m := range pageLink.FindAllStringSubmatch(contents[top+"README.md"], -1) {
		if headers[top+m[1]] == nil {
			t.Errorf("README.md in %s links to %s, which is not there", name, m[1])
		}
	}
	name, data = made(t, makeArchive, target{"windows", "amd64"})
	z := must.Get(zip.NewReader(bytes.NewReader(data), int64(len(data))))(t)
	f := must.Get(z.Open("superres-1.2.3-windows-amd64/superres.exe"))(t)
	text := string(must.Get(io.ReadAll(f))(t))
	if text != "\x7fELF of windows/amd64" || !strings.HasSuffix(name, ".zip") {
		t.Errorf("%s has the program %q", name, text)
	}
}

// unpackAr returns the members of an ar file.
func unpackAr(t *testing.T, data []byte) (names []string, contents [][]byte) {
	t.Helper()
	rest, is := bytes.CutPrefix(data, []byte("!<arch>\n"))
	for is && len(rest) > 0 {
		size := must.Get(strconv.Atoi(strings.TrimSpace(string(rest[48:58]))))(t)
		names = append(names, strings.TrimSpace(string(rest[:16])))
		contents = append(contents, rest[60:60+size])
		rest = rest[60+size+size%2:]
	}
	return names, contents
}

func TestDeb(t *testing.T) {
	name, data := made(t, makeDeb, target{"linux", "arm64"})
	names, contents := unpackAr(t, data)
	if name != "superres_1.2.3-1_arm64.deb" ||
		!slices.Equal(names, []string{"debian-binary", "control.tar.gz", "data.tar.gz"}) {
		t.Fatalf("%s has %q", name, names)
	}
	_, control := unpackTar(t, unpackGzip(t, contents[1]))
	headers, files := unpackTar(t, unpackGzip(t, contents[2]))
	for _, want := range []string{"Package: superres\n", "Version: 1.2.3-1\n", "Architecture: arm64\n",
		"Maintainer: A Person <person@example.com>\n", "\nDescription: enlarge "} {
		if !strings.Contains(control["./control"], want) {
			t.Errorf("control has no %q: %s", want, control["./control"])
		}
	}
	if headers["./usr/bin/superres"].Mode != 0o755 || headers["./usr/share/man/man1/"].Typeflag != tar.TypeDir {
		t.Errorf("the program is %v", headers["./usr/bin/superres"])
	}
	listed := strings.Count(control["./md5sums"], "\n")
	for name, h := range headers {
		if h.Typeflag == tar.TypeReg && !strings.Contains(control["./md5sums"], "  "+name[2:]+"\n") {
			t.Errorf("md5sums has no %s", name)
		} else if h.Typeflag == tar.TypeReg {
			listed--
		}
	}
	if text := files["./usr/share/doc/superres/copyright"]; listed != 0 || !strings.Contains(text, "Neither the name") {
		t.Errorf("md5sums has %d lines too many; or copyright is %q", listed, text)
	}
}

// rpmValues returns the values of the header at the beginning of data, and its length.
func rpmValues(t *testing.T, data []byte) (values map[uint32]any, length int) {
	t.Helper()
	number := func(at int) int { return int(binary.BigEndian.Uint32(data[at:])) }
	if !bytes.HasPrefix(data, []byte("\x8e\xad\xe8\x01")) {
		t.Fatalf("no header: % x", data[:8])
	}
	entries, size := number(8), number(12)
	store := 16 + 16*entries
	values = map[uint32]any{}
	for at := 16; at < store; at += 16 {
		kind, from, count := number(at+4), store+number(at+8), number(at+12)
		var v any
		switch kind {
		case kindInt16:
			list := make([]uint16, count)
			must.Get(binary.Decode(data[from:], binary.BigEndian, list))(t)
			v = list
		case kindInt32:
			if from-store != (from-store)&^3 {
				t.Errorf("the value of tag %d is not aligned", number(at))
			}
			list := make([]uint32, count)
			must.Get(binary.Decode(data[from:], binary.BigEndian, list))(t)
			v = list
		case kindString, kindStrings, kindI18N:
			v = strings.Split(string(data[from:store+size]), "\x00")[:count]
		case kindBin:
			v = data[from : from+count]
		}
		values[uint32(number(at))] = v
	}
	return values, store + size
}

func TestRPM(t *testing.T) {
	name, data := made(t, makeRPM, target{"linux", "amd64"})
	signatures, n := rpmValues(t, data[96:])
	from := 96 + (n+7)&^7
	values, n := rpmValues(t, data[from:])
	header, payload := data[from:from+n], data[from+n:]
	for tag, want := range map[uint32]any{tagSigSHA256: []string{fmt.Sprintf("%x", sha256.Sum256(header))},
		tagSigSize: []uint32{uint32(len(header) + len(payload))}} {
		if !reflect.DeepEqual(signatures[tag], want) {
			t.Errorf("signature %d: %v, expected %v", tag, signatures[tag], want)
		}
	}
	for tag, want := range map[uint32]any{tagName: []string{"superres"}, tagArch: []string{"x86_64"},
		tagLicense: []string{"BSD-3-Clause"}, tagPayloadDigest: []string{fmt.Sprintf("%x", sha256.Sum256(payload))}} {
		if !reflect.DeepEqual(values[tag], want) {
			t.Errorf("tag %d: %v, expected %v", tag, values[tag], want)
		}
	}
	cpio := unpackGzip(t, payload)
	bases, folders := values[tagBaseNames].([]string), values[tagDirNames].([]string)
	for i, digest := range values[tagFileDigests].([]string) {
		path := "." + folders[values[tagDirIndexes].([]uint32)[i]] + bases[i]
		field := func(n int) int { return int(must.Get(strconv.ParseUint(string(cpio[6+8*n:14+8*n]), 16, 32))(t)) }
		size, names := field(6), field(11)
		start := (110 + names + 3) &^ 3
		if got := string(cpio[110 : 110+names-1]); got != path || field(1) != int(values[tagFileModes].([]uint16)[i]) {
			t.Errorf("the payload has %s with mode %o, the header %s with %o", got, field(1), path,
				values[tagFileModes].([]uint16)[i])
		}
		sum := fmt.Sprintf("%x", sha256.Sum256(cpio[start:start+size]))
		if isFolder := field(1)&0o40000 != 0; !isFolder && sum != digest || isFolder && digest != "" {
			t.Errorf("%s has the sum %s, the header %q", path, sum, digest)
		}
		cpio = cpio[(start+size+3)&^3:]
	}
	if !slices.Contains(bases, "superres.1.gz") || !bytes.Contains(cpio, []byte("TRAILER!!!")) {
		t.Errorf("%s has %q and ends with %q", name, bases, cpio)
	}
}

// Tools of Debian and RPM read the packages, where they are installed.
func TestToolsReadPackages(t *testing.T) {
	for _, c := range []struct {
		make func(release, program) (string, []byte, error)
		args []string
		want string
	}{
		{makeDeb, []string{"dpkg-deb", "--contents"}, "./usr/bin/superres\n"},
		{makeRPM, []string{"rpm", "--checksig"}, "digests OK"},
		{makeRPM, []string{"rpm", "-qpl"}, "/usr/bin/superres\n"},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			if _, err := exec.LookPath(c.args[0]); err != nil {
				t.Skipf("%v: the package is read by the other tests alone", err)
			}
			name, data := made(t, c.make, target{"linux", "amd64"})
			path := filepath.Join(t.TempDir(), name)
			must.Succeed(t, os.WriteFile(path, data, 0o644))
			cmd := exec.CommandContext(t.Context(), c.args[0], append(c.args[1:], path)...)
			if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), c.want) {
				t.Errorf("%v: %v, %s", cmd, err, out)
			}
		})
	}
}

func TestImage(t *testing.T) {
	_, data := made(t, makeImage, target{"linux", "arm64"})
	_, files := unpackTar(t, data)
	blob := func(d descriptor) []byte {
		content := files[blobName(d)]
		if digest([]byte(content)) != d.Digest || len(content) != d.Size {
			t.Errorf("%v has the digest %s and %d bytes", d, digest([]byte(content)), len(content))
		}
		return []byte(content)
	}
	var index imageIndex
	must.Succeed(t, json.Unmarshal([]byte(files["index.json"]), &index))
	var m manifest
	must.Succeed(t, json.Unmarshal(blob(index.Manifests[0]), &m))
	var config imageConfig
	must.Succeed(t, json.Unmarshal(blob(m.Config), &config))
	layer := unpackGzip(t, blob(m.Layers[0]))
	if config.Architecture != "arm64" || !slices.Equal(config.RootFS.DiffIDs, []string{digest(layer)}) ||
		config.Config["User"] != "65532:65532" {
		t.Errorf("the configuration is %+v", config)
	}
	headers, contents := unpackTar(t, layer)
	if contents["superres"] != "\x7fELF of linux/arm64" || headers["tmp/"].Mode != 0o1777 {
		t.Errorf("the layer has %v", headers)
	}
	var docker []struct {
		Config           string
		RepoTags, Layers []string
	}
	must.Succeed(t, json.Unmarshal([]byte(files["manifest.json"]), &docker))
	if d := docker[0]; d.Config != blobName(m.Config) || d.Layers[0] != blobName(m.Layers[0]) ||
		d.RepoTags[0] != "superres:1.2.3" {
		t.Errorf("manifest.json has %+v", docker)
	}
}

func TestSBOM(t *testing.T) {
	r, programs := example(t, target{"linux", "amd64"}, target{"windows", "amd64"})
	programs[1].modules = append(programs[1].modules, &debug.Module{Path: "example.org/w", Version: "v2.0.0"})
	programs[1].licences = append(programs[1].licences, licence{"example.org/w", "COPYING",
		[]byte("Permission is hereby granted,\nfree of charge, to any person")})
	f := must.Get(makeSBOM(r, programs))(t)
	var doc spdx
	must.Succeed(t, json.Unmarshal(f.data, &doc))
	ids := map[string]bool{doc.ID: true}
	terms := map[string]string{}
	for _, p := range doc.Packages {
		if ids[p.ID] {
			t.Errorf("two are called %s", p.ID)
		}
		ids[p.ID] = true
		terms[p.Name] = p.Declared
		if p.Name == "example.org/w" && p.Comment != "linked for windows/amd64" {
			t.Errorf("%s has the comment %q", p.Name, p.Comment)
		}
	}
	want := map[string]string{"superres": "BSD-3-Clause", "Go standard library": "BSD-3-Clause",
		"example.org/m": "BSD-3-Clause", "example.org/w": "MIT"}
	if !reflect.DeepEqual(terms, want) {
		t.Errorf("the document has %v", terms)
	}
	for _, rel := range doc.Relationships {
		if !ids[rel.Element] || !ids[rel.Related] {
			t.Errorf("%v relates what is not there", rel)
		}
	}
	programs[0].licences[0].text = []byte("All rights reserved.")
	if _, err := makeSBOM(r, programs); err == nil || !strings.Contains(err.Error(), "look at it") {
		t.Errorf("an unknown licence: %v", err)
	}
}

// Every manifest names files of the release, with their sums.
func TestManifests(t *testing.T) {
	list := strings.Fields(string(must.Get(os.ReadFile(filepath.Join(root, ".ci", "targets")))(t)))
	r, _ := example(t)
	sums := map[string]string{}
	for i, name := range list {
		system, arch, _ := strings.Cut(name, "/")
		end := ".tar.gz"
		if system == "windows" {
			end = ".zip"
		}
		sums[r.archiveName(target{system, arch})+end] = fmt.Sprintf("%064x", i+10)
	}
	files := must.Get(makeManifests(r, sums))(t)
	text := map[string]string{}
	for _, f := range files {
		text[f.name] = string(f.data)
		if strings.Contains(text[f.name], "<no value>") ||
			f.name != "compose.yaml" && f.name != "superres.superres.yaml" && !strings.Contains(text[f.name], r.url) {
			t.Errorf("%s is %s", f.name, f.data)
		}
	}
	for name, targets := range map[string]string{"superres.rb": "linux darwin", "PKGBUILD": "linux",
		"superres.json": "windows", "superres.superres.installer.yaml": "windows"} {
		for i, at := range list {
			system, _, _ := strings.Cut(at, "/")
			sum := fmt.Sprintf("%064x", i+10)
			has := strings.Contains(strings.ToLower(text[name]), sum)
			if has != strings.Contains(targets, system) {
				t.Errorf("%s has the sum for %s: %v", name, at, has)
			}
		}
	}
	if !strings.Contains(text["superres.nix"], "sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAo=") {
		t.Errorf("superres.nix has not the sum for %s: %s", list[0], text["superres.nix"])
	}
	if !json.Valid([]byte(text["superres.json"])) {
		t.Errorf("superres.json is no JSON: %s", text["superres.json"])
	}
	delete(sums, "superres-1.2.3-linux-arm64.tar.gz")
	if _, err := makeManifests(r, sums); err == nil {
		t.Error("a release without the archive for linux/arm64 has manifests")
	}
}

func TestRefusals(t *testing.T) {
	folder := t.TempDir()
	for _, c := range []struct{ version, url, folder, want string }{
		{"1.2", "https://example.com/x", folder + "/new", "three numbers"},
		{"1.2.3", "http://example.com/x", folder + "/new", "expected https://"},
		{"1.2.3", "https://example.com/'x", folder + "/new", "expected https://"},
		{"1.2.3", "https://example.com/x", folder, "name a new folder"},
	} {
		if err := run(c.version, c.url, c.folder); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v", c, err)
		}
	}
	if _, err := os.Stat(folder + "/new"); err == nil {
		t.Error("a folder is left")
	}
}

func TestIdentify(t *testing.T) {
	for name, want := range map[string]string{bsd: "BSD-3-Clause",
		"Redistribution and use in source and\nbinary forms are permitted.": "BSD-2-Clause",

		"Apache License\n  Version 2.0, January 2004\n" + bsd: "Apache-2.0 BSD-3-Clause",

		"Permission is hereby granted, free of charge, to any person obtaining a copy of this": "MIT",
		"All rights reserved.": "",
	} {
		if got := strings.Join(identify([]byte(name)), " "); got != want {
			t.Errorf("%q: %q, expected %q", name, got, want)
		}
	}
}
