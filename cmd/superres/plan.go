package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"superres/internal/imagefile"
)

// job is one picture to enlarge: where it comes from and where it goes ("-":
// standard output).
type job struct {
	input
	output string
	format string // of the output
	root   string // the folder that the output must not leave through a link
}

// plan works out what upscale is to do, before any work: it finds the inputs,
// names the outputs, and refuses two inputs with one output. It returns the jobs,
// and the number of inputs it skipped because their output is there.
func plan(c *cli.Context, scale float64) (jobs []job, skipped int, err error) {
	if c.NArg() == 0 {
		return nil, 0, usage("no input: name files, folders or - for standard input; superres upscale --help shows examples")
	}
	onExist := c.String("on-exist")
	switch onExist {
	case "fail", "skip", "overwrite":
	default:
		return nil, 0, usage("--on-exist %s: expected fail, skip or overwrite", onExist)
	}
	single := c.NArg() == 1 && !isFolder(c.Args().First())
	inputPaths := map[string]string{} // where an input really lies: its name
	for _, arg := range c.Args().Slice() {
		inputs, err := expand(arg, c.Bool("recursive"))
		if err != nil {
			return nil, 0, err
		}
		single = single && len(inputs) == 1
		for _, in := range inputs {
			if in.path != "-" {
				inputPaths[real(in.path)] = in.path
			}
			j, err := name(c, in, arg, single, scale)
			if err != nil {
				return nil, 0, err
			}
			jobs = append(jobs, j)
		}
	}
	seen := map[string]string{}
	kept := jobs[:0]
	for _, j := range jobs {
		if j.output == "-" {
			if !single {
				return nil, 0, usage("standard output takes one picture: give one file, or - alone")
			}
			kept = append(kept, j)
			continue
		}
		place := filepath.Join(real(filepath.Dir(j.output)), filepath.Base(j.output))
		if other, clash := seen[place]; clash {
			return nil, 0, codedError{fmt.Errorf("%s and %s both make %s; use --name '{stem}{ext}_{scale}x', or a folder for each", other, j.path, j.output), exitOutput}
		}
		seen[place] = j.path
		if in, is := inputPaths[real(j.output)]; is || imagefile.SameFile(j.path, j.output) {
			if in == "" || in == j.path {
				return nil, 0, codedError{fmt.Errorf("%s: the output is the input; use another -o or --name", j.path), exitOutput}
			}
			return nil, 0, codedError{fmt.Errorf("%s: its output %s is an input as well; use another -o or --name", j.path, j.output), exitOutput}
		}
		if _, err := os.Lstat(j.output); err == nil && onExist == "skip" {
			skipped++
			continue
		} else if err == nil && onExist == "fail" {
			return nil, 0, codedError{fmt.Errorf("%s exists; use --on-exist skip or overwrite, or another -o", j.output), exitOutput}
		}
		kept = append(kept, j)
	}
	return kept, skipped, nil
}

// real returns the absolute path of a file without links, or the absolute path
// itself where there is no such file.
func real(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	if direct, err := filepath.EvalSymlinks(path); err == nil {
		return direct
	}
	return path
}

// throughLink tells which folder between root and dir, root left out, is a link:
// files of a tree are not written outside of it.
func throughLink(root, dir string) (string, bool) {
	rel, err := filepath.Rel(root, dir)
	if err != nil || rel == "." {
		return "", false
	}
	at := root
	for part := range strings.SplitSeq(rel, string(filepath.Separator)) {
		at = filepath.Join(at, part)
		if info, err := os.Lstat(at); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return at, true
		}
	}
	return "", false
}

// name decides where the enlargement of an input goes, and in which format.
func name(c *cli.Context, in input, arg string, single bool, scale float64) (job, error) {
	out, format := c.String("output"), strings.ToLower(strings.TrimPrefix(c.String("format"), "."))
	if format != "" {
		var err error
		if format, err = imagefile.FormatOf("x." + format); err != nil {
			return job{}, usage("--format %s: expected png, jpeg, bmp or tiff", c.String("format"))
		}
	}
	scaleText := strconv.FormatFloat(scale, 'g', -1, 64)
	asFile := single && out != "" && out != "-" && !isFolder(out) && !strings.HasSuffix(out, "/") && !strings.HasSuffix(out, string(filepath.Separator))
	switch {
	case out == "-" || out == "" && in.path == "-":
		if format == "" {
			format = "png"
		}
		return job{input: in, output: "-", format: format}, nil
	case !single && out != "" && !isFolder(out) && isPicture(out):
		return job{}, usage("-o %s: several pictures need a folder; write %s%c for a folder of this name", out, out, filepath.Separator)
	case asFile && !strings.Contains(filepath.Base(out), ".") && format == "":
		return job{}, usage("-o %s: no extension says which format; write %s.png, or %s%c for a folder", out, out, out, filepath.Separator)
	case asFile:
		fromName, err := imagefile.FormatOf(out)
		if format == "" && err != nil {
			return job{}, codedError{err, exitUsage}
		}
		if format == "" {
			format = fromName
		}
		return job{input: in, output: filepath.Clean(out), format: format}, nil
	}
	ext := filepath.Ext(in.place)
	stem := strings.TrimSuffix(filepath.Base(in.place), ext)
	newExt := ext
	if format != "" {
		newExt = map[string]string{"png": ".png", "jpeg": ".jpg", "bmp": ".bmp", "tiff": ".tif"}[format]
		if was, err := imagefile.FormatOf(in.place); err == nil && was == format {
			newExt = ext
		}
	} else if f, err := imagefile.FormatOf(in.place); err == nil {
		format = f
	} else {
		format, newExt = "png", ".png" // a format that can be read but not written
	}
	base := strings.NewReplacer("{stem}", stem, "{ext}", strings.TrimPrefix(ext, "."), "{scale}", scaleText).Replace(c.String("name"))
	if base == "" || base != filepath.Base(base) {
		return job{}, usage("--name %s makes the file name %q; expected a name without folders", c.String("name"), base)
	}
	folder := out
	if folder == "" {
		folder = filepath.Dir(in.path)
		if isFolder(arg) { // a folder is mirrored beside itself
			if folder = filepath.Clean(arg); folder == "." || strings.HasSuffix(folder, "..") {
				abs, err := filepath.Abs(folder)
				if err != nil {
					return job{}, codedError{err, exitInput}
				}
				folder = abs
			}
			folder += "_" + scaleText + "x"
		}
	}
	root := folder
	if isFolder(arg) {
		folder = filepath.Join(folder, filepath.Dir(in.place))
	}
	return job{in, filepath.Join(folder, base+newExt), format, root}, nil
}
