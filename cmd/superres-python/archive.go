package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// file is a file in an archive or a wheel.
type file struct {
	name       string // path with slashes
	data       []byte
	executable bool
}

// release holds what a wheel takes from an archive of a release.
type release struct {
	program  file
	licences []file    // LICENSE first, then the linked modules' licences, sorted by name
	time     time.Time // when the program was last changed, in UTC
}

// readArchive reads the archive at path, a .tar.gz or .zip with a single folder at its top. It fails if the archive has
// no program, no LICENSE or no file in licenses/, and ignores other files.
func readArchive(path string) (r release, err error) {
	each := eachInTar
	if strings.HasSuffix(path, ".zip") {
		each = eachInZip
	}
	var own *file
	err = each(path, func(name string, modified time.Time, content io.Reader) error {
		_, name, _ = strings.Cut(name, "/") // without the folder
		isProgram := name == "superres" || name == "superres.exe"
		if !isProgram && name != "LICENSE" && !strings.HasPrefix(name, "licenses/") {
			return nil
		}
		data, err := io.ReadAll(content)
		switch {
		case err != nil:
			return err
		case isProgram:
			r.program, r.time = file{name, data, true}, modified.UTC()
		case name == "LICENSE":
			own = &file{name: name, data: data}
		default:
			r.licences = append(r.licences, file{name: strings.TrimPrefix(name, "licenses/"), data: data})
		}
		return nil
	})
	slices.SortFunc(r.licences, func(a, b file) int { return strings.Compare(a.name, b.name) })
	switch {
	case err != nil:
		return r, err
	case r.program.data == nil:
		return r, errors.New("has no program")
	case own == nil || len(r.licences) == 0:
		return r, errors.New("has no licences")
	}
	r.licences = slices.Insert(r.licences, 0, *own)
	return r, nil
}

// eachInTar calls use for each regular file in the .tar.gz at path.
func eachInTar(path string, use func(name string, modified time.Time, content io.Reader) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	unpacked, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	t := tar.NewReader(unpacked)
	for {
		head, err := t.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case head.Typeflag != tar.TypeReg:
			continue
		}
		if err := use(head.Name, head.ModTime, t); err != nil {
			return err
		}
	}
}

// eachInZip calls use for each regular file in the .zip at path.
func eachInZip(path string, use func(name string, modified time.Time, content io.Reader) error) error {
	z, err := zip.OpenReader(path)
	if err != nil {
		return err
	}
	defer z.Close()
	for _, f := range z.File {
		if !f.Mode().IsRegular() {
			continue
		}
		content, err := f.Open()
		if err != nil {
			return err
		}
		err = use(f.Name, f.Modified, content)
		_ = content.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

// zipFiles returns files as a .zip, all with the time modified.
func zipFiles(files []file, modified time.Time) ([]byte, error) {
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	z.RegisterCompressor(zip.Deflate, newDeflate)
	for _, f := range files {
		head := &zip.FileHeader{Name: path.Clean(f.name), Method: zip.Deflate, Modified: modified}
		head.SetMode(0o644)
		if f.executable {
			head.SetMode(0o755)
		}
		w, err := z.CreateHeader(head)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return out.Bytes(), err
}
