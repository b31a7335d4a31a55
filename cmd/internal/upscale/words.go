package upscale

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"superres/cmd/internal/console"
	"superres/cmd/internal/models"
	"superres/cmd/internal/paths"
	"superres/cmd/internal/pictures"
	"superres/internal/enlarging"
	"superres/internal/imagefile"
	"superres/internal/settings"
	"superres/superres"
)

// All arguments are inputs. An argument that looks like something else, such as an output folder or a scale, is refused
// before any work, with an error that says what to write instead.

// checkWords returns an error for the first argument that looks like no input. options are the options of the command.
func (opt Options) checkWords(options settings.Table) error {
	for i, word := range opt.Inputs {
		_, err := os.Lstat(word)
		missing := errors.Is(err, fs.ErrNotExist)
		last := i > 0 && i == len(opt.Inputs)-1 && opt.Naming.Out == ""
		switch {
		case err != nil && addressStart.MatchString(word):
			err = console.Usage("%s is an address, and superres does not fetch; download it first: curl -LO %s", word,
				console.Quoted(word))
		case paths.IsStandard(word) || word == "" || missing && strings.ContainsAny(word, "*?["):
			continue
		case missing && len(opt.Inputs) > 1:
			err = opt.checkMissing(options, word, last)
		case !missing && last:
			err = opt.checkLast(word)
		default:
			continue
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
	// likeSize matches words that look like a scale, a size in pixels, or a name for the size of a screen.
	likeSize = regexp.MustCompile(`(?i)^([x×]?[0-9]+([.,][0-9]+)?[x×%]?|[0-9]+[x×*:,][0-9]+(px)?|[0-9]+(px|w|[kp])|` +
		`u?hd|full-?hd)$`)
)

// checkMissing returns an error if word, one of several arguments and not the name of a file, looks like the value of
// an option, or a result of an unknown format. last says that word is the last argument, and that -o is not given.
func (opt Options) checkMissing(options settings.Table, word string, last bool) error {
	meant := func(flag, value string) error { return console.Usage("%s is no file; write %s %s", word, flag, value) }
	if name, value, is := strings.Cut(word, "="); is && options.Find(name) != nil {
		return meant("--"+options.Find(name).Name, value)
	}
	if likeSize.MatchString(word) {
		for _, name := range []string{"scale", "width", "height", "fit"} {
			if slices.Contains(opt.said, name) {
				return console.Usage("%s is no file, and --%s says the size; leave it out", word, name)
			}
		}
		value := strings.TrimSuffix(strings.ToLower(strings.ReplaceAll(word, ",", ".")), "px")
		for _, flag := range []string{"-s", "--fit", "--width"} { // the first that takes the value
			if o := options.Find(strings.TrimLeft(flag, "-")); o != nil && o.Set(value) == nil {
				return meant(flag, value)
			}
		}
		return console.Usage("%s is no file; nothing is made smaller, and sizes are -s, from %d to %d, --width 1920 "+
			"and --fit 1920x1080", word, superres.MinScale, superres.MaxScale)
	}
	for _, o := range []struct {
		flag  string
		words []string
	}{{"-f", append(enlarging.Formats(), "jpg", "tif")}, {"--effort", superres.Efforts()}, {"-m", models.Names()}} {
		if slices.Contains(o.words, word) {
			return meant(o.flag, word)
		}
	}
	slashed := strings.HasSuffix(word, "/") || strings.HasSuffix(word, string(filepath.Separator))
	switch {
	case !last:
	case slashed || filepath.Ext(word) == "":
		return meant("-o", strings.TrimSuffix(filepath.ToSlash(word), "/")+"/")
	case len(opt.Inputs) == 2 && imagefile.NamedFormat(word) == "" && !pictures.IsVideoName(word):
		return console.Usage("%s: does not exist, and is no name of a result: these end in .png, .jpg, .webp, .tif "+
			"or .bmp", word)
	}
	return nil
}

// checkLast returns an error if word, the last of several arguments, seems to be meant as the output: an empty folder
// or, as the second of two arguments, an earlier result with a name that does not begin like the first argument's.
func (opt Options) checkLast(word string) error {
	if paths.IsFolder(word) {
		if list, err := os.ReadDir(word); err == nil && len(list) == 0 {
			return console.Usage("%s is empty; to write to it: -o %s", word, console.Quoted(word))
		}
		return nil
	}
	first := opt.Inputs[0]
	stem := strings.TrimSuffix(filepath.Base(first), filepath.Ext(first))
	if len(opt.Inputs) > 2 || opt.OnResult == "take" || paths.IsFolder(first) ||
		strings.HasPrefix(filepath.Base(word), stem) || !enlarging.IsResult(word) || enlarging.IsResult(first) {
		return nil
	}
	return console.Failf(console.ExitOutput, "%s exists, and superres made it; to make it again: -o %s --on-exist "+
		"overwrite", word, console.Quoted(word))
}
