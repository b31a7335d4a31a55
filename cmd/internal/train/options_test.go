package train

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/internal/must"
	convolutional "superres/superres/convolutional/learning"
	coupled "superres/superres/coupled/learning"
	"superres/superres/training"
)

// read returns the trainer that superres train makes with args.
func read(t *testing.T, args ...string) training.Trainer {
	t.Helper()
	var opt Options
	command := &cli.Command{Name: "train", ArgsUsage: "IMAGES", Flags: console.Flags(opt.table()),
		Action: func(c *cli.Context) error { return opt.complete(c) }}
	app := &cli.App{Commands: []*cli.Command{console.Command(command)}}
	must.Succeed(t, app.Run(append([]string{"superres", "train", "--output", t.TempDir() + "/m.npz"},
		append(args, "a.png")...)))
	return must.Get(opt.trainer())(t)
}

// Without options the trainers have their own defaults, and --reduce means the same for both kinds of model.
func TestDefaultsAreThoseOfTheTrainers(t *testing.T) {
	a, b := coupled.Defaults(), convolutional.Defaults()
	a.Seed, b.Seed = 1, 1
	if got := read(t); !reflect.DeepEqual(got, a) {
		t.Errorf("%+v, expected %+v", got, a)
	}
	c := read(t, "--convolutional").(convolutional.Trainer)
	c.Keep, c.Report, c.MaxMemory = nil, nil, 0
	if !reflect.DeepEqual(c, b) {
		t.Errorf("%+v, expected %+v", c, b)
	}
	for _, none := range []string{"", "none"} {
		a, b := read(t, "--reduce="+none).(coupled.Trainer),
			read(t, "--convolutional", "--reduce="+none).(convolutional.Trainer)
		if a.Reductions == nil || len(a.Reductions)+len(b.Reductions) > 0 {
			t.Errorf("--reduce %q: %v and %v, expected none", none, a.Reductions, b.Reductions)
		}
	}
	if got := read(t, "--reduce=0.7,0.6").(coupled.Trainer).Reductions; fmt.Sprint(got) != "[0.7 0.6]" {
		t.Error(got)
	}
}
