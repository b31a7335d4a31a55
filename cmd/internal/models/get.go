package models

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
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
	"superres/internal/usage"
)

// getCommand returns the command superres models get.
func getCommand(s *console.Streams) *cli.Command {
	g := getting{adding: adding{out: s.Out}}
	return console.Command(&cli.Command{
		Name: "get", Usage: "fetch networks of other programs, and keep them by name", ArgsUsage: "[FLAGS] [NAME...]",
		Description: `   superres models get                          lists what there is
   superres models get realesr-general-x4v3     and then -m realesr-general-x4v3

This is the only command that uses the network, and no other needs it. What is
fetched has the sum that the catalogue in this program says, or is not kept; after an
interruption the same command goes on. HTTPS_PROXY names a proxy.
SUPERRES_CATALOGUE names another catalogue, a file or an address, whose form is that of
cmd/internal/models/catalogue.json; addresses in it may be relative to its own.
A network's terms of use are its author's.`,
		Flags: console.Flags(append(settings.Table{
			{Name: "accept-terms", To: settings.Bool(&g.accepted, false),
				Help: "accept terms of use that forbid commercial use"},
			console.MemoryOption(&g.limits),
		}, console.ProgressOptions(&g.quiet)...)),
		Action: func(c *cli.Context) error {
			g.opener.Memory = g.limits.Memory
			g.bar = console.NewProgress(c, s)
			defer g.bar.Clear()
			transport := http.DefaultTransport.(*http.Transport).Clone() // uses the proxy in HTTPS_PROXY
			transport.DisableCompression = true                          // so that ranges count bytes of the file
			defer transport.CloseIdleConnections()
			g.client = &http.Client{Transport: transport}
			g.say = func(text string) {
				if !g.quiet {
					g.bar.Pause()
					fmt.Fprintln(s.Err, safefile.OneLine(text))
				}
			}
			return g.getAll(c.Context, c.Args().Slice())
		},
	})
}

// getting holds the options and the state of one call of superres models get.
type getting struct {
	adding
	accepted, quiet bool
	client          *http.Client
	bar             *console.Progress
	say             func(text string) // prints a line for the user
}

// getAll fetches and adds the networks called names. Without names it only lists the catalogue.
func (g *getting) getAll(ctx context.Context, names []string) error {
	list, err := openCatalogue(ctx, g.client)
	if err != nil {
		return err
	}
	var known []string
	var lines [][2]string
	for _, l := range list {
		known, lines = append(known, l.Name), append(lines, [2]string{l.Name, l.String()})
	}
	if len(names) == 0 {
		return writeLines(g.out, "", 0, lines)
	}
	for _, name := range names { // before anything is fetched
		i := slices.Index(known, name)
		if i < 0 {
			return console.Usage("%s", usage.Unknown("network", name, known))
		}
		if l := list[i]; l.NonCommercial && !g.accepted {
			return console.Usage("%s: its terms, %s, forbid commercial use; to accept them, give --accept-terms",
				name, l.Terms)
		}
	}
	for _, name := range names {
		if slices.Contains(UserNames(), name) {
			g.say(name + ": is there already")
		} else if err := g.get(ctx, list[slices.Index(known, name)]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// get fetches the files of the network l, adds the network to the user's models, and removes the files.
func (g *getting) get(ctx context.Context, l listed) error {
	g.say(fmt.Sprintf("%s: by %s, whose terms are %s", l.Name, l.Author, l.Terms))
	dir, err := Folder()
	if err != nil {
		return err
	}
	dir = filepath.Join(dir, ".fetched", l.Name)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return safefile.Unwritable(dir, err)
	}
	var names []string
	for _, f := range l.Files {
		name := filepath.Join(dir, f.base())
		if err := g.fetch(ctx, name, f); err != nil {
			return err // the files stay, so that the next call fetches only the rest
		}
		names = append(names, name)
	}
	a := g.adding
	a.name, a.terms = l.Name, l.Terms
	if err := a.add(ctx, identify(names[0])); err != nil { // of ncnn's two files the .param, which finds the .bin
		return err
	}
	_ = os.RemoveAll(dir)            // files that remain do no harm
	_ = os.Remove(filepath.Dir(dir)) // fails if another network is being fetched
	return nil
}

// fetch downloads f to the file called name. If an earlier call left a part of the file, fetch downloads only the rest.
// If the file then has another hash than f states, it is removed, and fetch fails.
func (g *getting) fetch(ctx context.Context, name string, f listedFile) error {
	to, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return safefile.Unwritable(name, err)
	}
	defer to.Close()
	if !safefile.Lock(to) {
		return console.Failf(console.ExitOutput, "%s is being fetched by another superres; wait for it", f.base())
	}
	have, err := to.Seek(0, io.SeekEnd)
	if err == nil && have > f.Size { // no part of f
		have, err = 0, to.Truncate(0)
	}
	if err != nil {
		return safefile.Unwritable(name, err)
	}
	if have < f.Size {
		if err := g.receive(ctx, to, have, f); err != nil {
			return err
		}
	}
	by := sha256.New()
	if _, err := to.Seek(0, io.SeekStart); err != nil {
		return safefile.Unreadable(name, err)
	}
	if _, err := io.Copy(by, to); err != nil {
		return safefile.Unreadable(name, err)
	}
	if got := hex.EncodeToString(by.Sum(nil)); !strings.EqualFold(got, f.SHA256) {
		_ = os.Remove(name)
		return console.Failf(console.ExitInput, "%s has another content than the catalogue says (sum %s, expected "+
			"%s); nothing of it is kept", f.URL, got, f.SHA256)
	}
	return nil
}

// stalled is how long a server may send nothing before the transfer fails.
const stalled = time.Minute

// receive downloads f to the file to, which holds the first have bytes: only the rest, or all if the server sends all.
func (g *getting) receive(ctx context.Context, to *os.File, have int64, f listedFile) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	alarm := time.AfterFunc(stalled, func() { cancel(fmt.Errorf("sends nothing for %g s", stalled.Seconds())) })
	defer alarm.Stop()
	failed := func(err error) error { // the error to return if err ended the transfer
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		if e, ok := errors.AsType[*url.Error](err); ok { // its text repeats the address
			err = e.Err
		}
		return console.Failf(console.ExitInput, "%s: %w; %d of %d bytes are there, and the same command fetches "+
			"the rest", f.URL, err, have, f.Size)
	}
	resp, err := ask(ctx, g.client, f.URL, have)
	if err != nil {
		return failed(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusPartialContent { // the server sends the whole file
		have = 0
	}
	if err := to.Truncate(have); err != nil {
		return safefile.Unwritable(to.Name(), err)
	}
	if _, err := to.Seek(have, io.SeekStart); err != nil {
		return safefile.Unwritable(to.Name(), err)
	}
	block := make([]byte, 64<<10)
	for {
		n, err := resp.Body.Read(block)
		alarm.Reset(stalled)
		if n = min(n, int(f.Size-have)); n > 0 {
			if _, err := to.Write(block[:n]); err != nil {
				return safefile.Unwritable(to.Name(), err)
			}
			have += int64(n)
			g.bar.Set(f.base(), float64(have)/float64(f.Size))
		}
		switch {
		case have == f.Size: // ignores what the server sends beyond the stated size
			return nil
		case err == io.EOF:
			return failed(errors.New("breaks off"))
		case err != nil:
			return failed(err)
		}
	}
}

// ask requests the file at address, from byte have on, and returns the server's response; the caller closes its body.
// With status 206 the body begins with byte have, with status 200 it is the whole file. Other responses are errors.
func ask(ctx context.Context, client *http.Client, address string, have int64) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", "superres/"+console.Version)
	if have > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", have))
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	from := fmt.Sprintf("bytes %d-", have)
	if resp.StatusCode == http.StatusOK || have > 0 && resp.StatusCode == http.StatusPartialContent &&
		strings.HasPrefix(resp.Header.Get("Content-Range"), from) {
		return resp, nil
	}
	resp.Body.Close()
	return nil, fmt.Errorf("answers %s", resp.Status)
}
