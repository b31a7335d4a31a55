package console

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"
)

// OneArgument returns the only argument of c. If there is not exactly one, it returns a usage error with the noun what.
func OneArgument(c *cli.Context, what string) (string, error) {
	switch {
	case c.NArg() == 0:
		return "", Usage("no %s; %s --help shows examples", what, c.Command.HelpName)
	case c.NArg() > 1:
		return "", Usage("%d names, expected one %s: %q and %q", c.NArg(), what, c.Args().Get(0), c.Args().Get(1))
	}
	return c.Args().First(), nil
}

// Counts returns the whole numbers in text, which are separated by commas. Each must be from lowest to 2^30.
func Counts(text string, lowest int) ([]int, error) {
	var list []int
	for part := range strings.SplitSeq(text, ",") {
		v, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || v < lowest || v > 1<<30 {
			return nil, fmt.Errorf("%q is no whole number from %d on", part, lowest)
		}
		list = append(list, v)
	}
	return list, nil
}
