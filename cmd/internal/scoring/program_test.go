package scoring

import (
	"testing"

	"superres/cmd/internal/console/consoletest"
	"superres/cmd/internal/upscale"
)

// program is the program of this package, and of what its tests need besides.
var program = consoletest.Of(Eval, Diff, upscale.Command)

func TestMain(m *testing.M) { program.Main(m) }

var call = program.Call
