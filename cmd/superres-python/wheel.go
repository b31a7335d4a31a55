package main

import (
	"compress/flate"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"slices"
	"strings"
)

// sources are the Python module and its page on PyPI.
//
//go:embed superres/*.py superres/py.typed README.md
var sources embed.FS

// platforms are Python's tags for the platforms on which the program for a target runs.
//
// Note: the program for Linux is static, so that it runs with any libc: manylinux_2_17 and musllinux_1_1 are the oldest
// tags still in use with pip. Go 1.26 needs macOS 12.
var platforms = map[string][]string{
	"linux-amd64":   {"manylinux_2_17_x86_64", "musllinux_1_1_x86_64"},
	"linux-arm64":   {"manylinux_2_17_aarch64", "musllinux_1_1_aarch64"},
	"darwin-amd64":  {"macosx_12_0_x86_64"},
	"darwin-arm64":  {"macosx_12_0_arm64"},
	"windows-amd64": {"win_amd64"},
	"windows-arm64": {"win_arm64"},
}

// goodVersion matches versions that PEP 440 spells in the same way as a release does.
var goodVersion = regexp.MustCompile(`^\d+(\.\d+)*((a|b|rc)\d+)?$`)

// wheel returns the wheel of a version for a target, such as linux-amd64, and its file name, in the binary distribution
// format of the Python packaging specifications (PEP 427, PEP 600, PEP 656).
//
// Note: the program is stored among the scripts, which pip puts on the path. So users can run it without Python, and
// the module finds it where the installation's record says.
func (r release) wheel(version, target string) (name string, data []byte, err error) {
	platforms := platforms[target]
	switch {
	case platforms == nil:
		return "", nil, fmt.Errorf("no platform of Python is known for %s", target)
	case !goodVersion.MatchString(version):
		return "", nil, fmt.Errorf("version %s is none of Python; expected one such as 1.2.0 or 1.2.0rc1", version)
	}
	files, err := module()
	if err != nil {
		return "", nil, err
	}
	name = "superres-" + version
	program := r.program
	program.name = name + ".data/scripts/" + program.name
	files = append(files, program)

	about := name + ".dist-info/"
	metadata, err := r.metadata(version)
	if err != nil {
		return "", nil, err
	}
	for _, l := range r.licences {
		files = append(files, file{name: about + "licenses/" + l.name, data: l.data})
	}
	wheel := "Wheel-Version: 1.0\nGenerator: superres-python\nRoot-Is-Purelib: false\n"
	for _, p := range platforms {
		wheel += "Tag: py3-none-" + p + "\n"
	}
	files = append(files, file{name: about + "METADATA", data: metadata}, file{name: about + "WHEEL",
		data: []byte(wheel)})
	files = append(files, file{name: about + "RECORD", data: record(files, about+"RECORD")})
	data, err = zipFiles(files, r.time)
	return name + "-py3-none-" + strings.Join(platforms, ".") + ".whl", data, err
}

// module returns the files of the Python module.
func module() (files []file, err error) {
	err = fs.WalkDir(sources, "superres", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := sources.ReadFile(path)
		files = append(files, file{name: path, data: data})
		return err
	})
	return files, err
}

// record returns the file RECORD: a line for each of files, and a line for RECORD itself, with the path name.
func record(files []file, name string) []byte {
	var text strings.Builder
	for _, f := range files {
		sum := sha256.Sum256(f.data)
		fmt.Fprintf(&text, "%s,sha256=%s,%d\n", f.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(f.data))
	}
	return fmt.Appendf(nil, "%s%s,,\n", text.String(), name)
}

// metadata returns the file METADATA: core metadata 2.4, with README.md as the description.
func (r release) metadata(version string) ([]byte, error) {
	readme, err := sources.ReadFile("README.md")
	if err != nil {
		return nil, err
	}
	lines := []string{
		"Metadata-Version: 2.4",
		"Name: superres",
		"Version: " + version,
		"Summary: Enlarge pictures sharply, and learn dictionaries: for NumPy, Pillow and scikit-learn, without a GPU",
		"Keywords: super-resolution,upscaling,image,dictionary-learning,sparse-coding",
		"License-Expression: BSD-3-Clause",
	}
	for _, l := range r.licences {
		lines = append(lines, "License-File: "+l.name)
	}
	lines = append(lines,
		"Classifier: Intended Audience :: Science/Research",
		"Classifier: Programming Language :: Python :: 3 :: Only",
		"Classifier: Programming Language :: Go",
		"Classifier: Topic :: Multimedia :: Graphics",
		"Classifier: Topic :: Scientific/Engineering :: Image Processing",
		"Classifier: Typing :: Typed",
		"Requires-Python: >=3.9",
	)
	extras := map[string]string{"numpy": "numpy", "pillow": "Pillow", "sklearn": "scikit-learn"}
	for _, extra := range []string{"numpy", "pillow", "sklearn"} {
		lines = append(lines, "Provides-Extra: "+extra,
			fmt.Sprintf("Requires-Dist: %s; extra == %q", extras[extra], extra))
	}
	lines = append(lines, "Description-Content-Type: text/markdown; charset=UTF-8", "", "")
	return slices.Concat([]byte(strings.Join(lines, "\n")), readme), nil
}

// newDeflate returns the compressor for a file in a .zip, which packs as tightly as it can.
func newDeflate(w io.Writer) (io.WriteCloser, error) {
	return flate.NewWriter(w, flate.BestCompression)
}
