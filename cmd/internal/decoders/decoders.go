// Package decoders has programs on the path read pictures that superres cannot read, such as heif-convert for HEIC.
//
// A program runs without a shell, with a time limit, a new folder and few environment variables. The picture that the
// program writes is read like any other picture, and amend.go corrects known faults of programs.
package decoders

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"superres/cmd/internal/console"
	"superres/cmd/internal/video"
	"superres/internal/enlarging"
	"superres/internal/imagefile"
	"superres/internal/imagefile/foreign"
	"superres/internal/metadata"
	"superres/internal/safefile"
	"superres/internal/settings"
)

// kind is a kind of files that other programs can read.
type kind struct {
	name     string   // name in --decoder
	titles   []string // the Title of each foreign.Kind that belongs to the kind
	commands []string // command lines, in order of preference
	install  string   // Debian package with the first of the programs
}

// kinds has the name, the titles, the commands and the Debian package of each kind: see the type kind. In commands,
// {in} is the file to read, {dir} the folder to write to, {out} the PNG to write, and {stem} is {out} without .png.
var kinds = []kind{
	{"heic", []string{"HEIC"}, []string{"heif-dec {in} {out}", "heif-convert {in} {out}", "vips autorot {in} {out}",
		"magick {in}[0] {out}", "sips -s format png {in} --out {out}"}, "libheif-examples"},
	{"jxl", []string{"JPEG XL"}, []string{"djxl {in} {out}", "vips autorot {in} {out}", "magick {in} {out}"},
		"libjxl-tools"},
	{"raw", []string{"CR3", "RAF", "ORF", "RW2", "CRW", "MRW", "X3F", "DNG", "NEF", "ARW", "PEF", "SRW", "3FR", "IIQ",
		"CR2", "camera raw"}, []string{"dcraw_emu -w -6 -T -Z {stem}.tif {in}", // the camera's white balance, 16 bits
		"darktable-cli {in} {stem}.tif --apply-custom-presets false --core --conf plugins/imageio/format/tiff/bpp=16",
		"sips -s format tiff {in} --out {stem}.tif"}, "libraw-bin"},
	{"psd", []string{"Photoshop", "GIMP"}, []string{"magick {in}[0] {out}", "convert {in}[0] {out}"}, "imagemagick"},
	{"jp2", []string{"JPEG 2000"}, []string{"opj_decompress -i {in} -o {out}", "vips autorot {in} {out}",
		"magick {in} {out}", "convert {in} {out}"}, "libopenjp2-tools"},
	{"cbr", []string{"RAR", "7z"}, []string{"bsdtar -x -f {in} -C {dir}", "unar -q -D -o {dir} {in}",
		"unrar x -inul {in} {dir}/", "7z x -o{dir} {in}"}, "libarchive-tools"},
	{"pdf", []string{"PDF"}, []string{"pdftoppm -png -r 300 -f 1 -singlefile {in} {stem}"}, "poppler-utils"}, // page 1
}

// kindOf returns the kind that contains the foreign.Kind with the given title, or nil if no kind does.
func kindOf(title string) *kind {
	for i := range kinds {
		if slices.Contains(kinds[i].titles, title) {
			return &kinds[i]
		}
	}
	return nil
}

// Option returns --decoder, which sets *to.
func Option(to *[]string) *settings.Option {
	return &settings.Option{Name: "decoder", To: settings.List(to, Check), Group: console.Machine,
		Words:  settings.Offer("none", "heic=", "jxl=", "raw="),
		Effect: settings.Neutral, Help: "read files of a kind by a program of your own, as in heic='PROGRAM {in} " +
			"{out}'; `WHAT` names heic, jxl, raw, psd, jp2, pdf or cbr; none: by no other program"}
}

// Check returns an error unless text, for --decoder, is none or KIND=COMMAND with {in} and one of {out}, {stem}, {dir}.
func Check(text string) error {
	name, command, _ := strings.Cut(text, "=")
	var known []string
	for _, k := range kinds {
		known = append(known, k.name)
	}
	result := func(word string) bool { return strings.Contains(command, word) }
	if text == "none" || slices.Contains(known, name) && strings.Contains(command, "{in}") &&
		slices.ContainsFunc([]string{"{out}", "{stem}", "{dir}"}, result) {
		return nil
	}
	return fmt.Errorf("expected none or, as in heic='PROGRAM {in} {out}', one of %s", strings.Join(known, ", "))
}

// Set holds the settings for other programs, for one call of a command.
type Set struct {
	Given  []string      // the values of --decoder, all accepted by Check
	Time   time.Duration // how long a program may take
	Memory int64         // how many bytes a program may take, if the system can limit it
	Used   bool          // true once Reads has found a program for a file
}

// Source returns a source for the file at path: its content is the file itself or, if superres does not read its kind,
// the picture that a program makes from the file. If ctx ends, the program is killed.
func (s *Set) Source(ctx context.Context, path string) enlarging.Source { return source{ctx, path, s} }

type source struct {
	ctx  context.Context
	path string
	set  *Set
}

func (s source) Name() string { return s.path }

// Open implements enlarging.Source, with the content that Set.Source describes.
func (s source) Open() (*enlarging.Content, error) {
	content, err := enlarging.File(s.path).Open()
	if err != nil {
		return nil, err
	}
	made, how, err := s.set.Convert(s.ctx, s.path, s.path, content.At)
	if err != nil {
		content.Close()
		return nil, err
	}
	if made == nil {
		return content, nil
	}
	info, err := made.Stat()
	if err != nil {
		made.Close()
		content.Close()
		return nil, safefile.Unreadable(s.path, err)
	}
	closeFile := content.Close // the original stays open: Made takes metadata from it
	content.Made, content.At, content.Size = how.Of(content.At, content.Size), made, info.Size()
	content.Reader = bufio.NewReader(io.NewSectionReader(made, 0, content.Size))
	content.Close = func() {
		made.Close()
		closeFile()
	}
	return content, nil
}

// Reads returns the format of the result for the file at path, of kind other: JPEG for a HEIC or JPEG XL, if it has 8
// bits and no transparency, else PNG; and it sets s.Used. It returns "" if no program may read the kind (Ignores), or
// if none is installed; then it says in other.Advice what to install.
func (s *Set) Reads(path string, other *foreign.Kind) imagefile.Format {
	if s.Ignores(*other) {
		return ""
	}
	if k := kindOf(other.Title); len(s.present(k)) == 0 {
		other.Advice = k.advice()
		return ""
	}
	s.Used = true
	f, size, err := safefile.OpenRegular(path)
	if err != nil {
		return imagefile.PNG // opening the file for the work reports the error
	}
	defer f.Close()
	return FormatFor(f, size, *other)
}

// FormatFor returns the format of the result for the picture in f, a file of size bytes and of kind other, which
// another program reads: PNG if the picture has more than 8 bits a sample or alpha, or if neither is known, else JPEG.
// It returns "" for a kind that no program reads.
func FormatFor(f io.ReaderAt, size int64, other foreign.Kind) imagefile.Format {
	k, src := kindOf(other.Title), io.NewSectionReader(f, 0, size)
	depth, more := 16, true // bits, and channels besides colour; what counts if they are not known
	switch {
	case k == nil:
		return ""
	case k.name == "heic":
		if still, err := metadata.ReadStill(src); err == nil {
			depth, more = still.Depth, still.HasAlpha
		}
	case k.name == "jxl":
		depth, more = metadata.JXLHolds(src)
	}
	if depth <= 8 && !more {
		return imagefile.JPEG
	}
	return imagefile.PNG
}

// Rule is a line for the user that says which format Reads chooses.
const Rule = "what other programs read becomes JPEG where it has 8 bits and no transparency, and is HEIC or JPEG XL, " +
	"else PNG; --format decides otherwise"

// Ignores reports whether files of the kind other are given to no program: none is known, or --decoder none forbids it.
func (s *Set) Ignores(other foreign.Kind) bool { return kindOf(other.Title) == nil || s.forbids() }

func (s *Set) forbids() bool { return slices.Contains(s.Given, "none") }

// present returns the command lines for kind k, split into words: first the values of --decoder, the last one before
// the others, then the command lines that k lists. It leaves out lines whose program is not on the path.
func (s *Set) present(k *kind) (list [][]string) {
	lines := slices.Clone(k.commands)
	for _, given := range s.Given {
		if name, command, _ := strings.Cut(given, "="); name == k.name {
			lines = slices.Insert(lines, 0, command)
		}
	}
	for _, line := range lines {
		words := strings.Fields(line)
		if path, err := exec.LookPath(words[0]); err == nil {
			words[0] = path
			list = append(list, words)
		}
	}
	return list
}

// Convert has a program convert the picture in the file at path, with the content in. It returns the result, as a file
// without a name that the caller closes, or nil if no program may read the kind, and how it was made. Errors have name.
func (s *Set) Convert(ctx context.Context, path, name string, in io.ReaderAt) (f *os.File, how Way, err error) {
	_, other, err := imagefile.IdentifyAt(in, name)
	k := kindOf(other.Title)
	if err != nil || k == nil || s.forbids() {
		return nil, how, nil // reading the file gives the error again
	}
	place := 0 // number of the main picture in a file with several, from 1
	if k.name == "heic" {
		if still, err := metadata.ReadStill(io.NewSectionReader(in, 0, imagefile.MaxBytes)); err == nil {
			place = still.Place
		}
	}
	err = s.try(ctx, path, name, other.Title, k, s.Time, func(program, dir string) (err error) {
		how = Way{Kind: k.name, Upright: program != "sips"} // sips leaves the pixels as they are stored
		f, err = result(dir, place)
		return err
	})
	return f, how, err
}

// stem is the name, without the extension, of the file that a program writes.
const stem = "picture"

// result returns the picture that a program wrote into the folder dir, as a file without a name. Of several files it
// takes the one without a number or with number place, counted from 1; if both are missing, the first by name.
func result(dir string, place int) (*os.File, error) {
	results, _ := filepath.Glob(filepath.Join(dir, stem) + "*")
	if len(results) == 0 {
		return nil, errors.New("ended well and wrote nothing")
	}
	name := results[0]
	for _, r := range results { // other files belong to the picture, such as its depth map
		if base := filepath.Base(r); base == stem+".png" || base == stem+".tif" ||
			base == fmt.Sprintf("%s-%d.png", stem, place) { // how heif-convert numbers pictures
			name = r
		}
	}
	bad := func(why string) error { return errors.New("has written what cannot be read: " + why) }
	if format, _, err := imagefile.Identify(name); err != nil || format == "" {
		return nil, bad("not a picture of a known format")
	}
	made, size, err := safefile.OpenRegular(name)
	if err != nil {
		return nil, bad(err.Error())
	}
	defer made.Close()
	if size > imagefile.MaxBytes {
		return nil, bad("more than 256 MiB")
	}
	f, err := safefile.Scratch("")
	if err == nil {
		if _, err = io.Copy(f, made); err != nil {
			f.Close()
		}
	}
	return f, err
}

// try runs programs for kind k on the file at path, each in a new folder, until a program succeeds and take accepts the
// folder. If none does, or one ran for the time limit, it returns the first error, in which the file is called name. If
// no program is installed, the error is Missing.
func (s *Set) try(ctx context.Context, path, name, title string, k *kind, limit time.Duration,
	take func(program, dir string) error) (first error) {
	in, err := filepath.Abs(path)
	if err != nil {
		return safefile.Unreadable(name, err)
	}
	for _, words := range s.present(k) {
		program, began := filepath.Base(words[0]), time.Now()
		err := func() error {
			dir, remove, err := safefile.TempFolder()
			if err != nil {
				return err
			}
			defer remove()
			out := filepath.Join(dir, stem)
			fill := strings.NewReplacer("{in}", in, "{out}", out+".png", "{stem}", out, "{dir}", dir)
			for i := range words[1:] {
				words[1+i] = fill.Replace(words[1+i])
			}
			if err = video.Run(ctx, dir, limit, s.Memory, words); err != nil {
				return fmt.Errorf("cannot read it: %w", err)
			}
			return take(program, dir)
		}()
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		}
		err = console.Failf(console.ExitInput, "%s: %s %w", name, program, err)
		if first = cmp.Or(first, err); time.Since(began) >= limit {
			return first
		}
	}
	if first != nil {
		return first
	}
	return console.Fail(console.ExitInput, &Missing{name, title, k})
}

// needs returns the programs that read kind k, and, in brackets, how to install one of the programs.
func (k *kind) needs() (programs, install string) {
	var list []string
	for _, c := range k.commands {
		list = append(list, strings.Fields(c)[0])
	}
	return strings.Join(list, ", "), "(Debian: apt install " + k.install + ") and type the same again"
}

// advice returns a text that says what to install to read files of kind k.
func (k *kind) advice() string {
	what := "raw files"
	if k.name != "raw" {
		what = strings.Join(k.titles, " or ")
	}
	programs, install := k.needs()
	return fmt.Sprintf("to read %s, install one of %s %s", what, programs, install)
}

// Missing is the error that none of the programs that read a kind is on the path.
type Missing struct {
	Name, Title string
	kind        *kind
}

func (m *Missing) Error() string {
	programs, install := m.kind.needs()
	return fmt.Sprintf("%s: is %s, which other programs read, and none of %s is on the path; install one %s", m.Name,
		m.Title, programs, install)
}

// Unpack has a program write the pages of the file at path into a folder, and calls take with the folder. title is the
// title of the file's kind, a comic archive or a document.
func (s *Set) Unpack(ctx context.Context, path, title string, take func(dir string) error) error {
	k := *kindOf(title)
	if k.name == "pdf" { // all pages, at half the dots per inch of the one page that Convert takes
		k.commands = []string{"pdftoppm -png -r 150 {in} {dir}/page"}
	}
	if s.forbids() {
		return console.Usage("%s: is %s, which other programs read; leave out --decoder none", path, title)
	}
	const pages = 20 // a comic or document gets the time of this many pictures
	return s.try(ctx, path, path, title, &k, pages*s.Time, func(_, dir string) error { return take(dir) })
}
