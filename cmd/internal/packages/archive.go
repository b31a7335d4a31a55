package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"
)

// file is a regular file of an archive or package. Its name has slashes, and none at its beginning.
type file struct {
	name string
	mode fs.FileMode
	data []byte
}

// tree is a number of files. The folders that their names have are in it, too.
type tree []file

// has reports whether a file is in t.
func (t tree) has(name string) bool {
	return slices.ContainsFunc(t, func(f file) bool { return f.name == name })
}

// in returns the files of t as they are called inside a folder.
func (t tree) in(folder string) tree {
	moved := slices.Clone(t)
	for i := range moved {
		moved[i].name = path.Join(folder, moved[i].name)
	}
	return moved
}

// under returns the files of t that are in folder, as they are called from there.
func (t tree) under(folder string) (list tree) {
	for _, f := range t {
		if rest, is := strings.CutPrefix(f.name, folder+"/"); is {
			list = append(list, file{rest, f.mode, f.data})
		}
	}
	return list
}

// folders returns the folders of t, sorted, so that each is after the one around it.
func (t tree) folders() (list []string) {
	for _, f := range t {
		for at := path.Dir(f.name); at != "."; at = path.Dir(at) {
			list = append(list, at)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// sorted returns t by names.
func (t tree) sorted() tree {
	t = slices.Clone(t)
	slices.SortFunc(t, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return t
}

// tar returns t as a tar file in which everything belongs to root and is of the time given. Every name begins with
// prefix, as "./"; modes are those of folders that others than their owner may write to.
func (t tree) tar(prefix string, at time.Time, modes map[string]int64) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	entry := tar.Header{ModTime: at, Format: tar.FormatUSTAR}
	if prefix == "./" {
		entry.Name, entry.Typeflag, entry.Mode = prefix, tar.TypeDir, 0o755
		if err := w.WriteHeader(&entry); err != nil {
			return nil, err
		}
	}
	for _, folder := range t.folders() {
		entry.Name, entry.Typeflag, entry.Mode = prefix+folder+"/", tar.TypeDir, 0o755
		if mode, is := modes[folder]; is {
			entry.Mode = mode
		}
		if err := w.WriteHeader(&entry); err != nil {
			return nil, err
		}
	}
	for _, f := range t.sorted() {
		entry.Name, entry.Typeflag, entry.Mode = prefix+f.name, tar.TypeReg, int64(f.mode)
		entry.Size = int64(len(f.data))
		if err := w.WriteHeader(&entry); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

// zip returns t as a zip file.
func (t tree) zip(at time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	w.RegisterCompressor(zip.Deflate, func(to io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(to, flate.BestCompression)
	})
	for _, f := range t.sorted() {
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at}
		header.SetMode(f.mode)
		to, err := w.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := to.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

// compress returns data as a gzip file without a name and a time.
func compress(data []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	_, err = w.Write(data)
	err = errors.Join(err, w.Close())
	return b.Bytes(), err
}

// archiveName returns the name of the archive for a target without its extension, which is also that of the folder
// inside.
func (r release) archiveName(t target) string {
	return "superres-" + r.version + "-" + t.os + "-" + t.arch
}

// makeArchive makes the archive for one system, whatever that is: the program, manual, completions, pages, licences,
// and what can be installed beside the program.
func makeArchive(r release, p program) (name string, data []byte, err error) {
	name = r.archiveName(p.target)
	base := "superres"
	if p.os == "windows" {
		base = "superres.exe"
	}
	t := slices.Concat(tree{{base, 0o755, p.data}, {"superres.1", 0o644, r.manual}}, r.pages,
		r.completions.in("completions"), r.install.in("install"), p.licenceTree().in("licenses")).in(name)
	if p.os == "windows" {
		data, err = t.zip(r.time)
		return name + ".zip", data, err
	}
	if data, err = t.tar("", r.time, nil); err == nil {
		data, err = compress(data)
	}
	return name + ".tar.gz", data, err
}

// docs and licences are folders of packages for Linux.
const docs, licences = "usr/share/doc/superres", "usr/share/licenses/superres"

// linuxTree returns where things belong in a Linux system, but for changelog and licences, which each kind of package
// has in another way. zsh is the folder of completions for zsh, of which distributions have two.
func linuxTree(r release, p program, zsh string) (tree, error) {
	manual, err := compress(r.manual)
	if err != nil {
		return nil, err
	}
	t := tree{{"usr/bin/superres", 0o755, p.data}, {"usr/share/man/man1/superres.1.gz", 0o644, manual}}
	from := slices.Concat(r.completions, r.install)
	for name, to := range map[string]string{
		"superres.bash":                    "usr/share/bash-completion/completions/superres",
		"superres.fish":                    "usr/share/fish/vendor_completions.d/superres.fish",
		"_superres":                        zsh + "/_superres",
		"desktop/superres.svg":             "usr/share/icons/hicolor/scalable/apps/superres.svg",
		"desktop/superres.desktop":         "usr/share/applications/superres.desktop",
		"desktop/superres-enlarge.desktop": "usr/share/applications/superres-enlarge.desktop",
	} {
		i := slices.IndexFunc(from, func(f file) bool { return f.name == name })
		if i < 0 {
			return nil, fmt.Errorf("%s has no %s", installFolder, name)
		}
		t = append(t, file{to, from[i].mode, from[i].data})
	}
	for _, editor := range []string{"gimp-3", "gimp-2.10", "darktable"} {
		t = append(t, r.install.under(editor).in("usr/share/superres/"+editor)...)
	}
	for _, page := range r.pages {
		if page.name != "LICENSE" && page.name != "CHANGELOG.md" {
			t = append(t, file{docs + "/" + page.name, page.mode, page.data})
		}
	}
	for _, page := range r.install {
		if page.name == "README.md" {
			t = append(t, file{docs + "/install/README.md", page.mode, page.data})
		}
	}
	return t.sorted(), nil
}
