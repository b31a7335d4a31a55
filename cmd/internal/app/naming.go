package app

import (
	"path/filepath"
	"regexp"
	"strings"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/paths"
	"superres/internal/imagefile"
	"superres/learners/plugin"
	"superres/superres"
)

// namer decides where enlargements go, and in which format.
type namer struct {
	out      string // -o
	format   string // of all outputs, or empty: that of the input
	template string // of names, without the extension
	size     string // for {size}
	values   map[string]string
	single   bool // there is one input, and it was named itself
}

var placeholder = regexp.MustCompile(`\{[^{}]*\}`)

// newNamer reads the flags. The template may end in {ext}, the extension of the
// output, which is added where it does not.
func newNamer(c *cli.Context, opt superres.Options, single bool) (namer, error) {
	n := namer{out: c.String("output"), single: single, size: sizeText(opt)}
	if f := strings.TrimPrefix(c.String("format"), "."); f != "" {
		var err error
		if n.format, err = imagefile.FormatOf("x." + strings.ToLower(f)); err != nil {
			return n, console.Usage("--format %s: expected png, jpeg, bmp or tiff", c.String("format"))
		}
	}
	name := c.String("name")
	n.values = map[string]string{
		"{size}": n.size, "{scale}": scaleText(opt),
		"{model}": strings.TrimSuffix(filepath.Base(c.String("model")), ".npz"),
	}
	known := []string{"{stem}", "{ext}", "{size}", "{scale}", "{model}"}
	for _, p := range placeholder.FindAllString(name, -1) {
		if v, ok := n.values[p]; ok && v == "" {
			return n, console.Usage("--name %s: {scale} is not known with --width, --height and --fit; use {size}", name)
		} else if !ok && p != "{stem}" && p != "{ext}" {
			return n, console.Usage("--name %s: %s", name, plugin.Unknown("placeholder", p, known))
		}
	}
	n.template = withoutExt(name)
	return n, nil
}

// withoutExt takes the extension off the end of a template.
func withoutExt(template string) string {
	if short, ok := strings.CutSuffix(template, "{ext}"); ok {
		return strings.TrimSuffix(short, ".")
	}
	return template
}

// job names the enlargement of an input.
func (n namer) job(in input) (job, error) {
	out, format := n.out, n.format
	asFile := n.single && out != "" && out != "-" && !paths.IsFolder(out) && !strings.HasSuffix(out, "/") && !strings.HasSuffix(out, string(filepath.Separator))
	switch {
	case out == "-" || out == "" && in.path == "-":
		if format == "" {
			format = "png"
		}
		return job{input: in, output: "-", format: format}, nil
	case !n.single && out != "" && !paths.IsFolder(out) && isPicture(out):
		return job{}, console.Usage("-o %s: several pictures need a folder; write %s%c for a folder of this name", out, out, filepath.Separator)
	case asFile && !strings.Contains(filepath.Base(out), ".") && format == "":
		return job{}, console.Usage("-o %s: no extension says which format; write %s.png, or %s%c for a folder", out, out, out, filepath.Separator)
	case asFile:
		fromName, err := imagefile.FormatOf(out)
		if format == "" && err != nil {
			return job{}, console.Fail(console.ExitUsage, err)
		}
		if format == "" {
			format = fromName
		}
		return job{input: in, output: filepath.Clean(out), format: format, root: filepath.Dir(out)}, nil
	}
	ext := filepath.Ext(in.place)
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
	base := n.base(in, ext) + newExt
	if base == newExt || base != filepath.Base(base) {
		return job{}, console.Usage("--name %s makes the file name %q; expected a name without folders", n.template, base)
	}
	root, err := n.folder(in)
	if err != nil {
		return job{}, err
	}
	folder := root
	if in.root != "" {
		folder = filepath.Join(root, filepath.Dir(in.place))
	}
	return job{input: in, output: filepath.Join(folder, base), format: format, root: root}, nil
}

// base fills in the template.
func (n namer) base(in input, ext string) string {
	return placeholder.ReplaceAllStringFunc(n.template, func(p string) string {
		switch p {
		case "{stem}":
			return strings.TrimSuffix(filepath.Base(in.place), ext)
		case "{ext}":
			return strings.TrimPrefix(ext, ".")
		}
		return n.values[p]
	})
}

// folder returns the folder of the outputs that an input's is one of: that of -o, or
// one beside the folder of the input, which is mirrored, or that of the input itself.
func (n namer) folder(in input) (string, error) {
	switch {
	case n.out != "":
		return n.out, nil
	case in.root == "":
		return filepath.Dir(filepath.Clean(in.path)), nil
	}
	folder := filepath.Clean(in.root)
	if folder == "." || strings.HasSuffix(folder, "..") {
		abs, err := filepath.Abs(folder)
		if err != nil {
			return "", console.Fail(console.ExitInput, err)
		}
		folder = abs
	}
	return folder + "_" + n.size, nil
}
