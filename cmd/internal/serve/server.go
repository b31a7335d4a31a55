package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net"
	"net/http"
	"path"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"superres/cmd/internal/console"
	"superres/cmd/internal/serve/page"
	"superres/cmd/internal/settings"
	"superres/cmd/internal/upscale"
	"superres/internal/imagefile"
	"superres/internal/safefile"
)

// site is what answers requests. It is safe for concurrent use.
type site struct {
	options
	host, port string           // at which it listens
	service    *upscale.Service // checks parameters; it opens no picture
	index      []byte           // the page
	places     chan struct{}    // for requests with a picture, from its coming until its result is sent
	heads      chan struct{}    // for pictures whose heads are read
	scheduler  *scheduler
	workers    *workers
	log        func(line string) // tells the operator
	watches    watches
	ending     chan struct{} // closed: the program is to end
}

// morePlaces is how many pictures may come or go, beside those that are in work or wait.
const morePlaces = 48

// shared is how much all pictures may take, in bytes: all but what the server takes, and workers
// that are idle or look at a head.
func (o options) shared() int64 {
	const most = 48 << 20
	return o.limits.Memory - min(most, o.limits.Memory/8)
}

// memory is how much a picture may take, in bytes: all of that but what is kept for small ones.
func (o options) memory() int64 { return o.shared() - keptOf(o.shared()) }

// newSite makes what answers requests that come to an address. What the operator should know is
// given to log, in lines.
func newSite(opt options, at net.Addr, log func(line string)) *site {
	host, _, _ := net.SplitHostPort(opt.address)
	_, port, _ := net.SplitHostPort(at.String())
	s := &site{options: opt, host: host, port: port, watches: watches{all: map[string]*watch{}},
		ending: make(chan struct{})}
	s.log = log
	s.workers = newWorkers(workerSettings{console.Version, opt.memory(), opt.limits.Pixels, opt.decode, opt.whole},
		opt.verbose, log)
	s.service = upscale.NewService(console.Limits{Memory: opt.memory(), Pixels: opt.limits.Pixels}, opt.decode,
		opt.whole)
	s.scheduler = newScheduler(opt.shared(), opt.queue, s.ending)
	s.heads = make(chan struct{}, s.scheduler.large)
	s.places = make(chan struct{}, s.scheduler.large+s.scheduler.small+opt.queue+morePlaces)
	s.index = s.page()
	return s
}

// address is that of the page.
func (s *site) address() string {
	host := s.host
	if host == "" || net.ParseIP(host).IsUnspecified() {
		host = "127.0.0.1"
	}
	address := "http://" + net.JoinHostPort(host, s.port) + "/"
	if s.token != "" {
		address += s.token + "/"
	}
	return address
}

// pageSettings are what the page wants to know at its start.
type pageSettings struct {
	Version   string                 `json:"version"`
	Options   []settings.Description `json:"options"`    // of v1/upscale, as v1/options has them
	MaxBytes  int64                  `json:"max_bytes"`  // of a file
	MaxPixels int64                  `json:"max_pixels"` // of a picture
	MaxMemory int64                  `json:"max_memory"` // in bytes, of all pictures in work
}

// page is index.html with the settings in it.
func (s *site) page() []byte {
	text, err := page.Files.Index(pageSettings{Version: console.Version, Options: upscale.Parameters().Describe(),
		MaxBytes: imagefile.MaxBytes, MaxPixels: s.limits.Pixels, MaxMemory: s.limits.Memory})
	if err != nil {
		panic(err) // it is part of the program, with texts and numbers in it
	}
	return text
}

// policy lets the page load its own files alone, run nothing that is in it or was put in,
// and be shown in no other page.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src " +
	"'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"

// ServeHTTP answers a request.
func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	for name, value := range map[string]string{
		"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
		"Referrer-Policy":            "no-referrer",
		"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
		"Cross-Origin-Embedder-Policy": "require-corp",
		"Permissions-Policy":           "camera=(), microphone=(), geolocation=()", "Cache-Control": "no-store",
	} {
		h.Set(name, value)
	}
	defer func() {
		if v := recover(); v != nil { // a fault of the program, which is no reason to end those of others
			s.caught(w, v)
		}
	}()
	// Nobody who is not let in is waited for, to send the rest of a body.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.patience.head))
	if !s.fromHere(r) {
		s.refuse(w, http.StatusForbidden, console.ExitUsage, "this address is not for other sites; use the one "+
			"that superres serve prints")
		return
	}
	if at := strings.TrimPrefix(r.URL.Path, "/"); s.token != "" && same(s.token, at) {
		http.Redirect(w, r, "/"+at+"/", http.StatusPermanentRedirect) // from which names in the page are right
		return
	}
	to, ok := s.route(r)
	if !ok {
		s.refuse(w, http.StatusUnauthorized, console.ExitUsage, "this address has no token, or an old one; use "+
			"the one that superres serve prints")
		return
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	defer letIn(r)()
	if call, is := strings.CutPrefix(to, "v1/"); is {
		s.call(w, r, call)
		return
	}
	s.file(w, r, to)
}

// caught answers a request on which the program has panicked.
func (s *site) caught(w http.ResponseWriter, v any) {
	if console.PanicsAreFatal() {
		stack := debug.Stack()
		go panic(fmt.Sprintf("%v\n%s", v, stack)) // which package http does not catch
		select {}
	}
	err := fmt.Errorf("the program has a fault: %.200s; please report it", safefile.OneLine(fmt.Sprint(v)))
	s.log(err.Error())
	s.fail(w, err)
}

// file sends a file of the page.
func (s *site) file(w http.ResponseWriter, r *http.Request, name string) {
	if !s.allows(w, r, http.MethodGet, http.MethodHead) {
		return
	}
	content := s.index
	if name == "" {
		name = "index.html"
	} else {
		var err error
		if content, err = page.Files.ReadFile(name); err != nil {
			s.refuse(w, http.StatusNotFound, console.ExitInput, "there is nothing at this address; the page is at "+
				"the one that superres serve prints")
			return
		}
	}
	w.Header().Set("Content-Type", contentType(name))
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.patience.move))
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
}

// contentType is that of a file, whatever the system takes it for.
func contentType(name string) string {
	switch path.Ext(name) {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".html":
		return "text/html; charset=utf-8"
	}
	return mime.TypeByExtension(path.Ext(name))
}

// allows tells whether the method of a request is one of some, and answers it otherwise.
func (s *site) allows(w http.ResponseWriter, r *http.Request, methods ...string) bool {
	if slices.Contains(methods, r.Method) {
		return true
	}
	w.Header().Set("Allow", strings.Join(methods, ", "))
	s.refuse(w, http.StatusMethodNotAllowed, console.ExitUsage, r.Method+" is not for this address; use "+
		""+strings.Join(methods, " or "))
	return false
}

// failure is the answer to what is not done.
type failure struct {
	Error string `json:"error"` // one line: what, why, what to do
	Exit  int    `json:"exit"`  // the exit code that the command would have
}

// refuse answers with an error.
func (s *site) refuse(w http.ResponseWriter, status, exit int, text string) {
	s.answer(w, status, failure{text, exit})
}

// answer sends JSON.
func (s *site) answer(w http.ResponseWriter, status int, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		status, data = http.StatusInternalServerError, []byte(`{"error":"the answer cannot be written","exit":1}`)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.patience.move))
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n')) // nobody is left to be told
}

// statuses are those of exit codes; others are 500.
var statuses = map[int]int{
	console.ExitUsage: http.StatusBadRequest, console.ExitModel: http.StatusBadRequest,
	console.ExitInput: http.StatusUnprocessableEntity, console.ExitLimit: http.StatusRequestEntityTooLarge,
}

// busy refuses what is too much at a time.
type busy struct {
	wait time.Duration // until it may be less
}

func (b busy) Error() string {
	return fmt.Sprintf("the server is busy; come again in %d s", b.seconds())
}

func (b busy) seconds() int { return max(1, int((b.wait+time.Second-1)/time.Second)) }

// errEnding refuses all that is new when the program is to end.
var errEnding = errors.New("the server is about to end; start it again")

// failureOf words an error of the work.
func failureOf(err error) failure {
	if told, is := errors.AsType[answered](err); is {
		return failure{asParameters(told.failure.Error), told.Exit}
	}
	return failure{asParameters(console.Message(err)), console.ExitCode(err)}
}

// fail answers with an error of the work.
func (s *site) fail(w http.ResponseWriter, err error) {
	f := failureOf(err)
	status, known := statuses[f.Exit]
	busy, is := errors.AsType[busy](err)
	switch {
	case is:
		w.Header().Set("Retry-After", fmt.Sprint(busy.seconds()))
		status, f.Exit = http.StatusTooManyRequests, console.ExitLimit
	case errors.Is(err, errEnding):
		status = http.StatusServiceUnavailable
	case !known:
		status = http.StatusInternalServerError
	}
	s.answer(w, status, f)
}

var dashed = regexp.MustCompile(`--([a-z]+(?:-[a-z]+)*)`)

// asParameters names flags as the parameters that they are here, and those that are the
// server's as that.
func asParameters(text string) string {
	parameters := upscale.Parameters().Names()
	return dashed.ReplaceAllStringFunc(text, func(flag string) string {
		name := flag[2:]
		switch {
		case slices.Contains(parameters, name):
			return name
		case slices.Contains([]string{"max-memory", "max-pixels", "timeout"}, name):
			return "superres serve " + flag
		}
		return flag
	})
}
