package digits

import (
	"testing"

	"superres/cmd/internal/console/consoletest"
	"superres/cmd/internal/scoring"
)

// program is the program of this package, and of what its tests need besides.
var program = consoletest.Of(Command, scoring.Eval)

func TestMain(m *testing.M) { program.Main(m) }

var call = program.Call
