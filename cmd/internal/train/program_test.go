package train

import (
	"testing"

	"superres/cmd/internal/console/consoletest"
	"superres/cmd/internal/models"
	"superres/cmd/internal/scoring"
	"superres/cmd/internal/upscale"
)

// program is the program of this package, and of what its tests need besides.
var program = consoletest.Of(Command, models.Command, scoring.Eval, upscale.Command)

func TestMain(m *testing.M) { program.Main(m) }

var call = program.Call
