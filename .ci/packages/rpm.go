package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/google/rpmpack"
)

// makeRPM makes a package for Fedora, openSUSE and their kin. It needs nothing of the system and has no script.
func makeRPM(r release, p program) (name string, data []byte, err error) {
	t, err := linuxTree(r, p, "usr/share/zsh/site-functions")
	if err != nil {
		return "", nil, err
	}
	terms, err := p.expressions()
	if err != nil {
		return "", nil, err
	}
	arch := map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[p.arch]
	doc := r.pages.under("doc").in("doc")
	for _, page := range r.pages {
		if strings.HasSuffix(page.name, ".md") && !strings.Contains(page.name, "/") {
			doc = append(doc, page)
		}
	}
	docs, licences := "usr/share/doc/superres", "usr/share/licenses/superres"
	t = slices.Concat(t, doc.in(docs), tree{{licences + "/LICENSE", 0o644, r.licence}}, p.licenceTree().in(licences))
	pkg, err := rpmpack.NewRPM(rpmpack.RPMMetaData{
		Name: "superres", Version: r.version, Release: "1", Arch: arch, Summary: summary, Description: description,
		URL: r.url, Packager: r.maintainer, Licence: terms[""], BuildHost: "localhost", BuildTime: r.time,
		Compressor: "gzip:9", Suggests: rpmpack.Relations{{Name: "libnotify"}},
	})
	if err != nil {
		return "", nil, err
	}
	add := func(name string, mode uint, kind rpmpack.FileType, data []byte) {
		pkg.AddFile(rpmpack.RPMFile{Name: "/" + name, Mode: mode, Body: data, MTime: uint32(r.time.Unix()),
			Owner: "root", Group: "root", Type: kind})
	}
	for _, folder := range t.folders() {
		if strings.Contains(folder+"/", "/superres/") { // all others are of the system
			add(folder, 0o40755, rpmpack.GenericFile, nil)
		}
	}
	for _, f := range t {
		kind := rpmpack.GenericFile
		switch {
		case strings.HasPrefix(f.name, docs), strings.HasPrefix(f.name, "usr/share/man/"):
			kind = rpmpack.DocFile
		case strings.HasPrefix(f.name, licences):
			kind = rpmpack.LicenceFile
		}
		add(f.name, uint(f.mode), kind, f.data)
	}
	var b bytes.Buffer
	if err := pkg.Write(&b); err != nil {
		return "", nil, err
	}
	return fmt.Sprintf("superres-%s-1.%s.rpm", r.version, arch), b.Bytes(), nil
}
