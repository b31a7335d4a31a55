// Package decoders reads the pictures of kinds that superres does not read by programs that are on the path, such as
// HEIC by heif-convert.
//
// A program gets the file, a folder of its own, a time limit and few variables of the environment, and no shell. What
// it writes is read like any other picture, put right where programs are known to be wrong, and becomes a PNG with what
// belongs to the picture.
package decoders

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"image"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"superres/cmd/internal/console"
	"superres/cmd/internal/video"
	"superres/internal/enlarging"
	"superres/internal/imagefile"
	"superres/internal/metadata"
	"superres/internal/safefile"
)

// kind is a kind of files that programs read.
type kind struct {
	name     string   // in --decoder
	titles   []string // of foreign.Kind
	commands []string // in order of preference
	install  string
}

// kinds are the kinds that can be read by programs. {in} is the file, {out} a PNG or TIFF to write, {stem} its path
// without the extension.
var kinds = []kind{
	{"heic", []string{"HEIC"}, []string{"heif-dec {in} {out}", "heif-convert {in} {out}", "vips copy {in} {out}",
		"magick {in}[0] {out}", "sips -s format png {in} --out {out}"}, "libheif-examples"},
	{"jxl", []string{"JPEG XL"}, []string{"djxl {in} {out}", "vips copy {in} {out}", "magick {in} {out}"},
		"libjxl-tools"},
	{"raw", []string{"CR3", "RAF", "ORF", "RW2", "CRW", "MRW", "X3F", "DNG", "NEF", "ARW", "PEF", "SRW", "3FR", "IIQ",
		"CR2", "camera raw"}, []string{"dcraw_emu -6 -T -Z {stem}.tif {in}", "darktable-cli {in} {stem}.tif",
		"sips -s format tiff {in} --out {stem}.tif"}, "libraw-bin"},
	{"psd", []string{"Photoshop", "GIMP"}, []string{"magick {in}[0] {out}", "convert {in}[0] {out}"}, "imagemagick"},
	{"jp2", []string{"JPEG 2000"}, []string{"opj_decompress -i {in} -o {out}", "vips copy {in} {out}",
		"magick {in} {out}", "convert {in} {out}"}, "libopenjp2-tools"},
	{"pdf", []string{"PDF"}, []string{"pdftoppm -png -r 300 -f 1 -singlefile {in} {stem}"}, "poppler-utils"},
}

// kindOf returns the kind with this title of foreign.Kind, or nil.
func kindOf(title string) *kind {
	for i := range kinds {
		if slices.Contains(kinds[i].titles, title) {
			return &kinds[i]
		}
	}
	return nil
}

// Check fails for a value of --decoder that is neither none nor KIND=PROGRAM with {in} and {out}.
func Check(text string) error {
	name, command, _ := strings.Cut(text, "=")
	var known []string
	for _, k := range kinds {
		known = append(known, k.name)
	}
	if text == "none" || slices.Contains(known, name) && strings.Contains(command, "{in}") &&
		(strings.Contains(command, "{out}") || strings.Contains(command, "{stem}")) {
		return nil
	}
	return fmt.Errorf("expected none or, as in heic='PROGRAM {in} {out}', one of %s", strings.Join(known, ", "))
}

// Set is the programs of a call. It keeps the last picture that one of them made, as a picture is opened several times.
type Set struct {
	// Given are the values of --decoder, which Check has accepted.
	Given []string
	// Time is how long a program may take.
	Time time.Duration
	// Limits bound the pictures that programs make.
	Limits enlarging.Limits

	mu   sync.Mutex
	last string // path of the file
	made []byte // a PNG
}

// Source returns the source of a file: the file itself, or what a program makes of it, which ends with ctx.
func (s *Set) Source(ctx context.Context, path string) enlarging.Source { return source{ctx, path, s} }

type source struct {
	ctx  context.Context
	path string
	set  *Set
}

// Name implements enlarging.Source.
func (s source) Name() string { return s.path }

// Open implements enlarging.Source.
func (s source) Open() (*enlarging.Content, error) {
	content, err := enlarging.File(s.path).Open()
	if err != nil || slices.Contains(s.set.Given, "none") {
		return content, err
	}
	_, other, err := imagefile.IdentifyAt(content.At, s.path)
	k := kindOf(other.Title)
	if err != nil || k == nil {
		return content, nil
	}
	original := metadata.Piece(io.NewSectionReader(content.At, 0, content.Size), 0, content.Size)
	data, err := s.set.convert(s.ctx, s.path, other.Title, k, original)
	if err != nil {
		content.Close()
		return nil, err
	}
	content.Reader, content.At, content.Size = bufio.NewReader(bytes.NewReader(data)), bytes.NewReader(data),
		int64(len(data))
	return content, nil
}

// command returns the command line for a kind, of which the program is there; nil where there is none.
func (s *Set) command(k *kind) []string {
	list := slices.Clone(k.commands)
	for _, given := range s.Given {
		if name, command, _ := strings.Cut(given, "="); name == k.name {
			list = slices.Insert(list, 0, command)
		}
	}
	for _, line := range list {
		words := strings.Fields(line)
		if path, err := exec.LookPath(words[0]); err == nil {
			words[0] = path
			return words
		}
	}
	return nil
}

// convert returns a PNG of the picture in the file path, which is of kind k, by its title, and has the bytes original.
func (s *Set) convert(ctx context.Context, path, title string, k *kind, original metadata.Body) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == path {
		return s.made, nil
	}
	words := s.command(k)
	if words == nil {
		var programs []string
		for _, c := range k.commands {
			programs = append(programs, strings.Fields(c)[0])
		}
		return nil, console.Failf(console.ExitInput, "%s: is %s, which other programs read, and none of %s is on the "+
			"path; install one (Debian: apt install %s) and type the same again", path, title,
			strings.Join(programs, ", "), k.install)
	}
	dir, remove, err := safefile.TempFolder()
	if err != nil {
		return nil, err
	}
	defer remove()
	in, err := filepath.Abs(path)
	if err != nil {
		return nil, safefile.Unreadable(path, err)
	}
	stem := filepath.Join(dir, "picture")
	fill := strings.NewReplacer("{in}", in, "{out}", stem+".png", "{stem}", stem)
	for i := range words[1:] {
		words[1+i] = fill.Replace(words[1+i])
	}
	name := filepath.Base(words[0])
	if err := video.Run(ctx, dir, s.Time, words); err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, console.Failf(console.ExitInput, "%s: %s cannot read it: %w", path, name, err)
	}
	results, _ := filepath.Glob(stem + "*") // of several pictures the first
	if len(results) == 0 {
		return nil, console.Failf(console.ExitInput, "%s: %s ended well and wrote nothing", path, name)
	}
	limits := imagefile.Limits{Pixels: s.Limits.Pixels, Time: s.Time, FirstFrame: true}
	pic, err := imagefile.Open(ctx, results[0], limits)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		cause := strings.TrimPrefix(err.Error(), results[0]+": ")
		return nil, console.Failf(console.ExitInput, "%s: %s has written what cannot be read: %s", path, name, cause)
	}
	amend(pic, k.name, original)
	var out bytes.Buffer
	err = imagefile.Encode(&out, pic.Image, imagefile.PNG, imagefile.EncodeOptions{GreyAlpha: pic.GreyAlpha,
		Metadata: pic.Metadata})
	if err != nil {
		return nil, err
	}
	s.last, s.made = path, out.Bytes()
	return s.made, nil
}

// amend gives pic what belongs to the picture in original, and corrects the pixels where programs are known to be
// wrong: libheif's shift samples of 10 and 12 bits up, so that white is 65472 and 65520, and leave colours multiplied
// by alpha where the file has them so.
func amend(pic *imagefile.Picture, name string, original metadata.Body) {
	if name != "heic" && name != "jxl" {
		return
	}
	own, _ := metadata.Read(map[string]string{"heic": "avif", "jxl": "jxl"}[name], original.Source())
	if own.ICC == nil {
		own.ICC = pic.Metadata.ICC
	}
	own.Format, pic.Metadata = pic.Metadata.Format, own
	if name != "heic" {
		return
	}
	still, err := metadata.ReadStill(original.Source())
	if err != nil {
		return
	}
	pix, _, _ := imagefile.Samples(pic.Image)
	switch img := pic.Image.(type) {
	case *image.NRGBA64, *image.RGBA64, *image.Gray16:
		replicate(pix, still.Depth)
	case *image.NRGBA:
		if still.Premultiplied {
			divide(img.Pix)
		}
	}
}

// replicate fills the low bits of samples of 16 bits, of which only depth bits are used, by the high ones.
func replicate(pix []byte, depth int) {
	if depth < 9 || depth > 15 {
		return
	}
	for i := 0; i+1 < len(pix); i += 2 {
		v := int(pix[i])<<8 | int(pix[i+1])
		v |= v >> depth
		pix[i], pix[i+1] = byte(v>>8), byte(v)
	}
}

// divide divides colours of 8 bits by their alpha.
func divide(pix []byte) {
	for i := 0; i+3 < len(pix); i += 4 {
		if a := int(pix[i+3]); a > 0 {
			for c := range 3 {
				pix[i+c] = byte(min((int(pix[i+c])*255+a/2)/a, 255))
			}
		}
	}
}
