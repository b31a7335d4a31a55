package app

import (
	"path/filepath"
	"testing"

	"superres/cmd/internal/console/consoletest"
)

// program is the program of all commands.
var program = consoletest.Program{Program: all}

func TestMain(m *testing.M) { program.Main(m) }

var call = program.Call

// content reads a file.
func content(t *testing.T, parts ...string) []byte {
	t.Helper()
	return consoletest.Read(t, filepath.Join(parts...))
}
