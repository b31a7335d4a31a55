package console

import (
	"runtime"
	"strconv"

	"github.com/urfave/cli/v2"
)

// Command adds to c what all commands share, and returns c: the form of help, checks of arguments and --output, the
// effect of --jobs, and ExitUsage on errors for c.OnUsageError. The flags in c.Flags must be of type *settings.Option.
func Command(c *cli.Command) *cli.Command {
	c.CustomHelpTemplate = commandHelp
	c.HideHelpCommand = true // "help" may be a file
	action := c.Action
	c.Action = func(ctx *cli.Context) error {
		if err := OptionsOf(c).Err(); err != nil {
			return c.OnUsageError(ctx, err, false)
		}
		if c.ArgsUsage == "" && ctx.NArg() > 0 {
			return Usage("%s takes no argument, got %q", ctx.Command.Name, ctx.Args().First())
		}
		if ctx.IsSet("output") && ctx.String("output") == "" { // such as -o "$OUT" in a script, with OUT unset
			return Usage("-o names nothing; leave it out or give a name")
		}
		if jobs := OptionsOf(c).Find("jobs"); jobs != nil && jobs.Given() {
			if n, _ := strconv.Atoi(jobs.To.String()); n > 0 {
				runtime.GOMAXPROCS(min(n, 256)) // more processors cost memory and gain nothing
			}
		}
		return action(ctx)
	}
	report := c.OnUsageError
	c.OnUsageError = func(ctx *cli.Context, err error, sub bool) error {
		err = Fail(ExitUsage, err)
		if report != nil {
			return report(ctx, err, sub)
		}
		return err
	}
	return c
}
