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
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/internal/safefile"
	"superres/mnist"
)

// mnistMirrors have MNIST's files under the names of old.
var mnistMirrors = []string{
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
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "dir", Usage: "put the files into the folder `DIR`, which is made if need be"},
			&cli.StringSliceFlag{Name: "mirror", Usage: "fetch from `URL`, to which the names of the files are added; may be repeated, and is tried in this order (default: " + strings.Join(mnistMirrors, ", then ") + ")"},
			&cli.DurationFlag{Name: "timeout", Value: 5 * time.Minute, Usage: "try the next mirror when a file takes longer than `T`"},
			&cli.StringFlag{Name: "on-exist", Value: "fail", Usage: "`WHAT` to do when another file has the name: fail or overwrite"},
			console.WorkFlags[0], console.WorkFlags[1], // --progress and --quiet
		},
		Action: func(c *cli.Context) error { return download(c, s) },
	})
}

// downloader fetches official files.
type downloader struct {
	files     []mnist.OfficialFile
	client    *http.Client
	mirrors   []string // end in /
	timeout   time.Duration
	overwrite bool
	say       func(format string, args ...any)
	bar       *console.Progress
}

func download(c *cli.Context, s *console.Streams) error {
	dir := c.String("dir")
	overwrite, err := console.Overwrites(c)
	switch {
	case err != nil:
		return err
	case dir == "":
		return console.Usage("say where the files go with --dir DIR")
	case c.Duration("timeout") <= 0:
		return console.Usage("--timeout %v: expected more than no time", c.Duration("timeout"))
	}
	transport := http.DefaultTransport.(*http.Transport).Clone() // heeds HTTPS_PROXY
	transport.DisableCompression = true                          // the files are packed, and are to stay so
	files := mnist.OfficialFiles()
	d := &downloader{files: files[:], client: &http.Client{Transport: transport}, timeout: c.Duration("timeout"), overwrite: overwrite}
	defer transport.CloseIdleConnections()
	mirrors := c.StringSlice("mirror")
	if len(mirrors) == 0 {
		mirrors = mnistMirrors
	}
	for _, m := range mirrors {
		u, err := url.Parse(m)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return console.Usage("--mirror %s: expected an address that begins with https:// or http://", m)
		}
		d.mirrors = append(d.mirrors, strings.TrimRight(m, "/")+"/")
	}
	if d.bar, err = console.NewProgress(c, s); err != nil {
		return err
	}
	defer d.bar.Clear()
	d.say = func(format string, args ...any) {
		if !c.Bool("quiet") {
			d.bar.Pause()
			fmt.Fprintln(s.Err, safefile.OneLine(fmt.Sprintf(format, args...)))
		}
	}
	return d.all(c.Context, dir)
}

// all fetches what is not there yet; a file that no mirror has does not end the rest.
func (d *downloader) all(ctx context.Context, dir string) error {
	var missing []mnist.OfficialFile
	for _, f := range d.files {
		name := filepath.Join(dir, f.Name)
		switch there, err := d.there(name, f); {
		case err != nil:
			return err
		case there:
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
	_, _ = safefile.Sweep(dir, time.Hour) // what a killed run left
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
		return console.Fail(console.ExitNothing, errors.New("no file could be fetched; check the network, or use another --mirror"))
	}
	return console.Fail(console.ExitSome, fmt.Errorf("%d of %d files could not be fetched, %d are there; the same command tries them again", failed, len(d.files), len(d.files)-failed))
}

// there tells whether the file is there and right; another one of its name is an
// error unless it may be overwritten.
func (d *downloader) there(name string, f mnist.OfficialFile) (bool, error) {
	if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	sum, err := mnist.FileSum(name)
	switch {
	case err == nil && sum == f.Sum:
		return true, nil
	case d.overwrite:
		return false, nil
	case err != nil:
		return false, console.Fail(console.ExitOutput, err)
	}
	return false, console.Fail(console.ExitOutput, fmt.Errorf("%s exists and is not MNIST's; use --on-exist overwrite or another --dir", name))
}

// fetch tries one mirror after the other and returns the address that gave the file.
func (d *downloader) fetch(ctx context.Context, name string, f mnist.OfficialFile) (from string, err error) {
	var failures []string
	for _, mirror := range d.mirrors {
		from = mirror + f.Name
		var failure error // of the mirror rather than the disk
		err := safefile.WriteAtomic(name, d.overwrite, func(w io.Writer) error {
			var writing error
			writing, failure = d.get(ctx, from, f, w)
			return errors.Join(writing, failure)
		})
		if err == nil || failure == nil || ctx.Err() != nil {
			return from, err
		}
		failures = append(failures, failure.Error())
	}
	return "", fmt.Errorf("%s: %s", f.Name, strings.Join(failures, "; "))
}

// get copies the file at an address to w, and returns the error of w and any other.
// More than the size of the file is not read, and what has another sum is refused.
func (d *downloader) get(ctx context.Context, from string, f mnist.OfficialFile, w io.Writer) (writing, failure error) {
	limited, cancel := context.WithTimeout(ctx, d.timeout)
	defer cancel()
	explain := func(err error) error {
		if e, ok := errors.AsType[*url.Error](err); ok {
			err = e.Err
		}
		if errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("%s took longer than %v", from, d.timeout)
		}
		return fmt.Errorf("%s: %w", from, err)
	}
	req, err := http.NewRequestWithContext(limited, http.MethodGet, from, nil)
	if err != nil {
		return nil, explain(err)
	}
	req.Header.Set("User-Agent", "superres/"+console.Version)
	resp, err := d.client.Do(req)
	if err != nil {
		return nil, explain(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, explain(fmt.Errorf("answers %s", resp.Status))
	}
	if resp.ContentLength > f.Size {
		return nil, explain(fmt.Errorf("has %d bytes, expected %d", resp.ContentLength, f.Size))
	}
	sum, body, at := sha256.New(), make([]byte, 1<<15), int64(0)
	for {
		n, err := resp.Body.Read(body)
		if at += int64(n); at > f.Size {
			return nil, explain(fmt.Errorf("has more than the %d bytes expected", f.Size))
		}
		sum.Write(body[:n])
		if _, err := w.Write(body[:n]); err != nil {
			return err, nil
		}
		d.bar.Set(f.Name, float64(at)/float64(f.Size))
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, explain(fmt.Errorf("breaks off after %d of %d bytes: %w", at, f.Size, err))
		}
	}
	switch {
	case at != f.Size:
		return nil, explain(fmt.Errorf("has %d bytes, expected %d", at, f.Size))
	case [sha256.Size]byte(sum.Sum(nil)) != f.Sum:
		return nil, explain(errors.New("has another SHA-256 than the official file"))
	}
	return nil, nil
}
