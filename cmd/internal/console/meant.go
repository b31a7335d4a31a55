package console

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"superres/internal/settings"
	"superres/internal/usage"
)

// flagElsewhere is a flag of other programs, and what does the same here.
type flagElsewhere struct {
	// names are its names without dashes, separated by blanks.
	names string
	// value says that it takes a value; false: it is a switch.
	value bool
	// option is the option that a command must have for instead to be right; empty: none.
	option string
	// instead is what to write in place of the flag and its value, for which %s stands; empty: nothing. It begins with
	// sized for the option that takes the value as a size.
	instead string
	// why goes before the line that was meant. It may be empty.
	why string
}

const sized = "SIZE"

// flagsElsewhere are flags that people bring from other programs. They are not accepted: an error says what to write.
var flagsElsewhere = []flagElsewhere{
	{"i in input infile file source src", true, "", "%s", "inputs need no flag"},
	{"out outfile out-file outdir out-dir output-dir output-folder output-file dest destination target d", true,
		"output", "-o %s", ""},
	{"n dryrun noop no-op simulate preview", false, "dry-run", "--dry-run", ""},
	{"y yes force overwrite clobber", false, "on-exist", "--on-exist overwrite", ""},
	{"no-clobber skip skip-existing ignore-existing", false, "on-exist", "--on-exist skip", ""},
	{"c continue", false, "resume", "--resume", ""},
	{"size resize dimensions resolution geometry x times factor ratio zoom upscale enlarge", true, "scale",
		sized + " %s", ""},
	{"w", true, "width", "--width %s", ""},
	{"max-size box", true, "fit", "--fit %s", ""},
	{"tta best hq high-quality", false, "effort", "--effort max", ""},
	{"fast faster", false, "effort", "--effort fast", ""},
	{"workers parallel cpus p P", true, "jobs", "-j %s", ""},
	{"g gpu gpu-id device", true, "", "", "no GPU is needed"},
	{"model-name network weights", true, "model", "-m %s", ""},
	{"noise denoise-level noise-level", true, "denoise", "--denoise %s", ""},
	{"jpeg-quality jpg-quality qual Q", true, "quality", "--quality %s", ""},
	{"ext extension type to output-format", true, "format", "-f %s", ""},
	{"jpg jpeg", false, "format", "-f jpeg", ""},
	{"png", false, "format", "-f png", ""},
	{"tif tiff", false, "format", "-f tiff", ""},
	{"R recurse subfolders subdirs", false, "recursive", "-r", ""},
	{"suffix", true, "name", "--name {stem}%s", ""},
	{"prefix", true, "name", "--name %s{stem}", ""},
	{"silent", false, "quiet", "-q", ""},
	{"no-progress", false, "progress", "--progress none", ""},
	{"strip no-metadata no-exif strip-metadata", false, "metadata", "--metadata strip", ""},
	{"debug", false, "verbose", "-v", ""},
	{"memory mem ram", true, "max-memory", "--max-memory %s", ""},
	{"bits bit-depth", true, "depth", "--depth %s", ""},
	{"4k uhd", false, "fit", "--fit 4K", ""},
	{"8k", false, "fit", "--fit 8K", ""},
	{"hd", false, "fit", "--fit HD", ""},
	{"fullhd", false, "fit", "--fit FullHD", ""},
}

// upscaleElsewhere are words of other programs for the command upscale.
var upscaleElsewhere = []string{"enlarge", "resize", "scale", "upsize", "zoom", "superres", "enhance", "run"}

// lookElsewhere returns the flag of other programs called name, without dashes, for a command with options.
func lookElsewhere(options settings.Table, name string) (f flagElsewhere, found bool) {
	i := slices.IndexFunc(flagsElsewhere, func(f flagElsewhere) bool {
		return slices.Contains(strings.Fields(f.names), name) && (f.option == "" || options.Find(f.option) != nil)
	})
	if i < 0 {
		return f, false
	}
	return flagsElsewhere[i], true
}

// scaleAsFlag matches a scale that is written as a flag, such as -4x.
var scaleAsFlag = regexp.MustCompile(`^-{1,2}([x×]?[0-9.]+[x×%]?)$`)

// unknownFlag returns the usage error of args[i], whose flag, without a value behind an equals sign, is shown, and is
// unknown to the command that args call by the words name. The error has the line that was most likely meant, the flag
// that was, or where to find all.
func unknownFlag(command *cli.Command, name string, args []string, i int, shown string) error {
	options := OptionsOf(command)
	_, value, joined := strings.Cut(args[i], "=")
	if !joined && i+1 < len(args) && !isFlag(args[i+1]) {
		value = args[i+1]
	}
	if m := scaleAsFlag.FindStringSubmatch(shown); m != nil && options.Find("scale") != nil {
		return Usage("unknown flag %q; write: %s", shown, Line(args, i, 1, "-s", m[1]))
	}
	f, found := lookElsewhere(options, strings.TrimLeft(shown, "-"))
	if !found || shown == "-n" && value != "" && !joined && !exists(value) { // -n of others is a model or a level, too
		return unheard(options, name, shown)
	}
	instead, words := strings.Fields(f.instead), 1
	if f.value && value == "" {
		if len(instead) == 0 || instead[0] == "%s" {
			return Usage("unknown flag %q; %s, leave it out", shown, f.why)
		}
		return Usage("unknown flag %q; did you mean %q?", shown, strings.Replace(instead[0], sized, "-s", 1))
	}
	if f.value && !joined && (len(instead) > 0 || !exists(value)) { // a file that follows is an input
		words = 2
	}
	for k, word := range instead {
		if word == sized {
			if word = SizeFlag(options, value); word == "" {
				return Usage("unknown flag %q; sizes are -s 4, --width 1920 and --fit 1920x1080", shown)
			}
		}
		instead[k] = strings.Replace(word, "%s", value, 1)
	}
	why := ""
	if f.why != "" {
		why = f.why + "; "
	}
	return Usage("unknown flag %q; %swrite: %s", shown, why, Line(args, i, words, instead...))
}

// unheard returns the usage error of the flag shown, of which nothing is known but the spelling. The command of the
// given name has options.
func unheard(options settings.Table, name, shown string) error {
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

// SizeFlag returns the flag of options that takes word as a size: -s for 4x, --fit for 1920x1080 and 4K, --width for
// 1920; or "" if none does. It sets these options, even to wrong values, and so is for lines that are refused anyway.
func SizeFlag(options settings.Table, word string) string {
	for _, flag := range []string{"-s", "--fit", "--width"} {
		if o := options.Find(strings.TrimLeft(flag, "-")); o != nil && word != "" && o.Set(word) == nil {
			return flag
		}
	}
	return ""
}

// Line returns the command line args, as in os.Args, quoted for a shell, in which instead stands in place of n words
// from index i on. Of many files in a row only the first is shown.
func Line(args []string, i, n int, instead ...string) string {
	words := []string{"superres"} // whatever the path of the program
	files := 0
	add := func(word string) {
		if exists(word) {
			files++
		} else {
			files = 0
		}
		switch {
		case files <= 2:
			words = append(words, Quoted(word))
		case files == 3:
			words[len(words)-1] = "..."
		}
	}
	for _, word := range args[1:i] {
		add(word)
	}
	for _, word := range instead {
		files = 0
		words = append(words, Quoted(word))
	}
	for _, word := range args[i+n:] {
		add(word)
	}
	return strings.Join(words, " ")
}

// MeantLine returns Line for the line of c, with instead for the last of its words that is word.
func MeantLine(c *cli.Context, word string, instead ...string) string {
	args, _ := c.Context.Value(typedKey{}).([]string)
	for i := len(args) - 1; i > 0; i-- {
		if args[i] == word {
			return Line(args, i, 1, instead...)
		}
	}
	return strings.Join(instead, " ")
}

// checkQuotes returns a usage error if args[i] and words behind it make, with blanks between them, the name of a file,
// which a shell has taken apart.
func checkQuotes(args []string, i int) error {
	name := args[i]
	for k, word := range args[i+1:] {
		if name += " " + word; exists(name) && !exists(args[i]) {
			return Usage("a name with blanks needs quotes; write: %s", Line(args, i, k+2, name))
		}
	}
	return nil
}

// CheckQuotes returns a usage error if word, an argument of c, and those behind it are the parts of a name with blanks.
func CheckQuotes(c *cli.Context, word string) error {
	args, _ := c.Context.Value(typedKey{}).([]string)
	if i := slices.Index(args, word); i > 0 {
		return checkQuotes(args, i)
	}
	return nil
}

// exists reports whether there is a file or folder called name.
func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// asQuality returns the usage error of -q with a number behind it, or nil if args[i], which begins with -q, is no such
// thing. Other programs take a quality there.
func asQuality(options settings.Table, args []string, i int) error {
	number, words := strings.TrimPrefix(args[i], "-q"), 1
	if number == "" && i+1 < len(args) && !exists(args[i+1]) {
		number, words = args[i+1], 2
	}
	number = strings.TrimPrefix(number, "=")
	if v, err := strconv.Atoi(number); options.Find("quality") == nil || err != nil || v < 1 || v > 100 {
		return nil
	}
	return Usage("-q is --quiet; write: %s", Line(args, i, words, "--quality", number))
}

// longDash returns the usage error of a flag that begins with a long dash, into which many programs turn a hyphen, or
// nil if args[i] is no such flag.
func longDash(args []string, i int) error {
	r, size := utf8.DecodeRuneInString(args[i])
	if !strings.ContainsRune("‐‑‒–—―−", r) || exists(args[i]) {
		return nil
	}
	rest := strings.TrimLeft(args[i][size:], "-–—")
	dashes := "-"
	if name, _, _ := strings.Cut(rest, "="); utf8.RuneCountInString(name) > 1 {
		dashes = "--"
	}
	return Usage("%q begins with the dash %q (U+%04X), which some programs make of a hyphen; write: %s", args[i],
		string(r), r, Line(args, i, 1, dashes+rest))
}

// short is a short flag of a word with several, and its value.
type short struct {
	option *settings.Option
	value  string
	whole  bool // value is the value; false: the next word of the command line is
}

// splitShort returns the flags that a word such as -rv or -s4 has, where name is the word without its dash and what
// follows an equals sign, and value is what does, if there is one. It returns nil if these are no flags of options.
func splitShort(options settings.Table, name, value string, hasValue bool) (list []short) {
	for name != "" {
		letter, size := utf8.DecodeRuneInString(name)
		o := options.Find(string(letter))
		name = name[size:]
		switch {
		case o == nil:
			return nil
		case o.TakesValue() && name != "" && hasValue:
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

// isLong reports whether name, which was written with one dash, is meant as a long flag although it could be read as
// short ones with a value: -out is no -o.
func isLong(options settings.Table, name string) bool {
	if letter, size := utf8.DecodeRuneInString(name); size < len(name) && strings.ContainsAny(name[size:size+1],
		"0123456789.") && letter != '-' {
		return false
	}
	_, elsewhere := lookElsewhere(options, name)
	return elsewhere || usage.Meant(name, options.Visible().Names()) != ""
}
