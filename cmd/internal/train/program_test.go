package train

import (
	"testing"

	"superres/cmd/internal/console/consoletest"
	"superres/cmd/internal/models"
	"superres/cmd/internal/scoring"
	"superres/cmd/internal/upscale"
)

// program has the command of this package and other commands that its tests use.
var program = consoletest.Of(Command, models.Command, scoring.Eval, upscale.Command)

func TestMain(m *testing.M) { program.Main(m) }
