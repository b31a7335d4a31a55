package app

import (
	"testing"

	"superres/cmd/internal/console/consoletest"
	"superres/cmd/internal/models"
	"superres/cmd/internal/parts"
	"superres/cmd/internal/plugins"
	"superres/cmd/internal/scoring"
	"superres/cmd/internal/upscale"
)

// program is the program of all commands.
var program = consoletest.Of(
	upscale.Command, scoring.Eval, scoring.Diff, TrainCommand, LearnCommand, RecoverCommand, CompareCommand, parts.Command, MnistCommand,
	DictCommand, models.Command, plugins.Learners, plugins.Coders, BenchCommand, CompletionCommand, ManCommand, VersionCommand,
)

func TestMain(m *testing.M) { program.Main(m) }

var call = program.Call
