package manual

import (
	"testing"

	"superres/cmd/internal/atoms"
	"superres/cmd/internal/bench"
	"superres/cmd/internal/comparison"
	"superres/cmd/internal/console/consoletest"
	"superres/cmd/internal/digits"
	"superres/cmd/internal/learn"
	"superres/cmd/internal/models"
	"superres/cmd/internal/plugins"
	"superres/cmd/internal/recovery"
	"superres/cmd/internal/scoring"
	"superres/cmd/internal/train"
	"superres/cmd/internal/upscale"
)

// program is the program of all commands.
var program = consoletest.Of(
	upscale.Command, scoring.Eval, scoring.Diff, train.Command, learn.Command, recovery.Command, comparison.Command,
	digits.Command,
	atoms.Command, models.Command, plugins.Learners, plugins.Coders, bench.Command, Completion, Man, Version,
)

func TestMain(m *testing.M) { program.Main(m) }

var call = program.Call
