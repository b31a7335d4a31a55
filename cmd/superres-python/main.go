// Command superres-python packs the Python module in the folder superres and the program into wheels, for pip and PyPI:
//
//	go run ./cmd/superres-python VERSION FOLDER
//
// For each archive superres-VERSION-OS-ARCH of .ci/release in FOLDER it writes a wheel to FOLDER, with the program and
// the licences in the archive. The same archives give the same bytes.
//
// archive.go reads an archive, and wheel.go writes a wheel.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: superres-python VERSION FOLDER")
		os.Exit(2)
	}
	if err := pack(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "superres-python:", err)
		os.Exit(1)
	}
}

// pack writes a wheel for each archive (.zip or .tar.gz) of a version in folder. It fails if there is none.
func pack(version, folder string) error {
	prefix := "superres-" + version + "-"
	paths, err := filepath.Glob(filepath.Join(folder, prefix+"*"))
	if err != nil {
		return err
	}
	count := 0
	for _, path := range paths {
		name := strings.TrimPrefix(filepath.Base(path), prefix)
		target := strings.TrimSuffix(strings.TrimSuffix(name, ".zip"), ".tar.gz")
		if target == name {
			continue // another file
		}
		var data []byte
		r, err := readArchive(path)
		if err == nil {
			name, data, err = r.wheel(version, target)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, name), data, 0o644)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		count++
	}
	if count == 0 {
		return fmt.Errorf("no archive %s* in %s; make it with .ci/release", prefix, folder)
	}
	return nil
}
