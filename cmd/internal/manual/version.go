package manual

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
)

// Version is superres version.
func Version(s *console.Streams) *cli.Command {
	return console.Command(&cli.Command{
		Name: "version", Usage: "print the version",
		Description: "   superres version\n   superres version --json",
		Flags:       []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print JSON"}},
		Action: func(c *cli.Context) error {
			revision := ""
			if info, ok := debug.ReadBuildInfo(); ok {
				for _, s := range info.Settings {
					if s.Key == "vcs.revision" {
						revision = s.Value
					}
				}
			}
			if c.Bool("json") {
				return json.NewEncoder(s.Out).Encode(map[string]string{
					"version": console.Version, "revision": revision, "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH,
				})
			}
			_, err := fmt.Fprintf(s.Out, "superres %s (%s, %s/%s)\n", console.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	})
}
