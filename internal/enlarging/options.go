package enlarging

import (
	"cmp"
	"fmt"
	"image/color"
	"strconv"
	"strings"

	"superres/internal/imagefile"
	"superres/internal/settings"
	"superres/internal/usage"
	"superres/superres"
	"superres/superres/models"
)

// Options returns the table of options for a picture; setting an option sets a field of s. The flags of the commands,
// the parameters of requests and the package files use this table. Once all options are set, call Complete.
func (s *Settings) Options() settings.Table {
	strength := new(float64)
	s.Size.Strength = strength
	side := func(name string, n *int, help, brief string) *settings.Option {
		return &settings.Option{Name: name, To: settings.Num(n, 0).AtLeast(1).In("pixels"), Group: "size",
			Effect: settings.Elsewhere, Request: true, Help: help, Brief: brief}
	}
	box := func(name, help, brief string, read func(text string) error) *settings.Option {
		return &settings.Option{Name: name, Group: "size", Effect: settings.Elsewhere, Request: true, Help: help,
			Brief: brief, To: settings.Custom("", func(text string) error {
				return named(read(text), "--"+name+" "+text)
			})}
	}
	return settings.Table{
		{Name: "scale", Aliases: []string{"s"}, To: settings.Parsed(&s.Size.Scale, "2", readScale), Group: "size",
			Effect: settings.Elsewhere, Request: true,
			Help: "enlarge by `F`, 1 to 16; 4x, x4 and 400% are 4; without a size, networks of other programs " +
				"enlarge by their own scale", Brief: "how many times larger: 2, 1.5, 4x, 300%, up to 16"},
		side("width", &s.Size.Width, "enlarge to `W` pixels across; without --height in proportion, with it to "+
			"exactly that size", "as many pixels wide"),
		side("height", &s.Size.Height, "enlarge to `H` pixels down", ""),
		box("fit", "enlarge in proportion to the largest that `WxH` holds, which may be HD, FullHD, 4K or 8K",
			"as large as fits into so many pixels, such as 3840x2160, or 4K",
			func(text string) error { return readBox(&s.Size, text, &s.Size.Fit) }),
		box("short-side", "enlarge so that the shorter side has `N` pixels", "",
			func(text string) error { return readSide(&s.Size, text, &s.Size.Cover) }),
		box("long-side", "enlarge so that the longer side has `N` pixels", "",
			func(text string) error { return readSide(&s.Size, text, &s.Size.Fit) }),
		box("min-size", "enlarge in proportion to the smallest that holds `WxH`", "",
			func(text string) error { return readBox(&s.Size, text, &s.Size.Cover) }),
		{Name: "megapixels", To: settings.Num(&s.Size.Megapixels, 0).Between(0.01, 4000), Group: "size",
			Effect: settings.Elsewhere, Request: true, Help: "enlarge in proportion to `N` million pixels"},
		{Name: "model", Aliases: []string{"m"}, To: settings.Text(&s.Model, models.Auto), Group: "quality",
			Effect: settings.Elsewhere, Request: true,
			Help: "`NAME|FILE`: see superres models; the file may be the network of another program; auto is photo, " +
				"and photo-real for pictures with noise or compression"},
		{Name: "denoise", To: settings.Parsed(&s.Denoise, "auto", readDenoise), Words: settings.Offer("auto", "0", "1"),
			Group: "quality", Noted: true, Request: true,
			Help: "take noise and compression away: auto, as much as is found in a picture, or `HOW` much of 0, " +
				"nothing, to 1", Brief: "how much noise to take away: auto, or from 0, nothing, to 1"},
		{Name: "strength", To: settings.Num(strength, 1).Between(0, superres.MaxStrength), Group: "quality",
			Noted: true, Request: true,
			Help: "add the `SHARE` of what the model adds to interpolation, 0 to 1.3"},
		{Name: "effort", To: settings.Text(&s.Effort, "best"), Words: efforts, Group: "quality", Noted: true,
			Request: true,
			Help: "`HOW` much to do: fast, for a quick look, by a smaller model in a third of the time; best, for " +
				"almost everything; or max, for the finest detail, by a larger model and the mean over " +
				"the picture as it is and turned, four times as long",
			Brief: "fast: quick; best: for almost everything; max: the finest, four times as long"},
		{Name: "coder", To: settings.Text(&s.Tuning.Coder, ""), Group: "research",
			Noted: true, Help: "code patches with another `SPEC` than the model's: see superres coders"},
		{Name: "sparsity", To: settings.Num(&s.Tuning.Sparsity, 0), Group: "research", Noted: true,
			Help: "code patches with `S` atoms at most; 0: as the model says"},
		{Name: "back-projection", To: settings.Maybe(&s.Tuning.BackProject, -1).AtLeast(0), Group: "research",
			Noted: true, Help: "back-project `N` times; 0: never; -1: as the model says"},
		{Name: "format", Aliases: []string{"f"}, To: settings.Text(&s.OutputFormat, ""),
			Words: settings.Offer(Formats()...), Group: "files", Effect: settings.Elsewhere, Request: true,
			Help: "write `FORMAT` (png, jpeg, webp, bmp, tiff, avif, and gif for animations); by default that of the " +
				"input (of AVIF png) or of -o, and for standard output png, or that of an input of several pictures",
			Brief: "png, jpeg, webp, tiff, bmp or avif, or gif for animations (default: as the photo)"},
		{Name: "quality", To: settings.Num(&s.Quality, 95).Between(1, 100), Group: "quality", Request: true,
			Help: "`Q` of JPEG and AVIF, 1 to 100", Brief: "of a JPEG or AVIF, from 1 to 100"},
		{Name: "tile", To: settings.Num(&s.Size.BandRows, 0).AtLeast(0).In("rows"), Group: "limits",
			Effect: settings.Neutral, Help: "work on `N` rows of a picture at a time: less takes less memory, the " +
				"pixels are the same; 0: as suits"},
		{Name: "metadata", To: settings.OneOf(&s.metadata, "keep", "keep", "strip"), Group: "quality", Request: true,
			Help: "keep or strip ICC profile, EXIF, XMP and resolution: `WHAT` is keep or strip; strip leaves out " +
				"places (GPS) and profiles too"},
		{Name: "provenance", To: settings.Bool(&s.Keep.Record, true), Group: "quality", Effect: settings.Elsewhere,
			Request: true, Help: "note program, model and settings in the output, unless it is =false; off by " +
				"default with --metadata strip"},
		{Name: "wrap", To: settings.OneOf(&s.wrap, "auto", "auto", "none", "x", "y", "both"), Group: "quality",
			Noted: true, Request: true, Help: "have opposite edges meet, as those of a texture do: `WHICH` is x, " +
				"left and right, y, both or none; auto: x for panoramas of 360°"},
		{Name: "alpha", To: settings.OneOf(&s.alpha, "separate", "separate", "keep-rgb", "premultiplied", "none"),
			Group: "quality", Noted: true, Request: true,
			Help: "`WHAT` becomes of transparency: separate, enlarged by itself; keep-rgb, with the hidden colours " +
				"of textures kept; premultiplied, with the colours multiplied by it; none, put on --background"},
		{Name: "blend", To: settings.Bool(&s.Size.Blend, false), Group: "quality", Noted: true, Request: true,
			Help: "mix colours along the edges of pixel art, which has none but its own otherwise"},
		{Name: "background", To: settings.Parsed(&s.background, "white", readColour), Group: "quality", Request: true,
			Help: "put what is transparent on `COLOUR`, as #rrggbb, white, black or grey, where a format has no " +
				"transparency, or --alpha none asks for it"},
		{Name: "depth", To: settings.OneOf(&s.depth, "same", "same", "8", "16"), Group: "quality", Request: true,
			Help: "write `BITS` a sample: same, 8 or 16"},
		{Name: "first-frame", To: settings.Bool(&s.Keep.FirstFrame, false), Group: "files", Request: true,
			Help: "take the first picture alone of animations and of files with pages"},
	}
}

// Complete sets the fields of s that depend on several options; given is the table from Options with the values set. It
// fails if more than one option sets the size.
func (s *Settings) Complete(given settings.Table) error {
	var sizes []string // the options given that set the size, of --width and --height only the first
	for _, name := range []string{"scale", "width", "height", "fit", "short-side", "long-side", "min-size",
		"megapixels"} {
		if given.Given(name) && !(name == "height" && given.Given("width")) {
			sizes = append(sizes, "--"+name)
		}
	}
	if len(sizes) > 1 {
		return usage.Errorf("%s: expected one of them; --fit WxH is the box", strings.Join(sizes, " and "))
	}
	if s.OwnScale = len(sizes) == 0; !s.OwnScale && sizes[0] != "--scale" {
		s.Size.Scale = 0
	}
	s.Size.WrapX, s.Size.WrapY = s.wrap == "x" || s.wrap == "both", s.wrap == "y" || s.wrap == "both"
	s.Size.Alpha = map[string]superres.Alpha{"keep-rgb": superres.AlphaKeepRGB,
		"premultiplied": superres.AlphaPremultiplied}[s.alpha]
	s.Keep.Strip = s.metadata == "strip"
	s.Keep.Depth, _ = strconv.Atoi(s.depth)                                       // 0 for "same"
	s.Keep.Record = s.Keep.Record && (!s.Keep.Strip || given.Given("provenance")) // strip drops it, unless asked for
	for _, o := range given {
		if o.Noted && o.To.String() != o.Default() { // outputs record it
			s.Given = append(s.Given, o.Name+" "+o.To.String())
		}
	}
	return nil
}

// Formats returns the names of the formats that can be written.
func Formats() (names []string) {
	for _, f := range imagefile.Formats() {
		if f.CanWrite() || f.CanAnimate() {
			names = append(names, string(f))
		}
	}
	return names
}

// efforts returns the values of --effort, each with a few words on its purpose, for completion in a shell.
func efforts() (words []settings.Word) {
	about := map[string]string{"fast": "quick, by a smaller model", "best": "for almost everything",
		"max": "the finest, four times as long"}
	for _, name := range superres.Efforts() {
		words = append(words, settings.Word{Text: name, About: about[name]})
	}
	return words
}

// readColour returns the colour that text names: #rrggbb, white, black, grey or gray.
func readColour(text string) (c color.NRGBA, err error) {
	named := map[string]string{"white": "#ffffff", "black": "#000000", "grey": "#808080", "gray": "#808080"}
	hex := cmp.Or(named[strings.ToLower(text)], text)
	if n, err := strconv.ParseUint(strings.TrimPrefix(hex, "#"), 16, 32); err == nil && len(hex) == 7 && hex[0] == '#' {
		return color.NRGBA{uint8(n >> 16), uint8(n >> 8), uint8(n), 255}, nil
	}
	return c, usage.Errorf("--background %s: expected #rrggbb, white, black or grey", text)
}

// readDenoise returns the value of --denoise, 0 to 1, or -1 for auto.
func readDenoise(text string) (float64, error) {
	if text == "auto" {
		return -1, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= 0 && v <= 1) {
		return 0, usage.Errorf("--denoise %s: expected auto, or 0 to 1", text)
	}
	return v, nil
}

// readBox sets opt.Width and opt.Height from text: WxH or the name of a screen. It sets *rule, a field of opt, to true.
func readBox(opt *superres.Options, text string, rule *bool) (err error) {
	*rule = true
	opt.Width, opt.Height, err = parseFit(text)
	return err
}

// readSide sets opt.Width and opt.Height to the number of pixels in text. It sets *rule, a field of opt, to true.
func readSide(opt *superres.Options, text string, rule *bool) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return usage.Errorf("expected 1 or more pixels")
	}
	*rule, opt.Width, opt.Height = true, n, n
	return nil
}

// readScale is parseScale with errors that name the option and, if text is a size in pixels, the option to use instead.
func readScale(text string) (float64, error) {
	v, err := parseScale(text)
	if err == nil {
		return v, nil
	}
	if _, _, failed := parseFit(text); failed == nil {
		return 0, usage.Errorf("--scale %s is a size; write --fit %[1]s", text)
	}
	if n, failed := strconv.ParseFloat(text, 64); failed == nil && n > superres.MaxScale {
		return 0, fmt.Errorf("--scale %s: %w; pixels are --width, such as --width 1920", text, err)
	}
	return 0, fmt.Errorf("--scale %s: %w", text, err)
}
