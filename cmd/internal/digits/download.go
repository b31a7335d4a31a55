package digits

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/internal/safefile"
	"superres/mnist"
)

// mirrors have MNIST's files under the names of old.
var mirrors = []string{
	"https://storage.googleapis.com/cvdf-datasets/mnist/",
	"https://ossci-datasets.s3.amazonaws.com/mnist/",
}

func downloadCommand(s *console.Streams) *cli.Command {
	return console.Command(&cli.Command{
		Name: "download", HelpName: "superres mnist download", Usage: "fetch MNIST's four files, 12 MB",
		Description: `   superres mnist download --dir mnist/
   superres mnist download --dir mnist/ --mirror http://localhost:8000/mnist/

This is the only command that uses the network, and no other needs it. A file that
is there and right is not fetched again; one is put in place only when its SHA-256
is that of the official file.`,
		Flags:  downloadFlags(),
		Action: func(c *cli.Context) error { return download(c, s) },
	})
}

// downloadFlags are those of superres mnist download. They are read by readDownload.
func downloadFlags() []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "dir", Usage: "put the files into the folder `DIR`, which is made if need be"},
		&cli.StringSliceFlag{Name: "mirror", Usage: "fetch from `URL`, to which the names of the files are added; may be repeated, and is tried in this order (default: " + strings.Join(mirrors, ", then ") + ")"},
		&cli.DurationFlag{Name: "timeout", Value: 5 * time.Minute, Usage: "try the next mirror when a file takes longer than `T`"},
		&cli.StringFlag{Name: "on-exist", Value: "fail", Usage: "`WHAT` to do when another file has the name: fail or overwrite"},
	}, console.ProgressFlags...)
}

// downloadOptions are what the flags of superres mnist download ask for.
type downloadOptions struct {
	// Dir is the folder of the files, which is made if need be: --dir.
	Dir string
	// Mirrors are the addresses to which the names of the files are added, in the order in
	// which they are tried, each with a slash at its end: --mirror, mirrors.
	Mirrors []string
	// Timeout is how long a file may take from one mirror: --timeout, 5 min.
	Timeout time.Duration
	// Overwrite replaces other files of these names: --on-exist overwrite, false.
	Overwrite bool
	// Quiet leaves out what is said of files that are right: --quiet, false.
	Quiet bool
}

// readDownload reads the flags.
func readDownload(c *cli.Context) (opt downloadOptions, err error) {
	opt = downloadOptions{Dir: c.String("dir"), Timeout: c.Duration("timeout"), Quiet: c.Bool("quiet")}
	opt.Overwrite, err = console.Overwrites(c)
	switch {
	case err != nil:
		return opt, err
	case opt.Dir == "":
		return opt, console.Usage("say where the files go with --dir DIR")
	case opt.Timeout <= 0:
		return opt, console.Usage("--timeout %v: expected more than no time", opt.Timeout)
	}
	from := c.StringSlice("mirror")
	if len(from) == 0 {
		from = mirrors
	}
	for _, m := range from {
		u, err := url.Parse(m)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return opt, console.Usage("--mirror %s: expected an address that begins with https:// or http://", m)
		}
		opt.Mirrors = append(opt.Mirrors, strings.TrimRight(m, "/")+"/")
	}
	return opt, nil
}

// download does one call.
func download(c *cli.Context, s *console.Streams) error {
	opt, err := readDownload(c)
	if err != nil {
		return err
	}
	bar, err := console.NewProgress(c, s)
	if err != nil {
		return err
	}
	defer bar.Clear()
	transport := http.DefaultTransport.(*http.Transport).Clone() // heeds HTTPS_PROXY
	transport.DisableCompression = true                          // the files are packed, and are to stay so
	defer transport.CloseIdleConnections()
	files := mnist.OfficialFiles()
	d := &downloader{opt: opt, files: files[:], client: &http.Client{Transport: transport}, bar: bar, say: func(format string, args ...any) {
		if !opt.Quiet {
			bar.Pause()
			fmt.Fprintln(s.Err, safefile.OneLine(fmt.Sprintf(format, args...)))
		}
	}}
	return d.fetchMissing(c.Context)
}
