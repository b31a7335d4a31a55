package recovery

import (
	"testing"

	"superres/cmd/internal/console/consoletest"
	"superres/cmd/internal/parts"
)

// program is the program of this package, and of what its tests need besides.
var program = consoletest.Of(Command, parts.Command)

func TestMain(m *testing.M) { program.Main(m) }

var call = program.Call
