package console

import (
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"superres/internal/settings"
	"superres/internal/usage"
)

// unknownFlag returns the usage error of the flag shown, which the command of the given name with these options lacks,
// with the flag that was most likely meant, or where to find all.
func unknownFlag(options settings.Table, name, shown string) error {
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
	return usage.Meant(name, options.Visible().Names()) != ""
}
