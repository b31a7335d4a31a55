// Command packages makes the files of a release, out of the checkout around it:
//
//	.ci/packages VERSION URL FOLDER
//
// VERSION is that of the program, such as 0.1.0; URL is the address of the folder from which users will fetch the
// files; FOLDER is a new one, where they are written. The same commit and Go version give the same bytes. It needs Go
// and git, and is called by .ci/release, which checks first that the checkout is the release's. It is a module of its
// own, since no user builds it.
//
// Read it in this order: source.go, what a release is made of; archive.go, deb.go, rpm.go, image.go, what is made for
// one system; manifests.go and sbom.go, what is made of the sums and modules of these.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: .ci/packages VERSION URL FOLDER")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "packages:", err)
		os.Exit(1)
	}
}

var goodVersion = regexp.MustCompile(`^\d+\.\d+\.\d+$`)

// run makes all files of the release in folder, which must not exist yet, and leaves no folder if it fails.
func run(version, address, folder string) (err error) {
	if !goodVersion.MatchString(version) {
		return fmt.Errorf("version %q: expected three numbers, such as 0.1.0", version)
	}
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" || u.Host == "" || strings.ContainsAny(address, "'\"\\ ") {
		return fmt.Errorf("URL %q: expected https://HOST/PATH, from where the files will be fetched", address)
	}
	if err := os.Mkdir(folder, 0o755); err != nil {
		return fmt.Errorf("%w; name a new folder", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(folder))
		}
	}()
	s, err := newSource(".", version, strings.TrimSuffix(address, "/"))
	if err != nil {
		return err
	}
	out := output{folder, map[string]string{}}
	programs, err := s.buildAll()
	if err != nil {
		return err
	}
	for _, p := range programs {
		if err := out.writeSystem(s.release, p); err != nil {
			return fmt.Errorf("%s: %w", p.target, err)
		}
		fmt.Println(p.target)
	}
	if err := out.writeCommon(s.release, programs); err != nil {
		return err
	}
	name, page, err := s.makePage()
	if err != nil {
		return err
	}
	if err := out.write(name, page); err != nil {
		return err
	}
	return out.writeSums()
}

// output is the folder of the release, and the SHA-256 sums of the files in it, in hexadecimal, by their names.
type output struct {
	folder string
	sums   map[string]string
}

// write writes a file of the release.
func (o output) write(name string, data []byte) error {
	if o.sums[name] != "" {
		return fmt.Errorf("two files are called %s", name)
	}
	sum := sha256.Sum256(data)
	o.sums[name] = hex.EncodeToString(sum[:])
	return os.WriteFile(filepath.Join(o.folder, name), data, 0o644)
}

// writeSystem writes the files for the system of p: an archive and, for Linux, packages and an image.
func (o output) writeSystem(r release, p program) error {
	makers := []func(release, program) (name string, data []byte, err error){makeArchive}
	if p.os == "linux" {
		makers = append(makers, makeDeb, makeRPM, makeImage)
	}
	for _, make := range makers {
		name, data, err := make(r, p)
		if err != nil {
			return err
		}
		if err := o.write(name, data); err != nil {
			return err
		}
	}
	return nil
}

// writeCommon writes what is for all systems.
func (o output) writeCommon(r release, programs []program) error {
	files, err := makeManifests(r, o.sums)
	if err != nil {
		return err
	}
	bom, err := makeSBOM(r, programs)
	if err != nil {
		return err
	}
	for _, f := range append(files, bom) {
		if err := o.write(f.name, f.data); err != nil {
			return err
		}
	}
	return nil
}

// writeSums writes SHA256SUMS, as sha256sum does.
func (o output) writeSums() error {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(o.sums)) {
		fmt.Fprintf(&b, "%s  %s\n", o.sums[name], name)
	}
	return os.WriteFile(filepath.Join(o.folder, "SHA256SUMS"), []byte(b.String()), 0o644)
}
