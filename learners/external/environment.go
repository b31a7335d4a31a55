package external

import (
	"os"
	"runtime"
	"slices"
	"strings"
)

// passed are the variables that a program gets of the environment of superres. What ends in *
// is the beginning of a name. Nothing else is passed: least of all what is meant for superres
// alone, such as the token of its service, and the keys of other programs.
//
// testdata/external/README.md has this list.
var passed = []string{
	// who and where
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "PWD", "HOSTNAME", "TMPDIR", "TMP", "TEMP", "XDG_*",
	// language and time
	"LANG", "LANGUAGE", "LC_*", "TZ", "TERM", "NO_COLOR",
	// libraries, and how many processors they use
	"LD_LIBRARY_PATH", "LD_PRELOAD", "DYLD_*", "NIX_LD", "NIX_LD_LIBRARY_PATH", "OMP_*", "GOMP_*", "KMP_*",
	"OPENBLAS_*", "MKL_*", "BLIS_*", "VECLIB_*", "NUMEXPR_*", "CUDA_*",
	// Python with its environments, R, Julia, Octave, MATLAB, Java, Perl, Ruby, Node and Go
	"PYTHON*", "VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV", "CONDA_EXE", "CONDA_PYTHON_EXE", "CONDA_SHLVL",
	"MAMBA_ROOT_PREFIX", "MAMBA_EXE", "PYENV_ROOT", "PYENV_VERSION", "UV_CACHE_DIR", "NUMBA_*",
	"MPLBACKEND", "MPLCONFIGDIR",
	"R_*", "RENV_PATHS_*", "JULIA_*", "OCTAVE_*", "MATLAB*", "MLM_LICENSE_FILE", "LM_LICENSE_FILE", "JAVA_HOME",
	"PERL5LIB", "RUBYLIB", "GEM_HOME", "GEM_PATH", "NODE_PATH",
	"GOROOT", "GOPATH", "GOCACHE", "GOMODCACHE", "GOFLAGS", "GOMAXPROCS", "GODEBUG", "GOGC", "GOMEMLIMIT", "GORACE",
}

// passedOnWindows are those of Windows, where letters of either case are one.
var passedOnWindows = []string{
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "OS", "USERNAME", "USERPROFILE", "USERDOMAIN",
	"COMPUTERNAME",
	"HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "ALLUSERSPROFILE", "PUBLIC", "PROGRAMFILES*",
	"PROGRAMW6432", "COMMONPROGRAMFILES*", "COMMONPROGRAMW6432", "NUMBER_OF_PROCESSORS", "PROCESSOR_*",
}

// environment returns the variables that a program gets: those of passed, as far as they are set,
// one thread for libraries that are not told otherwise, and the mark of its process.
func environment(mark string) []string {
	list := slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return !passes(variable, runtime.GOOS == "windows")
	})
	return append(oneThread(list), markName+"="+mark)
}

// passes reports whether a variable, NAME=VALUE, is one that programs get.
func passes(variable string, windows bool) bool {
	// A name of Windows may begin with "=", as those of the folders of drives do.
	name, _, ok := strings.Cut(variable, "=")
	if !ok || name == "" {
		return windows && strings.HasPrefix(variable, "=")
	}
	among := passed
	if windows {
		name = strings.ToUpper(name)
		among = slices.Concat(passed, passedOnWindows)
	}
	return slices.ContainsFunc(among, func(one string) bool {
		begin, open := strings.CutSuffix(one, "*")
		return name == one || open && strings.HasPrefix(name, begin)
	})
}

// markName is the variable by which all is found that a program has started, and that is ended with
// it. It says nothing else.
const markName = "EXEC_GROUP"
