package console

import (
	"github.com/urfave/cli/v2"

	"superres/cmd/internal/paths"
)

// Group completes a command that is only a name for others.
func Group(c *cli.Command) *cli.Command {
	c.CustomHelpTemplate = groupHelp
	c.HideHelpCommand = true
	for _, sub := range c.Subcommands {
		sub.HelpName = "superres " + c.Name + " " + sub.Name
	}
	return c
}

// Command completes a command: all have the same help and usage errors.
func Command(c *cli.Command) *cli.Command {
	c.CustomHelpTemplate, c.UsageText = commandHelp, flagsText(c.Flags)
	c.HideHelpCommand = true // "help" may be a file
	action := c.Action
	c.Action = func(ctx *cli.Context) error {
		if c.ArgsUsage == "" && ctx.NArg() > 0 {
			return Usage("%s takes no argument, got %q", ctx.Command.Name, ctx.Args().First())
		}
		if ctx.IsSet("output") && ctx.String("output") == "" { // a variable of a script that is not set
			return Usage("-o names nothing; leave it out or give a name")
		}
		if paths.IsStandard(ctx.String("output")) {
			if err := checkOpen(ctx.App.Writer); err != nil {
				return err
			}
		}
		return action(ctx)
	}
	c.OnUsageError = func(_ *cli.Context, err error, _ bool) error { return Usage("%s", flagComplaint(c, err)) }
	return c
}
