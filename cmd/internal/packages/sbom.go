package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"strings"
)

// spdx is a document by the System Package Data Exchange specification, version 2.3.
type spdx struct {
	Version       string         `json:"spdxVersion"`
	DataLicense   string         `json:"dataLicense"`
	ID            string         `json:"SPDXID"`
	Name          string         `json:"name"`
	Namespace     string         `json:"documentNamespace"`
	Creation      creation       `json:"creationInfo"`
	Packages      []spdxPackage  `json:"packages"`
	Relationships []relationship `json:"relationships"`
}

type creation struct {
	Created  string   `json:"created"`
	Creators []string `json:"creators"`
}

type spdxPackage struct {
	ID            string      `json:"SPDXID"`
	Name          string      `json:"name"`
	Version       string      `json:"versionInfo"`
	Location      string      `json:"downloadLocation"`
	FilesAnalyzed bool        `json:"filesAnalyzed"`
	Concluded     string      `json:"licenseConcluded"`
	Declared      string      `json:"licenseDeclared"`
	Copyright     string      `json:"copyrightText"`
	References    []reference `json:"externalRefs,omitempty"`
	Comment       string      `json:"comment,omitempty"`
}

type reference struct {
	Category string `json:"referenceCategory"`
	Type     string `json:"referenceType"`
	Locator  string `json:"referenceLocator"`
}

type relationship struct {
	Element string `json:"spdxElementId"`
	Type    string `json:"relationshipType"`
	Related string `json:"relatedSpdxElement"`
}

// makeSBOM lists what is linked into the programs, by the list of modules that each has in it.
func makeSBOM(r release, programs []program) (file, error) {
	type use struct {
		module  *debug.Module
		terms   string
		targets []string
	}
	uses := map[string]*use{}
	for _, p := range programs {
		terms, err := p.expressions()
		if err != nil {
			return file{}, err
		}
		linked := append([]*debug.Module{{Path: "go", Version: strings.TrimPrefix(p.version, "go")}}, p.modules...)
		for _, m := range linked {
			if m.Replace != nil {
				return file{}, fmt.Errorf("%s: the module %s is replaced; a release has none such", p.target, m.Path)
			}
			u := uses[m.Path]
			if u == nil {
				u = &use{m, terms[m.Path], nil}
				uses[m.Path] = u
			}
			u.targets = append(u.targets, p.target.String())
		}
	}
	const document, self = "SPDXRef-DOCUMENT", "SPDXRef-superres"
	doc := spdx{Version: "SPDX-2.3", DataLicense: "CC0-1.0", ID: document, Name: "superres-" + r.version,
		Namespace: r.url + "/superres-" + r.version + ".spdx.json",
		Creation:  creation{r.time.Format("2006-01-02T15:04:05Z"), []string{"Tool: superres-packages-" + r.version}}}
	add := func(p spdxPackage) {
		p.Concluded, p.Copyright = "NOASSERTION", "NOASSERTION"
		doc.Packages = append(doc.Packages, p)
	}
	add(spdxPackage{ID: self, Name: "superres", Version: r.version, Location: r.url, Declared: "BSD-3-Clause"})
	doc.Relationships = append(doc.Relationships, relationship{document, "DESCRIBES", self})
	for _, name := range slices.Sorted(maps.Keys(uses)) {
		u := uses[name]
		p := spdxPackage{ID: "SPDXRef-" + spdxName(name), Name: name, Version: u.module.Version,
			Location: "https://proxy.golang.org/" + name + "/@v/" + u.module.Version + ".zip", Declared: u.terms,
			References: []reference{{"PACKAGE-MANAGER", "purl", "pkg:golang/" + name + "@" + u.module.Version}}}
		if name == "go" {
			p.Name, p.Location = "Go standard library", "https://go.dev/dl/go"+u.module.Version+".src.tar.gz"
			p.References[0].Locator = "pkg:golang/stdlib@" + u.module.Version
		}
		var comments []string
		if u.module.Sum != "" {
			comments = append(comments, "the sum of the module, as in go.sum: "+u.module.Sum)
		}
		if len(u.targets) < len(programs) {
			comments = append(comments, "linked for "+strings.Join(u.targets, ", "))
		}
		p.Comment = strings.Join(comments, "; ")
		add(p)
		doc.Relationships = append(doc.Relationships, relationship{self, "DEPENDS_ON", p.ID})
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(doc); err != nil {
		return file{}, err
	}
	return file{"superres-" + r.version + ".spdx.json", 0o644, b.Bytes()}, nil
}

// spdxName returns name with what an SPDX identifier cannot have as dashes.
func spdxName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' {
			return r
		}
		return '-'
	}, name)
}
