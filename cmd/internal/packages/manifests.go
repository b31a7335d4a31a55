package main

import (
	"bytes"
	"embed"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io/fs"
	"strings"
	"text/template"
)

// Each template becomes a file of the release, of the same name.
//
//go:embed templates
var templates embed.FS

// manifestData is what the templates are filled in with.
type manifestData struct {
	release
	sums map[string]string
}

func (d manifestData) Version() string    { return d.version }
func (d manifestData) URL() string        { return d.url }
func (d manifestData) Summary() string    { return summary }
func (d manifestData) Maintainer() string { return d.maintainer }
func (d manifestData) Date() string       { return d.time.Format("2006-01-02") }

// Archive returns the name of the archive for a system, without its extension: that of the folder inside, too.
func (d manifestData) Archive(system, arch string) string { return d.archiveName(target{system, arch}) }

// Homebrew, HomebrewArchs, Winget and Nix return how others name systems and processors, by how Go does or, for Nix,
// the other way round.
func (d manifestData) Homebrew() map[string]string {
	return map[string]string{"darwin": "macos", "linux": "linux"}
}

func (d manifestData) HomebrewArchs() map[string]string {
	return map[string]string{"amd64": "intel", "arm64": "arm"}
}

func (d manifestData) Winget() map[string]string {
	return map[string]string{"amd64": "x64", "arm64": "arm64"}
}

func (d manifestData) Nix() map[string]nixSystem {
	return map[string]nixSystem{"x86_64-linux": {"linux", "amd64"}, "aarch64-linux": {"linux", "arm64"},
		"x86_64-darwin": {"darwin", "amd64"}, "aarch64-darwin": {"darwin", "arm64"}}
}

// nixSystem is a target with names that a template can use.
type nixSystem struct{ OS, Arch string }

// Sum returns the SHA-256 sum of a file of the release, in hexadecimal.
func (d manifestData) Sum(name string) (string, error) {
	sum := d.sums[name]
	if sum == "" {
		return "", fmt.Errorf("the release has no file %s", name)
	}
	return sum, nil
}

// Integrity returns the same sum in the form of Subresource Integrity, as Nix takes it.
func (d manifestData) Integrity(name string) (string, error) {
	sum, err := d.Sum(name)
	if err != nil {
		return "", err
	}
	raw, err := hex.DecodeString(sum)
	return "sha256-" + base64.StdEncoding.EncodeToString(raw), err
}

// makeManifests makes what package managers install superres by, out of the archives whose sums are given, and the
// example of how to run the image.
func makeManifests(r release, sums map[string]string) (files []file, err error) {
	all, err := template.New("").Funcs(template.FuncMap{"upper": strings.ToUpper}).
		ParseFS(templates, "templates/*")
	if err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(templates, "templates")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		var b bytes.Buffer
		if err := all.ExecuteTemplate(&b, e.Name(), manifestData{r, sums}); err != nil {
			return nil, err
		}
		files = append(files, file{e.Name(), 0o644, b.Bytes()})
	}
	return files, nil
}
