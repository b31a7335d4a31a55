package console

import (
	"fmt"
	"runtime/debug"
)

// Build returns the version of the program and the commit that it was built from, such as "0.1.0 (commit 1a2b3c4d5e6f)"
// or "0.1.0 (commit 1a2b3c4d5e6f, changed)". If Go recorded no commit, it returns only the version.
func Build() string {
	commit, changed := Revision()
	switch {
	case commit == "":
		return Version
	case changed:
		return fmt.Sprintf("%s (commit %.12s, changed)", Version, commit)
	}
	return fmt.Sprintf("%s (commit %.12s)", Version, commit)
}

// Revision returns the commit that the program was built from, "" if Go recorded none, and whether files had changed.
func Revision() (commit string, changed bool) {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return "", false
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			commit = s.Value
		case "vcs.modified":
			changed = s.Value == "true"
		}
	}
	return commit, changed
}
