package pictures

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"superres/cmd/internal/console"
	"superres/cmd/internal/paths"
	"superres/internal/enlarging"
	"superres/internal/imagefile"
	"superres/internal/usage"
	"superres/superres"
)

// Naming holds the options that decide the names and formats of outputs.
type Naming struct {
	Out      string           // -o: a file, a folder, or "-" for standard output; empty: beside the input
	Format   string           // --format, for all outputs; empty: -o, --name or the input decides
	Template string           // value of --name
	Model    string           // name of the model or path of its file, for {model}
	Size     superres.Options // size, for {size} and {scale}
	Replace  bool             // each output replaces its input; false: it gets a new name
}

// Namer decides the paths and formats of enlargements.
type Namer struct {
	out      string            // the value of -o: a file, a folder, "-" or empty
	format   imagefile.Format  // format of all outputs; empty: the format of each input
	template string            // --name without the extension
	ext      string            // extension of all outputs; empty: it follows from their format
	size     string            // value of {size} if a scale is given or the size of the result is unknown
	values   map[string]string // values of the placeholders that are the same for all inputs
	replace  bool              // Naming.Replace
	single   bool              // there is one input, a file named by the user; false: several, or a folder
}

// Video is the format of video streams, both as input and as output.
const Video = enlarging.Video

const videoExt = ".y4m"

// Output is the path and format of an enlargement.
type Output struct {
	Path   string           // the path of the file; "-" is standard output
	Format imagefile.Format // png, jpeg, webp, bmp, tiff, gif (animations only), Video, Container or Book
	Root   string           // the folder that the path must not leave through a link
}

var placeholder = regexp.MustCompile(`\{[^{}]*\}`)

// SplitOutput splits args into inputs and output. If there are two arguments, and the second is no pattern, has the
// extension of a picture, a video or a comic, and does not exist, it is the output. Else all are inputs, and out is "".
func SplitOutput(args []string) (inputs []string, out string) {
	if len(args) != 2 || strings.ContainsAny(args[1], "*?[") ||
		!isNamedPicture(args[1]) && !IsNamedVideo(args[1]) && !isNamedContainer(args[1]) &&
			!strings.EqualFold(filepath.Ext(args[1]), bookExt) {
		return args, ""
	}
	if _, err := os.Lstat(args[1]); !errors.Is(err, fs.ErrNotExist) {
		return args, ""
	}
	return args[:1], args[1]
}

// NewNamer returns a Namer for the options opt, or an error if they are invalid. single says that the only input is a
// file that the user named. A template may end in {ext}, for the extension of the output, or in the extension of a
// picture, which then sets the format. Otherwise the extension is added.
func NewNamer(opt Naming, single bool) (Namer, error) {
	n := Namer{out: opt.Out, single: single, replace: opt.Replace, size: enlarging.SizeText(opt.Size)}
	if n.size == "1x" { // nothing is enlarged
		n.size = "restored"
	}
	if f := strings.TrimPrefix(opt.Format, "."); f != "" {
		var err error
		if n.format, err = formatOf("x." + strings.ToLower(f)); err != nil {
			return n, console.Usage("--format %s: expected png, jpeg, webp, bmp, tiff or avif, or gif for animations",
				opt.Format)
		}
	}
	n.values = map[string]string{
		"{size}": n.size, "{scale}": enlarging.ScaleText(opt.Size),
		"{model}": strings.TrimSuffix(filepath.Base(opt.Model), ".npz"),
	}
	known := []string{"{stem}", "{ext}", "{size}", "{scale}", "{model}"}
	for _, p := range placeholder.FindAllString(opt.Template, -1) {
		if v, ok := n.values[p]; ok && v == "" {
			return n, console.Usage("--name %s: {scale} is not known with --width, --height and --fit; use {size}",
				opt.Template)
		} else if !ok && p != "{stem}" && p != "{ext}" {
			return n, console.Usage("--name %s: %s", opt.Template, usage.Unknown("placeholder", p, known))
		}
	}
	n.template = opt.Template
	if short, ok := strings.CutSuffix(opt.Template, "{ext}"); ok {
		n.template = strings.TrimSuffix(short, ".")
	}
	return n, n.takeFormat()
}

// formatOf returns imagefile.FormatOf(name) or, for *.gif, GIF, which is written only for animations.
func formatOf(name string) (imagefile.Format, error) {
	if f := imagefile.NamedFormat(name); f.OnlyAnimates() {
		return f, nil
	}
	return imagefile.FormatOf(name)
}

// WantsGIF reports whether an option asks for GIF, which is written only for animations.
func (want Naming) WantsGIF() bool {
	for _, name := range []string{want.Out, want.Template, "." + strings.TrimPrefix(want.Format, ".")} {
		if format, _ := formatOf(name); format.OnlyAnimates() {
			return true
		}
	}
	return false
}

// takeFormat handles a template that ends in the extension of a picture: it moves the extension to n.ext, and sets
// n.format, the format of all outputs, accordingly. It fails if --format names another format.
func (n *Namer) takeFormat() error {
	if !isNamedPicture(n.template) {
		return nil
	}
	n.ext = filepath.Ext(n.template)
	format := imagefile.NamedFormat(n.template)
	if n.format != "" && n.format != format {
		return console.Usage("--name %s and --format %s say two formats; leave out one of them", n.template, n.format)
	}
	n.format, n.template = format, strings.TrimSuffix(n.template, n.ext)
	return nil
}

// Output returns the path and format for the enlargement of input. It fails if the options contradict each other.
func (n Namer) Output(input Input) (Output, error) {
	out, err := n.output(input)
	if err == nil && out.Format.OnlyAnimates() && !input.Several && !paths.IsStandard(input.Path) {
		return out, console.Usage("%s: GIF is written for animations alone, and %s is one picture; "+
			"use --format png or another name", out.Path, input.Path)
	}
	return out, err
}

// output is Output without the check that only an animation becomes a GIF.
func (n Namer) output(in Input) (Output, error) {
	out, format := n.out, n.format
	asFile := n.asFile()
	if n.replace {
		return inPlace(in)
	}
	switch in.Format {
	case Video:
		return n.video(in)
	case Container:
		return n.container(in)
	case Book:
		return n.book(in)
	}
	switch {
	case paths.IsStandard(out) || out == "" && paths.IsStandard(in.Path):
		if format == "" {
			format = imagefile.PNG
		}
		return Output{Path: "-", Format: format}, nil
	case !n.single && isNamedPicture(out) && !paths.IsFolder(out):
		return Output{}, console.Usage("-o %s: several pictures need a folder; write %s%c for a folder of this name",
			out, out, filepath.Separator)
	case asFile && !strings.Contains(filepath.Base(out), ".") && format == "":
		return Output{}, console.Usage("-o %s: no extension says which format; write %s.png, or %s%c for a folder",
			out, out, out, filepath.Separator)
	case asFile:
		fromName, err := formatOf(out)
		if format == "" && err != nil {
			return Output{}, console.Fail(console.ExitUsage, err)
		}
		if format == "" {
			format = fromName
		}
		if err == nil && format != fromName {
			return Output{}, console.Usage("-o %s and --format %s say two formats; leave out one of them", out, format)
		}
		return n.outputFile(format), nil
	}
	ext := filepath.Ext(in.Place)
	newExt := ext // if the format stays, the extension does, too: .jpeg does not become .jpg
	if format != "" {
		newExt = format.Extension()
		if was, err := formatOf(in.Place); err == nil && was == format {
			newExt = ext
		}
	} else if f := imagefile.NamedFormat(in.Place); f.IsFollowed() && !(in.Several && f.SplitsAnimations()) {
		format = f
	} else if in.Several { // an animation becomes a GIF, but one as WebP becomes a PNG
		format = imagefile.GIF
		if cmp.Or(in.Format, imagefile.NamedFormat(in.Place)) == imagefile.WebP {
			format = imagefile.PNG
		}
		if was, _ := formatOf(in.Place); was != format {
			newExt = format.Extension()
		}
	} else if in.Format.IsFollowed() { // format of the content
		format, newExt = in.Format, in.Format.Extension()
	} else {
		format, newExt = imagefile.PNG, ".png" // the format of the input cannot be written, or only slowly
	}
	newExt = cmp.Or(n.ext, newExt)
	return n.outputIn(in, n.base(in, ext)+newExt, newExt, format)
}

// inPlace returns the output that replaces input. It fails for standard input, for links, and if the result would have
// another format or name: a file with the wrong extension (then input.Format is set), or an animated WebP, which
// becomes a PNG. A GIF with several frames stays a GIF, which FormatOf does not say.
func inPlace(input Input) (Output, error) {
	format, err := imagefile.FormatOf(input.Place)
	if input.Several && imagefile.NamedFormat(input.Place).OnlyAnimates() {
		format, err = imagefile.NamedFormat(input.Place), nil
	}
	switch {
	case paths.IsStandard(input.Path):
		return Output{}, console.Usage("--replace takes files; standard input is none")
	case input.Link:
		return Output{}, console.Usage("--replace: %s is a link; name the file that it leads to", input.Path)
	case err != nil || input.Format != "" && input.Format != format || input.Several && format.SplitsAnimations():
		return Output{}, console.Usage("--replace: %s has a result of another format or name; use -o", input.Path)
	}
	path := filepath.Clean(input.Path)
	return Output{Path: path, Format: format, Root: filepath.Dir(path)}, nil
}

// IsNamedVideo reports whether name has the extension of a video stream.
func IsNamedVideo(name string) bool { return strings.EqualFold(filepath.Ext(name), videoExt) }

// video returns the Output for an input that is a video stream. It fails if the options ask for anything but Y4M.
func (n Namer) video(in Input) (Output, error) {
	switch asFile := n.asFile(); {
	case n.format != "":
		return Output{}, console.Usage("--format %s: frames are written as Y4M alone; leave it out", n.format)
	case paths.IsStandard(n.out) || n.out == "" && paths.IsStandard(in.Path):
		return Output{Path: "-", Format: Video}, nil
	case asFile && !IsNamedVideo(n.out):
		return Output{}, console.Usage("-o %s: frames are written as Y4M alone; end the name in %s, or write - "+
			"for standard output", n.out, videoExt)
	case asFile:
		return n.outputFile(Video), nil
	}
	base := strings.TrimSuffix(n.base(in, filepath.Ext(in.Place)), videoExt) + videoExt
	return n.outputIn(in, base, videoExt, Video)
}

// asFile reports whether -o names the output file; false: it names a folder or standard output, or is empty.
func (n Namer) asFile() bool {
	return n.single && n.out != "" && !paths.IsStandard(n.out) && !paths.IsFolder(n.out) &&
		!strings.HasSuffix(n.out, "/") && !strings.HasSuffix(n.out, string(filepath.Separator))
}

// outputFile returns the output named by -o.
func (n Namer) outputFile(format imagefile.Format) Output {
	return Output{Path: filepath.Clean(n.out), Format: format, Root: filepath.Dir(n.out)}
}

// outputIn returns the output called base, with extension ext. It is in the output folder, in the subfolder of input.
// It fails if --name makes a base that is only the extension, or has folders.
func (n Namer) outputIn(input Input, base, ext string, format imagefile.Format) (Output, error) {
	if base == ext || base != filepath.Base(base) {
		return Output{}, console.Usage("--name %s makes the file name %q; expected a name without folders",
			n.template, base)
	}
	root, err := n.folder(input)
	if err != nil {
		return Output{}, err
	}
	folder := root
	if input.Root != "" {
		folder = filepath.Join(root, filepath.Dir(input.Place))
	}
	return Output{Path: filepath.Join(folder, base), Format: format, Root: root}, nil
}

// base returns the template with its placeholders filled in for input, which has the extension ext. {stem} keeps the
// extension if input.Whole; {size} is the size of the enlargement if that is known and no scale was given.
func (n Namer) base(input Input, ext string) string {
	return placeholder.ReplaceAllStringFunc(n.template, func(p string) string {
		switch name := filepath.Base(input.Place); {
		case p == "{stem}" && input.Whole:
			return name
		case p == "{stem}":
			return strings.TrimSuffix(name, ext)
		case p == "{ext}":
			return strings.TrimPrefix(ext, ".")
		case p == "{size}" && input.Width > 0 && n.values["{scale}"] == "":
			return fmt.Sprintf("%dx%d", input.Width, input.Height)
		}
		return n.values[p]
	})
}

// folder returns the output folder for input: the folder in -o if there is one; else the folder of input if the user
// named the file; else, for a file found in a folder, a new folder beside that folder, such as photos_2x.
func (n Namer) folder(input Input) (string, error) {
	switch {
	case n.out != "":
		return n.out, nil
	case input.Root == "":
		return filepath.Dir(filepath.Clean(input.Path)), nil
	}
	folder := filepath.Clean(input.Root)
	if folder == "." || strings.HasSuffix(folder, "..") { // only the absolute path ends in the folder's name
		abs, err := filepath.Abs(folder)
		if err != nil {
			return "", console.Fail(console.ExitInput, err)
		}
		folder = abs
	}
	return folder + "_" + n.size, nil
}
