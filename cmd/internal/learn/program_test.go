package learn

import (
	"testing"

	"superres/cmd/internal/console/consoletest"
)

// program has the command of this package.
var program = consoletest.Of(Command)

func TestMain(m *testing.M) { program.Main(m) }

var call = program.Call
