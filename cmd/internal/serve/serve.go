// Package serve is the command superres serve: a web page and an HTTP interface that enlarge pictures on this machine.
//
// Read it in this order: serve.go, flags, start and end of the server; addresses.go, the addresses of the page;
// opener.go, the start of a browser; app.go, the window of superres app; pipes.go, service for the program that started
// this one; check.go, the check of a running server; gate.go, admission of requests; server.go, routing of URLs;
// calls.go, the calls of the interface; body.go, transfer of pictures; events.go, progress. Package scheduling divides
// memory and processors among the pictures. Only workers, which are separate processes, decode pictures: workers.go
// starts and reuses them; workerprocess.go and talk.go are the server's view of a worker and its job; worker.go is the
// worker; frames.go is the protocol between them. README.md describes the interface.
package serve

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"regexp"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/decoders"
	"superres/internal/scheduling"
	"superres/internal/settings"
)

// Command returns the command superres serve.
func Command(s *console.Streams) *cli.Command {
	var opt options
	return console.Command(&cli.Command{
		Name: "serve", Usage: "enlarge pictures in the browser, or for other programs by HTTP", ArgsUsage: "",
		Description: `   superres serve                         prints the address of a page, to be opened in a browser
   superres serve --listen 127.0.0.1:9000
   superres serve --listen 0.0.0.0:8020   for the phones and computers of your network
   superres serve --listen -              for the program that started it, by pipes
   superres serve --token none            then, for other programs of this machine:
   curl -T photo.jpg 'http://127.0.0.1:8020/v1/upscale?scale=2' -o photo_2x.jpg

The page and the interface are for this machine alone, unless --listen says another
address: whoever has the printed address can use them, over a network unencrypted. With
0.0.0.0 the addresses of this machine in its network are printed, and on a terminal the
first of them as a QR code for a phone. A picture is sent to v1/upscale as the body of a
PUT or POST, with the flags of superres upscale as parameters, and comes back enlarged
by the same code, to the same bytes. v1/inspect tells what would be made, v1/options
which parameters there are, v1/events how far it is.
No parameter names a file of this machine, and nothing is kept: what comes and goes is
in files without names while it is worked on. With --listen - the requests of one
connection come by standard input, answers go to standard output, and the end of the
input ends the server.

All pictures share --max-memory, of which a part is kept for small ones, so that these do
not wait for large ones; --max-pixels and --timeout count a picture. What is too much at
a time gets the answer 429, and when to come again. Ctrl-C ends it: what is nearly done
is finished, within three seconds.`,
		Flags:  console.Flags(opt.table()),
		Action: func(c *cli.Context) error { return run(c, s, opt) },
	})
}

// table returns the options of superres serve, with their defaults. An option that is set sets a field of opt.
func (opt *options) table() settings.Table {
	return append(settings.Table{
		{Name: "listen", To: settings.Text(&opt.address, defaultAddress),
			Help: "listen at `HOST:PORT`; port 0 is any, and so is the default where it is taken; - is standard " +
				"input and output"},
		{Name: "token", To: settings.Text(&opt.token, ""), Help: "let in who knows `TEXT`, letters, digits, - and " +
			"_, 16 at least; none: everybody who reaches the address, of this machine alone; by default that of " +
			"SUPERRES_TOKEN, or a new one for each run"},
		{Name: "check", To: settings.Bool(&opt.check, false), Help: "serve nothing, but ask the server at --listen " +
			"whether it answers: exit code 0, or 1"},
		{Name: "verbose", Aliases: []string{"v"}, To: settings.Bool(&opt.verbose, false),
			Help: "say which protections of workers this system lacks"},
	}, opt.ofPictures()...)
}

// ofPictures returns the options that superres serve and superres app share. An option that is set sets a field of opt.
func (opt *options) ofPictures() settings.Table {
	return append(settings.Table{
		{Name: "queue", To: settings.Num(&opt.queue, 8).AtLeast(0).In("pictures"),
			Help: "let `N` pictures wait for their turn, and answer others that the server is busy"},
		{Name: "timeout", To: settings.Time(&opt.decode, 30*time.Second),
			Help: "give up a picture that takes longer than `T` to decode, enlarge and write; by default, one " +
				"that takes longer than that to decode"},
		decoders.Option(&opt.decoders),
	}, console.PictureOptions(&opt.limits, &opt.quiet).Without("progress")...)
}

// defaultAddress is where the server listens without --listen; if the port is taken, it uses another.
const defaultAddress = "127.0.0.1:8020"

// run answers requests until it is interrupted or the window is closed. With --check it only asks a running server.
func run(c *cli.Context, s *console.Streams, opt options) error {
	if err := opt.complete(console.OptionsOf(c.Command)); err != nil {
		return err
	}
	if opt.check {
		return check(c.Context, opt)
	}
	var browsers [][]string
	if opt.window != nil {
		var err error
		if browsers, err = findOpeners(); err != nil {
			return err
		}
	}
	if opt.piped() {
		site := newSite(opt, pipeAddress, func(line string) { fmt.Fprintln(s.Err, "superres:", line) })
		return site.serve(c.Context, listenToPipes(s.In, s.Out))
	}
	l, err := listen(c.Context, opt)
	if err != nil {
		return err
	}
	defer l.Close()
	if !opt.loopback && !opt.quiet {
		fmt.Fprintln(s.Err, "superres: open to the network, unencrypted: whoever has the address can use it")
	}
	if opt.token == "" && !opt.quiet {
		fmt.Fprintln(s.Err, "superres: without a token every program of this machine can use it")
	}
	site := newSite(opt, l.Addr(), func(line string) { fmt.Fprintln(s.Err, "superres:", line) })
	if _, err := io.WriteString(s.Out, site.announcement(console.IsTerminal(s.Out))); err != nil {
		return err
	}
	ctx, end := context.WithCancel(c.Context)
	defer end()
	if opt.window != nil {
		opt.window.endBy(end, site.log)
		site.open(browsers)
	}
	return site.serve(ctx, l)
}

// options are the values of the flags.
type options struct {
	address  string   // HOST:PORT to listen at; "-": standard input and output
	any      bool     // if the port is taken, use any free port; false: fail then
	loopback bool     // only this machine can reach address; false: others can, too
	token    string   // secret in the URL; empty: everybody is let in
	window   *window  // the window of superres app; nil: the server is superres serve
	check    bool     // only ask a running server whether it answers; false: be a server
	queue    int      // how many pictures may wait
	quiet    bool     // print only errors; false: warnings, too
	verbose  bool     // print which protections of workers the system lacks; false: do not
	decoders []string // values of --decoder
	limits   console.Limits
	decode   time.Duration // longest time to decode a picture
	whole    time.Duration // longest time for a picture in all; 0: no limit
	patience patience
}

var goodToken = regexp.MustCompile(`^[A-Za-z0-9_-]{16,128}$`)

// complete sets the fields that no flag sets alone, such as opt.any: another port will do if the default one is taken.
// It fails if flags, which given holds, are invalid or contradictory.
func (opt *options) complete(given settings.Table) error {
	opt.any, opt.verbose, opt.patience = !given.Given("listen"), opt.verbose && !opt.quiet, usual
	if given.Given("timeout") { // the default limits only decoding
		opt.whole = opt.decode
	}
	if opt.piped() {
		if given.Given("token") {
			return console.Usage("--listen - answers the program that started it, without --token; leave it out")
		}
		opt.loopback, opt.token, opt.patience = true, "", patient
		return nil
	}
	if !given.Given("token") {
		opt.token = os.Getenv("SUPERRES_TOKEN")
	}
	host, _, err := net.SplitHostPort(opt.address)
	if err != nil {
		return console.Usage("--listen %s: expected HOST:PORT, such as 127.0.0.1:8020, or -", opt.address)
	}
	ip := net.ParseIP(host)
	opt.loopback = host == "localhost" || ip != nil && ip.IsLoopback()
	switch {
	case opt.token == "none" && !opt.loopback:
		return console.Usage("--token none: not with --listen %s, which others can reach; leave one of them out",
			opt.address)
	case opt.token == "none":
		opt.token = ""
	case opt.token == "" && !opt.check:
		opt.token = newToken()
	case opt.token == "": // --check without a token
	case !goodToken.MatchString(opt.token):
		return console.Usage("--token: expected 16 to 128 letters, digits, - and _, or none")
	}
	return nil
}

// newToken returns 128 random bits as text for a URL.
func newToken() string {
	var b [16]byte
	rand.Read(b[:]) // cannot fail
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// listen returns a listener at opt.address or, if its port is taken and opt.any is true, at a free port of 127.0.0.1.
func listen(ctx context.Context, opt options) (net.Listener, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", opt.address)
	if errors.Is(err, syscall.EADDRINUSE) && opt.any {
		l, err = config.Listen(ctx, "tcp", "127.0.0.1:0")
	}
	if err != nil {
		return nil, console.Failf(console.ExitOutput, "cannot listen at %s: %w; use another --listen, "+
			"of which port 0 is any that is free", opt.address, reason(err))
	}
	return l, nil
}

// reason returns the cause in err, a network error, without the address: the error of the operating system if err wraps
// an os.SyscallError, else the error inside the net.OpError that err wraps, or err itself if it wraps neither.
func reason(err error) error {
	if call, ok := errors.AsType[*os.SyscallError](err); ok {
		return call.Err
	}
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return op.Err
	}
	return err
}

// patience is how long the server waits for clients, and, when it ends, for pictures in progress.
type patience struct {
	head  time.Duration // longest wait for the header of a request
	idle  time.Duration // longest wait for the next request on a connection
	move  time.Duration // longest wait for more bytes of a body
	body  time.Duration // longest time to receive or send a whole body
	drain time.Duration // longest time to receive a whole body that is refused
	call  time.Duration // longest wait for a call with the id whose events a client reads
	end   time.Duration // longest wait for pictures in progress when the program ends
}

// usual is the patience with clients that come over the network.
var usual = patience{head: 5 * time.Second, idle: 20 * time.Second, move: 15 * time.Second, body: 10 * time.Minute,
	drain: 30 * time.Second, call: time.Minute, end: 2 * time.Second}

// patient is the patience of --listen -: the program that started the server may pause for days between requests.
var patient = func() patience {
	const days = 1000 * time.Hour
	p := usual
	p.head, p.idle, p.move, p.body, p.drain = days, days, days, 2*days, 2*days // body exceeds move: see send
	return p
}()

// hurryTime is how long cancelled pictures may take to end when the program ends.
const hurryTime = time.Second / 2

// serve answers requests on l until ctx or the connection of pipes ends. Pictures in progress then have patience.end to
// finish before they are cancelled. It fails only if l fails.
func (s *site) serve(ctx context.Context, l net.Listener) error {
	defer s.workers.close()
	working, cancel := context.WithCancelCause(context.WithoutCancel(ctx)) // for requests, which outlive ctx
	defer cancel(nil)
	server := &http.Server{
		Handler: s, BaseContext: func(net.Listener) context.Context { return working }, ConnContext: withConnection,
		ReadHeaderTimeout: s.patience.head, IdleTimeout: s.patience.idle, MaxHeaderBytes: 16 << 10,
		ErrorLog: log.New(io.Discard, "", 0), // drops messages about clients that do not speak HTTP
	}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(newLimited(l, mostConnections, mostOfAddress)) }()
	select {
	case err := <-failed:
		if errors.Is(err, errPipesEnd) {
			break
		}
		return console.Failf(console.ExitOutput, "cannot listen any more: %w", reason(err))
	case <-ctx.Done():
	}
	close(s.ending)
	soon, done := context.WithTimeout(working, s.patience.end)
	defer done()
	if server.Shutdown(soon) != nil {
		cancel(scheduling.ErrEnding)
		soon, done := context.WithTimeout(context.WithoutCancel(ctx), hurryTime)
		defer done()
		_ = server.Shutdown(soon) // connections that are still open then are closed
	}
	_ = server.Close() // the listener is closed already
	return nil
}
