package upscale

import (
	"testing"

	"superres/cmd/internal/console/consoletest"
	"superres/cmd/internal/parts"
)

// program is the program of this command, and of the one that looks at its parts.
var program = consoletest.Of(Command, parts.Command)

func TestMain(m *testing.M) { program.Main(m) }

var call = program.Call
