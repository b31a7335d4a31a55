package comparison

import (
	"testing"

	"superres/cmd/internal/console/consoletest"
	"superres/cmd/internal/parts"
	"superres/cmd/internal/recovery"
)

// program is the program of this package, and of what its tests need besides.
var program = consoletest.Of(Command, parts.Command, recovery.Command)

func TestMain(m *testing.M) { program.Main(m) }

var call = program.Call
