package digits

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/settings"
	"superres/internal/safefile"
	"superres/mnist"
)

// mirrors have MNIST's files under the names of old.
var mirrors = []string{
	"https://storage.googleapis.com/cvdf-datasets/mnist/",
	"https://ossci-datasets.s3.amazonaws.com/mnist/",
}

func downloadCommand(s *console.Streams) *cli.Command {
	var opt downloadOptions
	return console.Command(&cli.Command{
		Name: "download", HelpName: "superres mnist download", Usage: "fetch MNIST's four files, 12 MB",
		Description: `   superres mnist download --dir mnist/
   superres mnist download --dir mnist/ --mirror http://localhost:8000/mnist/

This is the only command that uses the network, and no other needs it. A file that
is there and right is not fetched again; one is put in place only when its SHA-256
is that of the official file.`,
		Flags:  opt.table().Flags(),
		Action: func(c *cli.Context) error { return download(c, s, opt) },
	})
}

// table has the options of superres mnist download, with their defaults.
func (opt *downloadOptions) table() settings.Table {
	return append(settings.Table{
		{Name: "dir", To: settings.Text(&opt.Dir, ""), Help: "put the files into the folder `DIR`, which is made " +
			"if need be"},
		{Name: "mirror", To: settings.List(&opt.Mirrors, checkMirror),
			Help: "fetch from `URL`, to which the names of the files are added; may be repeated, and is tried in " +
				"this order (default: " + strings.Join(mirrors, ", then ") + ")"},
		{Name: "timeout", To: settings.Time(&opt.Timeout, 5*time.Minute),
			Help: "try the next mirror when a file takes longer than `T`"},
		console.OnExistOption("another file has the name"),
	}, console.ProgressOptions(&opt.Quiet)...)
}

// downloadOptions are what a call asks for. Most fields are set by the options of table, which has their defaults.
type downloadOptions struct {
	Dir       string
	Mirrors   []string // addresses to which the names of the files are added
	Timeout   time.Duration
	Overwrite bool
	Quiet     bool
}

// checkMirror refuses what is no address.
func checkMirror(m string) error {
	u, err := url.Parse(m)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return console.Usage("--mirror %s: expected an address that begins with https:// or http://", m)
	}
	return nil
}

// download does one call.
func download(c *cli.Context, s *console.Streams, opt downloadOptions) error {
	if opt.Dir == "" {
		return console.Usage("say where the files go with --dir DIR")
	}
	opt.Overwrite = console.Overwrites(c)
	if len(opt.Mirrors) == 0 {
		opt.Mirrors = slices.Clone(mirrors)
	}
	for i, m := range opt.Mirrors {
		opt.Mirrors[i] = strings.TrimRight(m, "/") + "/"
	}
	bar := console.NewProgress(c, s)
	defer bar.Clear()
	transport := http.DefaultTransport.(*http.Transport).Clone() // heeds HTTPS_PROXY
	transport.DisableCompression = true                          // the files are packed, and are to stay so
	defer transport.CloseIdleConnections()
	files := mnist.OfficialFiles()
	d := &downloader{opt: opt, files: files[:], client: &http.Client{Transport: transport}, bar: bar,
		say: func(format string, args ...any) {
			if !opt.Quiet {
				bar.Pause()
				fmt.Fprintln(s.Err, safefile.OneLine(fmt.Sprintf(format, args...)))
			}
		}}
	return d.fetchMissing(c.Context)
}
