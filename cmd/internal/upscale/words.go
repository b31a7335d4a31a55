package upscale

import (
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/models"
	"superres/cmd/internal/paths"
	"superres/cmd/internal/pictures"
	"superres/internal/enlarging"
	"superres/internal/imagefile"
	"superres/internal/usage"
	"superres/superres"
)

// Arguments are inputs. Those that people give for other things, such as an output folder or a scale, are refused
// before any work, with the line that was meant, since the rest of the line would be done otherwise than it was meant.

// checkWords returns an error for the first input that is not there and is meant for something else than an input.
func (opt Options) checkWords(c *cli.Context) error {
	for i, word := range opt.Inputs {
		_, err := os.Lstat(word)
		if scheme := addressStart.FindString(word); scheme != "" && err != nil {
			return addressError(c, word, scheme)
		}
		there := !errors.Is(err, fs.ErrNotExist)
		switch last := i > 0 && i == len(opt.Inputs)-1 && opt.Naming.Out == ""; {
		case paths.IsStandard(word) || word == "" || !there && strings.ContainsAny(word, "*?["):
			continue
		case !there:
			if err = console.CheckQuotes(c, word); err == nil {
				err = opt.checkMissing(c, word, last)
			}
		case last:
			err = opt.checkLast(c, word)
		default:
			err = nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

var (
	// addressStart matches the start of an address, such as https://, file:// and www.
	addressStart = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]+:/{1,3}|www\.)`)
	// likeScale matches what is written like a scale, and likeSize what is like a size in pixels.
	likeScale = regexp.MustCompile(`^[x×]?[0-9]+([.,][0-9]+)?[x×%]?$`)
	likeSize  = regexp.MustCompile(`^([0-9]+)[xX×*:,]([0-9]+)(px)?$`)
	// likeScreen matches what is like the name of a screen.
	likeScreen = regexp.MustCompile(`(?i)^([0-9]+[kp]|u?hd|full-?hd)$`)
	// likePixels matches a number of pixels with its unit.
	likePixels = regexp.MustCompile(`^([0-9]+)(px|w)$`)
)

// addressError returns the error for word, an address that begins with scheme.
func addressError(c *cli.Context, word, scheme string) error {
	if strings.HasPrefix(strings.ToLower(scheme), "file:") {
		if at, err := url.Parse(word); err == nil && at.Path != "" {
			return console.Usage("%s is an address; write the path: %s", word, console.MeantLine(c, word, at.Path))
		}
	}
	return console.Usage("%s is an address, and superres does not fetch; download it first: curl -LO %s", word,
		console.Quoted(word))
}

// checkMissing returns an error if word, which is no file, is meant for something else than an input. last says that it
// is the last of several inputs, and no output is named.
func (opt Options) checkMissing(c *cli.Context, word string, last bool) error {
	meant := func(instead ...string) error {
		return console.Usage("%s is no file; write: %s", word, console.MeantLine(c, word, instead...))
	}
	if strings.HasPrefix(word, "~") {
		return console.Usage("%s: does not exist; the shell replaces ~ only at the start of a word without quotes",
			word)
	}
	options := console.OptionsOf(c.Command)
	if name, value, is := strings.Cut(word, "="); is && options.Find(name) != nil {
		return meant("--"+options.Find(name).Name, value)
	}
	if len(opt.Inputs) == 1 {
		return nearName(word)
	}
	if err := opt.checkSize(c, word); err != nil {
		return err
	}
	slashed := strings.HasSuffix(word, "/") || strings.HasSuffix(word, string(filepath.Separator))
	if filepath.Base(word) == word {
		for _, o := range []struct {
			flag  string
			words []string
		}{{"-f", append(enlarging.Formats(), "jpg", "tif")}, {"--effort", superres.Efforts()}, {"-m", models.Names()}} {
			if slices.Contains(o.words, word) {
				return meant(o.flag, word)
			}
		}
	}
	switch ext := strings.ToLower(filepath.Ext(word)); {
	case !last:
	case slashed || ext == "":
		return meant("-o", strings.TrimSuffix(filepath.ToSlash(word), "/")+"/")
	case len(opt.Inputs) == 2 && imagefile.NamedFormat(word) == "" && !pictures.IsNamedVideo(word) &&
		!slices.Contains(videos, ext):
		return console.Usage("%s: does not exist, and is no name of a result: these end in .png, .jpg, .webp, .tif "+
			"or .bmp", word)
	}
	return nil
}

// nearName returns an error that names the file beside path, which does not exist, whose name is nearest but for the
// extension and for capitals, or nil if none is near.
func nearName(path string) error {
	stem := func(name string) string {
		return strings.ToLower(strings.TrimSuffix(name, filepath.Ext(name)))
	}
	folder, name := filepath.Split(path)
	entries, _ := os.ReadDir(filepath.Clean(folder)) // a folder that cannot be read has no names to suggest
	var stems []string
	for _, e := range entries {
		stems = append(stems, stem(e.Name()))
	}
	is := stem(name)
	i := slices.Index(stems, usage.Meant(is, stems))
	if i < 0 || is == "" || stems[i] != is && strings.HasPrefix(stems[i], is) { // photo_2x was not meant by photo
		return nil
	}
	return console.Failf(console.ExitInput, "%s: does not exist; did you mean %s?", path,
		console.Quoted(folder+entries[i].Name()))
}

// videos are the extensions of files of compressed video.
var videos = []string{".mp4", ".m4v", ".mov", ".mkv", ".webm", ".avi", ".mpg", ".mpeg", ".ts", ".wmv", ".flv", ".3gp"}

// checkSize returns an error if word is a size or a scale. A size that is said twice is to be left out.
func (opt Options) checkSize(c *cli.Context, word string) error {
	options := console.OptionsOf(c.Command)
	given := slices.ContainsFunc([]string{"scale", "width", "height", "fit"}, func(name string) bool {
		return slices.Contains(opt.said, name)
	})
	size, pixels := likeSize.FindStringSubmatch(word), likePixels.FindStringSubmatch(word)
	if size == nil && pixels == nil && !likeScale.MatchString(word) && !likeScreen.MatchString(word) {
		return nil
	}
	write := func(instead ...string) string { return console.MeantLine(c, word, instead...) }
	switch {
	case given:
		return console.Usage("%s is no file, and the size is said by a flag; leave it out: %s", word, write())
	case size != nil:
		return console.Usage("%s is no file; to make that size exactly write: %s, or, to keep the proportions, %s",
			word, write("--width", size[1], "--height", size[2]), "--fit "+size[1]+"x"+size[2])
	case pixels != nil:
		return console.Usage("%s is no file; write: %s", word, write("--width", pixels[1]))
	}
	number := strings.ReplaceAll(word, ",", ".")
	if flag := console.SizeFlag(options, number); flag != "" {
		return console.Usage("%s is no file; write: %s", word, write(flag, strings.Trim(number, "x×")))
	}
	return console.Usage("%s is no file; nothing is made smaller, and sizes are -s, from %d to %d, --width 1920 and "+
		"--fit 1920x1080", word, superres.MinScale, superres.MaxScale)
}

// checkLast returns an error if word, the last of several inputs, is meant as the output: an empty folder, or, of two
// inputs, a result of superres under a name of its own, which is there from the last time.
func (opt Options) checkLast(c *cli.Context, word string) error {
	if paths.IsFolder(word) {
		if list, err := os.ReadDir(word); err == nil && len(list) == 0 {
			return console.Usage("%s is empty; to write to it: %s", word, console.MeantLine(c, word, "-o", word))
		}
		return nil
	}
	first := opt.Inputs[0]
	stem := strings.TrimSuffix(filepath.Base(first), filepath.Ext(first))
	if len(opt.Inputs) > 2 || opt.OnResult == "take" || paths.IsFolder(first) ||
		strings.HasPrefix(filepath.Base(word), stem) || !enlarging.IsResult(word) || enlarging.IsResult(first) {
		return nil
	}
	return console.Failf(console.ExitOutput, "%s exists, and superres made it; to make it anew: %s", word,
		console.MeantLine(c, word, "-o", word, "--on-exist", "overwrite"))
}
