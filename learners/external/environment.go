package external

import (
	"os"
	"runtime"
	"slices"
	"strings"
)

// passedVariables are the variables of the environment of superres that a program gets. A name that ends in * stands
// for all names that begin with the part before it. Other variables are not passed, because they may be secrets, such
// as the token of the service of superres or the keys of other programs.
//
// testdata/external/README.md has this list too, and a test compares the two.
var passedVariables = []string{
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

// windowsVariables are the variables that a program gets in addition on Windows, where case does not matter.
var windowsVariables = []string{
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "OS", "USERNAME", "USERPROFILE", "USERDOMAIN",
	"COMPUTERNAME",
	"HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "ALLUSERSPROFILE", "PUBLIC", "PROGRAMFILES*",
	"PROGRAMW6432", "COMMONPROGRAMFILES*", "COMMONPROGRAMW6432", "NUMBER_OF_PROCESSORS", "PROCESSOR_*",
}

// environment returns the variables that a program gets: passedVariables as far as they are set, one thread for
// libraries whose number of threads is not set, and the mark of its process.
func environment(mark string) []string {
	list := slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return !isPassed(variable, runtime.GOOS == "windows")
	})
	return append(oneThread(list), markName+"="+mark)
}

// isPassed reports whether programs get variable, which has the form NAME=VALUE.
func isPassed(variable string, windows bool) bool {
	// A name of Windows may begin with "=", as names for the folders of drives do.
	name, _, ok := strings.Cut(variable, "=")
	if !ok || name == "" {
		return windows && strings.HasPrefix(variable, "=")
	}
	patterns := passedVariables
	if windows {
		name = strings.ToUpper(name)
		patterns = slices.Concat(passedVariables, windowsVariables)
	}
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		prefix, open := strings.CutSuffix(pattern, "*")
		return name == pattern || open && strings.HasPrefix(name, prefix)
	})
}

// markName is the variable by which all processes are found that a program has started, so that they end with it. It
// has no other meaning.
const markName = "EXEC_GROUP"
