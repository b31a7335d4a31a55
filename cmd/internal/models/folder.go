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
// $XDG_DATA_HOME or in the folder that the system has for data of programs.
func Folder() (string, error) {
	if dir := os.Getenv(folderVariable); dir != "" {
		return dir, nil
	}
	data := os.Getenv("XDG_DATA_HOME")
	if !filepath.IsAbs(data) { // a relative one is to be ignored
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

// suffix is the suffix of model files in the user's folder.
const suffix = ".npz"

// userPath returns the path of the file of the user's model called name, which may not exist.
func userPath(name string) (string, error) {
	dir, err := Folder()
	return filepath.Join(dir, name+suffix), err
}

// UserNames returns the names of the user's models, sorted: of all model files in Folder whose names may be names of
// models. It returns none if there is no such folder, or if it cannot be read.
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

// OpenUser opens the file of the user's model called name. version differs for files of different content. file is nil
// if name is not the name of a user's model.
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

const mostName = 64 // bytes of the name of a model

var (
	goodName  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_+-]*$`)
	badLetter = regexp.MustCompile(`[^A-Za-z0-9_+-]+`)
	// onWindows matches the names that cannot be names of files there, whatever their suffix.
	onWindows = regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9]|lpt[0-9])$`)
)

// checkName returns an error unless name may be the name of a user's model: letters of ASCII, digits, _, + and -, and
// neither the name of a model of the program nor, behind superres models, of a command.
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

// nameFor returns the name for the model of a file whose base name without suffix is stem: stem with a dash in place of
// letters that names cannot have. It may be one that checkName refuses.
func nameFor(stem string) string {
	name := strings.Trim(badLetter.ReplaceAllString(stem, "-"), "-_+")
	return name[:min(len(name), mostName)]
}
