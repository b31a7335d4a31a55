package console

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"superres/internal/settings"
	"superres/internal/usage"
)

// flagElsewhere lists flags with one purpose in other programs, and says what to write for superres.
type flagElsewhere struct {
	names  string // without dashes, separated by blanks
	option string // the hint is for commands with this option; empty: for all commands
	hint   string
}

// flagsElsewhere are flags that users know from other programs. Superres refuses them, with an error that has the hint.
var flagsElsewhere = []flagElsewhere{
	{"i in input infile file source src", "", "inputs need no flag"},
	{"out outfile out-file outdir out-dir output-dir output-folder output-file dest destination target d", "output",
		"write -o PATH"},
	{"n dryrun noop no-op simulate preview", "dry-run", "write --dry-run"},
	{"y yes force overwrite clobber", "on-exist", "write --on-exist overwrite"},
	{"no-clobber skip skip-existing ignore-existing", "on-exist", "write --on-exist skip"},
	{"c continue", "resume", "write --resume"},
	{"size resize dimensions resolution geometry x times factor ratio zoom upscale enlarge", "scale",
		"sizes are -s 4, --width 1920 and --fit 1920x1080"},
	{"w", "width", "write --width N"}, {"max-size box", "fit", "write --fit WxH"},
	{"tta best hq high-quality", "effort", "write --effort max"},
	{"fast faster", "effort", "write --effort fast"}, {"workers parallel cpus p P", "jobs", "write -j N"},
	{"g gpu gpu-id device", "", "no GPU is needed"}, {"model-name network weights", "model", "write -m NAME"},
	{"noise denoise-level noise-level", "denoise", "write --denoise HOW"},
	{"jpeg-quality jpg-quality qual Q", "quality", "write --quality Q"},
	{"ext extension type to output-format", "format", "write -f FORMAT"},
	{"jpg jpeg", "format", "write -f jpeg"}, {"png", "format", "write -f png"}, {"tif tiff", "format", "write -f tiff"},
	{"R recurse subfolders subdirs", "recursive", "write -r"}, {"suffix", "name", "write --name '{stem}SUFFIX'"},
	{"prefix", "name", "write --name 'PREFIX{stem}'"}, {"silent", "quiet", "write -q"},
	{"no-progress", "progress", "write --progress none"},
	{"strip no-metadata no-exif strip-metadata", "metadata", "write --metadata strip"},
	{"debug", "verbose", "write -v"}, {"memory mem ram", "max-memory", "write --max-memory N"},
	{"bits bit-depth", "depth", "write --depth BITS"},
	{"4k uhd", "fit", "write --fit 4K"}, {"8k", "fit", "write --fit 8K"}, {"hd", "fit", "write --fit HD"},
	{"fullhd", "fit", "write --fit FullHD"},
}

// upscaleElsewhere are words that stand for the command upscale in other programs.
var upscaleElsewhere = []string{"enlarge", "resize", "scale", "upsize", "zoom", "superres", "enhance", "run"}

// hintFor returns the hint for name, a flag of another program without dashes, given to a command with options, or "".
func hintFor(options settings.Table, name string) string {
	for _, f := range flagsElsewhere {
		if slices.Contains(strings.Fields(f.names), name) && (f.option == "" || options.Find(f.option) != nil) {
			return f.hint
		}
	}
	return ""
}

// scaleAsFlag matches a scale that is written like a flag, such as -4x.
var scaleAsFlag = regexp.MustCompile(`^-{1,2}([x×]?[0-9.]+[x×%]?)$`)

// unknownFlag returns the usage error for the flag shown (with dashes), which is not in options, the options of the
// command called name. The error says which flag was most likely meant, or which help lists all flags.
func unknownFlag(options settings.Table, name, shown string) error {
	if m := scaleAsFlag.FindStringSubmatch(shown); m != nil && options.Find("scale") != nil {
		return Usage("unknown flag %q; write -s %s", shown, m[1])
	}
	if hint := hintFor(options, strings.TrimLeft(shown, "-")); hint != "" {
		return Usage("unknown flag %q; %s", shown, hint)
	}
	known := []string{"help"}
	for _, o := range options.Visible() {
		known = append(known, o.Name)
		for _, alias := range o.Aliases {
			if len(alias) > 1 {
				known = append(known, alias)
			}
		}
	}
	if meant := usage.Meant(strings.TrimLeft(shown, "-"), known); meant != "" {
		return Usage("unknown flag %q; did you mean %q?", shown, "--"+meant)
	}
	level := ""
	if options.Find(helpAll) != nil {
		level = " all"
	}
	return Usage("unknown flag %q; %s --help%s lists the flags", shown, name, level)
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// asQuality returns a usage error if args[i], which begins with -q, or args[i+1] holds a number from 1 to 100, and
// options have --quality: in other programs -q 90 is a quality, here -q is --quiet. Else it returns nil. An argument
// that is the name of a file counts as no number.
func asQuality(options settings.Table, args []string, i int) error {
	number := strings.TrimPrefix(strings.TrimPrefix(args[i], "-q"), "=")
	if number == "" && i+1 < len(args) && !exists(args[i+1]) {
		number = args[i+1]
	}
	if v, err := strconv.Atoi(number); options.Find("quality") == nil || err != nil || v < 1 || v > 100 {
		return nil
	}
	return Usage("-q is --quiet; write --quality %s", number)
}

// longDash returns a usage error if word begins with a long dash, as programs make of hyphens, and names no file.
func longDash(word string) error {
	r, _ := utf8.DecodeRuneInString(word)
	if !strings.ContainsRune("‐‑‒–—―−", r) || exists(word) {
		return nil
	}
	return Usage("%q begins with the dash %q (U+%04X), which some programs make of a hyphen; write - or --", word,
		string(r), r)
}

// short is one of the short flags in a word such as -rv, with its value.
type short struct {
	option *settings.Option
	value  string
	whole  bool // value is complete; false: the value is the next word of the command line
}

// splitShort returns the short flags in a word such as -rs4 or -rs=4. name is the part between "-" and "=", here "rs4"
// or "rs"; if hasValue, value is the part after "=". It returns nil if the word cannot be split into flags in options.
func splitShort(options settings.Table, name, value string, hasValue bool) (list []short) {
	for name != "" {
		letter, size := utf8.DecodeRuneInString(name)
		o := options.Find(string(letter))
		name = name[size:]
		switch {
		case o == nil:
			return nil
		case o.TakesValue() && name != "" && hasValue: // such as -s4=4
			return nil
		case o.TakesValue() && name != "":
			return append(list, short{o, name, true})
		case o.TakesValue() || name == "" && hasValue:
			return append(list, short{o, value, hasValue})
		}
		list = append(list, short{o, "true", true})
	}
	return list
}

// isLong reports whether name, written with one dash, is meant as a long flag, of superres or of another program,
// although it could be read as a short flag with a value: -out is not -o with the value ut, but -s4 is -s with 4.
func isLong(options settings.Table, name string) bool {
	if letter, size := utf8.DecodeRuneInString(name); size < len(name) && strings.ContainsAny(name[size:size+1],
		"0123456789.") && letter != '-' {
		return false
	}
	return hintFor(options, name) != "" || usage.Meant(name, options.Visible().Names()) != ""
}
