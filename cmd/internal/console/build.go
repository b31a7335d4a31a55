package console

import "runtime/debug"

// Build returns the version of the program with the commit that it was built from, such as
// "0.1.0 (commit 1a2b3c4d5e6f)" or "0.1.0 (commit 1a2b3c4d5e6f, changed)"; without a commit where Go recorded none.
func Build() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return Version
	}
	commit, changed := "", ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = ", changed"
		}
	}
	if commit == "" {
		return Version
	}
	return Version + " (commit " + commit + changed + ")"
}
