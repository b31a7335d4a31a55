package manual

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"runtime"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/internal/kernel"
)

// Version returns the command superres version.
func Version(s *console.Streams) *cli.Command {
	var asJSON bool
	return console.Command(&cli.Command{
		Name: "version", Usage: "print the version",
		Description: "   superres version\n   superres version --json",
		Flags:       []cli.Flag{console.JSONOption(&asJSON, "print JSON")},
		Action:      func(*cli.Context) error { return printVersion(s.Out, asJSON) },
	})
}

// releaseRevision is the revision of a release, which the linker sets (see .ci/packages).
//
// Note: the go command writes a revision too, but not in every kind of checkout, so builds of one commit would differ.
var releaseRevision string

// printVersion writes to w the versions of the program and of Go, the platform and the tier of the kernel. As text, it
// adds a line if the kernel is plain Go, and as JSON the revision in version control, "" if unknown.
func printVersion(w io.Writer, asJSON bool) error {
	if !asJSON {
		_, err := fmt.Fprintf(w, "superres %s (%s, %s/%s, kernel %s)\n", console.Version, runtime.Version(),
			runtime.GOOS, runtime.GOARCH, kernel.Tier())
		if text := console.Slowness(); text != "" && err == nil {
			_, err = fmt.Fprintln(w, text)
		}
		return err
	}
	revision, _ := console.Revision()
	return json.NewEncoder(w).Encode(map[string]string{
		"version": console.Version, "revision": cmp.Or(releaseRevision, revision), "go": runtime.Version(),
		"os": runtime.GOOS, "arch": runtime.GOARCH, "kernel": kernel.Tier(),
	})
}
