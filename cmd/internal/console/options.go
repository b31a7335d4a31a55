package console

import (
	"github.com/urfave/cli/v2"

	"superres/internal/settings"
)

// OptionsOf returns those flags of c that have the type *settings.Option.
func OptionsOf(c *cli.Command) (t settings.Table) {
	for _, f := range c.Flags {
		if o, ok := f.(*settings.Option); ok {
			t = append(t, o)
		}
	}
	return t
}

// Flags returns the options in t as flags of the command-line library.
func Flags(t settings.Table) []cli.Flag {
	flags := make([]cli.Flag, len(t))
	for i, o := range t {
		flags[i] = o
	}
	return flags
}

// ProgressOptions returns --progress and --quiet, which NewProgress reads. --quiet sets *quiet, unless quiet is nil.
func ProgressOptions(quiet *bool) settings.Table {
	return settings.Table{
		{Name: "progress", To: settings.OneOf(new(string), "auto", "auto", "bar", "plain", "none"), Group: Reports,
			Effect: settings.Neutral,
			Help: "`HOW` to show progress: auto, bar, plain (lines that stay) or none; auto is a bar on a " +
				"terminal, or lines where it takes none, and none elsewhere"},
		QuietOption(quiet),
	}
}

// The groups in the help to which the options of this package belong.
const (
	Reports = "reports"
	Machine = "limits"
)

// QuietOption returns --quiet, which sets *to, unless to is nil.
func QuietOption(to *bool) *settings.Option {
	if to == nil {
		to = new(bool)
	}
	return &settings.Option{Name: "quiet", Aliases: []string{"q"}, To: settings.Bool(to, false), Group: Reports,
		Effect: settings.Neutral, Help: "show errors only"}
}

// WorkOptions returns the options of commands that take long: ProgressOptions, --jobs (see Command), and MemoryOption.
func WorkOptions(l *Limits, quiet *bool) settings.Table {
	return append(ProgressOptions(quiet),
		&settings.Option{Name: "jobs", Aliases: []string{"j", "threads"}, To: settings.Num(new(int), 0).AtLeast(0),
			Group: Machine, Effect: settings.Neutral, Help: "use `N` processors at most; 0 means all"},
		MemoryOption(l))
}

// MemoryOption returns --max-memory, which sets l.Memory.
func MemoryOption(l *Limits) *settings.Option {
	return &settings.Option{Name: "max-memory", To: settings.Num(&l.Memory, 2048).Between(1,
		1<<30).In("MiB").Times(1 << 20), Group: Machine, Effect: settings.Neutral, Help: "refuse what needs more " +
		"than `N` MiB"}
}

// PictureOptions returns WorkOptions and --max-pixels, which sets l.Pixels, for commands that read pictures.
func PictureOptions(l *Limits, quiet *bool) settings.Table {
	return append(WorkOptions(l, quiet),
		&settings.Option{Name: "max-pixels", To: settings.Num(&l.Pixels, 0).Between(1,
			1<<20).In("megapixels").Times(1e6), Group: Machine, Effect: settings.Neutral, Help: "refuse pictures " +
			"of more than `N` megapixels; by default what --max-memory cannot hold and, above 50, files of less " +
			"than a byte for every 200 pixels"})
}

// OutputOption returns --output, which sets *to, with the default preset.
func OutputOption(to *string, preset, help string) *settings.Option {
	return &settings.Option{Name: "output", Aliases: []string{"o"}, To: settings.Text(to, preset),
		Effect: settings.Neutral, Help: help}
}

// OnExistOption returns --on-exist, which Overwrites reads, without the value skip. when ends the help "to do when …".
func OnExistOption(when string) *settings.Option {
	return &settings.Option{Name: "on-exist", To: settings.OneOf(new(string), "fail", "fail", "overwrite"),
		Effect: settings.Neutral, Help: "`WHAT` to do when " + when + ": fail or overwrite"}
}

// RecursiveOption returns --recursive, which sets *to.
func RecursiveOption(to *bool) *settings.Option {
	return &settings.Option{Name: "recursive", Aliases: []string{"r"}, To: settings.Bool(to, false),
		Help: "take folders with all below them"}
}

// SeedOption returns --seed, which sets *to, with the default 1.
func SeedOption(to *uint64) *settings.Option {
	return &settings.Option{Name: "seed", To: settings.Num(to, 1), Help: "`SEED` of all random draws"}
}

// JSONOption returns --json, which sets *to.
func JSONOption(to *bool, help string) *settings.Option {
	return &settings.Option{Name: "json", To: settings.Bool(to, false), Help: help}
}
