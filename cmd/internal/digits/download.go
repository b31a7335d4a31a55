package digits

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/internal/safefile"
	"superres/internal/settings"
	"superres/mnist"
)

// mirrors are addresses with MNIST's files under their original names.
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

This and superres models get alone use the network, and no other needs it. A file that
is there and right is not fetched again; one is put in place only when its SHA-256
is that of the official file.`,
		Flags:  console.Flags(opt.table()),
		Action: func(c *cli.Context) error { return download(c, s, opt) },
	})
}

// table returns the options of superres mnist download, with their defaults.
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

// downloadOptions are the settings of one run of the command. Most fields are set by the options of table.
type downloadOptions struct {
	Dir       string
	Mirrors   []string // addresses, to which the names of the files are appended
	Timeout   time.Duration
	Overwrite bool
	Quiet     bool
}

// checkMirror returns a usage error if m is not the address of a web server.
func checkMirror(m string) error {
	u, err := url.Parse(m)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return console.Usage("--mirror %s: expected an address that begins with https:// or http://", m)
	}
	return nil
}

// download runs the command superres mnist download.
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
	transport := http.DefaultTransport.(*http.Transport).Clone() // uses the proxy in HTTPS_PROXY
	transport.DisableCompression = true                          // keep the files compressed
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

// downloader fetches the official files of MNIST.
type downloader struct {
	opt    downloadOptions
	files  []mnist.OfficialFile
	client *http.Client
	bar    *console.Progress
	say    func(format string, args ...any) // prints a line of messages
}

// fetchMissing fetches the files that are not in the folder yet. A file that no mirror has does not stop the others.
func (d *downloader) fetchMissing(ctx context.Context) error {
	dir := d.opt.Dir
	var missing []mnist.OfficialFile
	for _, f := range d.files {
		name := filepath.Join(dir, f.Name)
		switch complete, err := d.isComplete(name, f); {
		case err != nil:
			return err
		case complete:
			d.say("%s is there and right", name)
		default:
			missing = append(missing, f)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return safefile.Unwritable(dir, err)
	}
	_, _ = safefile.RemoveLeftovers(dir, time.Hour) // temporary files of a run that was killed
	failed := 0
	for _, f := range missing {
		from, err := d.fetch(ctx, filepath.Join(dir, f.Name), f)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, safefile.ErrOutput):
			return err
		case err != nil:
			failed++
			d.bar.Warn(err)
		default:
			d.say("%s: from %s", filepath.Join(dir, f.Name), from)
		}
	}
	switch failed {
	case 0:
		return nil
	case len(d.files):
		return console.Fail(console.ExitNothing,
			errors.New("no file could be fetched; check the network, or use another --mirror"))
	}
	return console.Failf(console.ExitSome, "%d of %d files could not be fetched, %d are there; the same command "+
		"tries them again", failed, len(d.files), len(d.files)-failed)
}

// isComplete reports whether the file name exists and has the content of f. Other content is an error unless it may be
// overwritten.
func (d *downloader) isComplete(name string, f mnist.OfficialFile) (bool, error) {
	if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	sum, err := mnist.FileSum(name)
	switch {
	case err == nil && sum == f.Sum:
		return true, nil
	case d.opt.Overwrite:
		return false, nil
	case err != nil:
		return false, console.Fail(console.ExitOutput, err)
	}
	return false, console.Failf(console.ExitOutput, "%s exists and is not MNIST's; use --on-exist overwrite or "+
		"another --dir", name)
}

// fetch writes f to the file name from the first mirror that has it, and returns its address there.
func (d *downloader) fetch(ctx context.Context, name string, f mnist.OfficialFile) (from string, err error) {
	var failures []string
	for _, mirror := range d.opt.Mirrors {
		from = mirror + f.Name
		var failure error // an error of the mirror; others are of the disk
		err := safefile.WriteAtomic(name, d.opt.Overwrite, func(w io.Writer) error {
			var data []byte
			if data, failure = d.get(ctx, from, f); failure != nil {
				return failure
			}
			_, err := w.Write(data)
			return err
		})
		if err == nil || failure == nil || ctx.Err() != nil {
			return from, err
		}
		if e, ok := errors.AsType[*url.Error](failure); ok {
			failure = e.Err
		}
		text := fmt.Sprintf("%s: %v", from, failure)
		if errors.Is(failure, context.DeadlineExceeded) {
			text = fmt.Sprintf("%s took longer than %g s", from, d.opt.Timeout.Seconds())
		}
		failures = append(failures, text)
	}
	return "", fmt.Errorf("%s: %s", f.Name, strings.Join(failures, "; "))
}

// get returns the content of f from the address from. It reads no more than the size of f and a byte, and returns an
// error for content of another SHA-256.
func (d *downloader) get(ctx context.Context, from string, f mnist.OfficialFile) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, d.opt.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "superres/"+console.Version)
	resp, err := d.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("answers %s", resp.Status)
	}
	if resp.ContentLength > f.Size {
		return nil, fmt.Errorf("has %d bytes, expected %d", resp.ContentLength, f.Size)
	}
	data := make([]byte, 0, f.Size+1)
	for err == nil && len(data) < cap(data) {
		var n int
		n, err = resp.Body.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		d.bar.Set(f.Name, float64(len(data))/float64(f.Size))
	}
	read := int64(len(data))
	switch {
	case read > f.Size:
		return nil, fmt.Errorf("has more than the %d bytes expected", f.Size)
	case err != io.EOF:
		return nil, fmt.Errorf("breaks off after %d of %d bytes: %w", read, f.Size, err)
	case read < f.Size:
		return nil, fmt.Errorf("has %d bytes, expected %d", read, f.Size)
	case sha256.Sum256(data) != f.Sum:
		return nil, errors.New("has another SHA-256 than the official file")
	}
	return data, nil
}
