package models

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"superres/cmd/internal/console"
	"superres/internal/safefile"
	embedded "superres/superres/models"
)

// folderVariable is the environment variable that names the folder of the user's models.
const folderVariable = "SUPERRES_MODELS"

// Folder returns the folder of the user's models, which may not exist: $SUPERRES_MODELS, else superres/models in
// $XDG_DATA_HOME or in the system's folder for data of programs.
func Folder() (string, error) {
	if dir := os.Getenv(folderVariable); dir != "" {
		return dir, nil
	}
	data := os.Getenv("XDG_DATA_HOME")
	if !filepath.IsAbs(data) { // relative paths are ignored, as the XDG specification asks
		home, err := os.UserHomeDir()
		switch {
		case runtime.GOOS == "windows" && os.Getenv("LocalAppData") != "":
			data = os.Getenv("LocalAppData")
		case err != nil:
			return "", console.Failf(console.ExitModel, "there is no folder for your models: %w; set %s", err,
				folderVariable)
		case runtime.GOOS == "darwin":
			data = filepath.Join(home, "Library", "Application Support")
		default:
			data = filepath.Join(home, ".local", "share")
		}
	}
	return filepath.Join(data, "superres", "models"), nil
}

// suffix is the suffix of model files in the folder of the user's models.
const suffix = ".npz"

// userPath returns the path of the file for the user's model called name, whether the file exists or not.
func userPath(name string) (string, error) {
	dir, err := Folder()
	return filepath.Join(dir, name+suffix), err
}

// UserNames returns the names of the user's models, sorted: the names, without suffix, of all files in Folder that end
// in .npz and that checkName accepts. If the folder cannot be read, it returns none.
func UserNames() (names []string) {
	dir, err := Folder()
	if err != nil {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), suffix); ok && !e.IsDir() && checkName(name) == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// OpenUser opens the file of the user's model called name. version is a text that changes when the content of the file
// changes (its size and time). file is nil if no user's model has this name.
func OpenUser(name string) (file *os.File, version string, err error) {
	if !slices.Contains(UserNames(), name) {
		return nil, "", nil
	}
	path, err := userPath(name)
	if err != nil {
		return nil, "", err
	}
	if file, _, err = safefile.OpenRegular(path); err != nil {
		return nil, "", console.Fail(console.ExitModel, err)
	}
	info, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, "", console.Fail(console.ExitModel, safefile.Unreadable(path, err))
	}
	return file, fmt.Sprint(info.Size(), info.ModTime().UnixNano()), nil
}

const mostName = 64 // bytes in the name of a model

var (
	goodName  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_+-]*$`)
	badLetter = regexp.MustCompile(`[^A-Za-z0-9_+-]+`)
	// onWindows matches words that Windows does not allow as file names, with any suffix.
	onWindows = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])$`)
)

// checkName returns an error unless name may be the name of a user's model: at most mostName ASCII letters, digits, _,
// + and -, the first a letter or digit, but not, in upper or lower case, the name of an embedded model, Auto, a
// subcommand of superres models or a device of Windows.
func checkName(name string) error {
	reserved := append(embedded.Names(), Auto, "add", "get", "remove", "info", "help")
	same := func(other string) bool { return strings.EqualFold(name, other) }
	switch {
	case !goodName.MatchString(name) || len(name) > mostName:
		return console.Usage("a model cannot be called %.80q: expected 1 to %d letters without accents, digits, _, + "+
			"and -; choose another --name", name, mostName)
	case slices.ContainsFunc(reserved, same) || onWindows.MatchString(name):
		return console.Usage("a model cannot be called %s, which has another meaning; choose another --name", name)
	}
	return nil
}

// nameFor returns a name for the model in a file; stem is the file's name without suffix. Characters that names cannot
// have become a dash, and _, + and - at the ends are taken off. checkName may still refuse the name.
func nameFor(stem string) string {
	name := strings.Trim(badLetter.ReplaceAllString(stem, "-"), "-_+")
	return name[:min(len(name), mostName)]
}
