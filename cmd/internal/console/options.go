package console

import (
	"superres/cmd/internal/settings"
)

// ProgressOptions say what is shown while a command is at work: see NewProgress. quiet is set by --quiet; nil is
// nobody's.
func ProgressOptions(quiet *bool) settings.Table {
	return settings.Table{
		{Name: "progress", To: settings.OneOf(new(string), "auto", "auto", "bar", "plain", "none"), Group: Reports,
			Effect: settings.Neutral,
			Help: "`HOW` to show progress: auto, bar, plain (lines that stay) or none; auto is a bar on a " +
				"terminal, or lines where it takes none, and none elsewhere"},
		QuietOption(quiet),
	}
}

// The titles of groups that options of this package are in.
const (
	Reports = "reports"
	Machine = "limits"
)

// QuietOption is --quiet.
func QuietOption(to *bool) *settings.Option {
	if to == nil {
		to = new(bool)
	}
	return &settings.Option{Name: "quiet", Aliases: []string{"q"}, To: settings.Bool(to, false), Group: Reports,
		Effect: settings.Neutral, Help: "show errors only"}
}

// WorkOptions are those of all commands that take long. They set limits and, unless it is nil, quiet. Command applies
// --jobs.
func WorkOptions(l *Limits, quiet *bool) settings.Table {
	return append(ProgressOptions(quiet),
		&settings.Option{Name: "jobs", Aliases: []string{"j"}, To: settings.Num(new(int), 0).AtLeast(0),
			Group: Machine, Effect: settings.Neutral, Help: "use `N` processors at most; 0 means all"},
		MemoryOption(l))
}

// MemoryOption is --max-memory.
func MemoryOption(l *Limits) *settings.Option {
	return &settings.Option{Name: "max-memory", To: settings.Num(&l.Memory, 2048).Between(1,
		1<<30).In("MiB").Times(1 << 20), Group: Machine, Effect: settings.Neutral, Help: "refuse what needs more " +
		"than `N` MiB"}
}

// PictureOptions are those of the commands that read pictures.
func PictureOptions(l *Limits, quiet *bool) settings.Table {
	return append(WorkOptions(l, quiet),
		&settings.Option{Name: "max-pixels", To: settings.Num(&l.Pixels, 50).Between(1,
			1<<20).In("megapixels").Times(1e6), Group: Machine, Effect: settings.Neutral, Help: "refuse pictures " +
			"of more than `N` megapixels"})
}

// OutputOption is --output.
func OutputOption(to *string, preset, help string) *settings.Option {
	return &settings.Option{Name: "output", Aliases: []string{"o"}, To: settings.Text(to, preset),
		Effect: settings.Neutral, Help: help}
}

// OnExistOption is --on-exist of commands that skip nothing: see Overwrites.
func OnExistOption(when string) *settings.Option {
	return &settings.Option{Name: "on-exist", To: settings.OneOf(new(string), "fail", "fail", "overwrite"),
		Effect: settings.Neutral, Help: "`WHAT` to do when " + when + ": fail or overwrite"}
}

// RecursiveOption is --recursive.
func RecursiveOption(to *bool) *settings.Option {
	return &settings.Option{Name: "recursive", Aliases: []string{"r"}, To: settings.Bool(to, false),
		Help: "take folders with all below them"}
}

// SeedOption is --seed.
func SeedOption(to *uint64) *settings.Option {
	return &settings.Option{Name: "seed", To: settings.Num(to, 1), Help: "`SEED` of all random draws"}
}

// JSONOption is --json. What it prints is said by the help.
func JSONOption(to *bool, help string) *settings.Option {
	return &settings.Option{Name: "json", To: settings.Bool(to, false), Help: help}
}
