package atoms

import (
	"testing"

	"superres/cmd/internal/console/consoletest"
	"superres/cmd/internal/learn"
	"superres/cmd/internal/models"
	"superres/cmd/internal/train"
	"superres/cmd/internal/upscale"
)

// program is the program of this package, and of what its tests need besides.
var program = consoletest.Of(Command, models.Command, upscale.Command, learn.Command, train.Command)

func TestMain(m *testing.M) { program.Main(m) }

var call = program.Call
