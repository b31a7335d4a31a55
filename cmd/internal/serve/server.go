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
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"superres/cmd/internal/console"
	"superres/cmd/internal/decoders"
	"superres/cmd/internal/models"
	"superres/cmd/internal/serve/jobs"
	"superres/cmd/internal/serve/page"
	"superres/cmd/internal/upscale"
	"superres/internal/imagefile"
	"superres/internal/safefile"
	"superres/internal/scheduling"
)

// site answers the requests to a server. It is safe for concurrent use.
type site struct {
	options
	host, port string           // the address at which the server listens
	service    *upscale.Service // checks parameters only; workers enlarge the pictures
	places     chan struct{}    // one element for each request with a picture, until its result is sent
	heads      chan struct{}    // one element for each picture while its head is read
	scheduler  *scheduling.Scheduler
	workers    *workers
	log        func(line string) // prints a line for the operator
	programs   *decoders.Set     // other programs, which convert pictures that superres cannot read
	converting chan struct{}     // one element while one of them converts a picture
	watches    watches
	ending     chan struct{} // closed when the program is to end
	ticket     ticket        // the ticket of the browser that superres app starts
}

// morePlaces is how many pictures may be received or sent in addition to those that are enlarged or wait for a slot.
const morePlaces = 48

// shared returns the bytes for all pictures together: --max-memory less a part for the server and idle workers.
func (o options) shared() int64 {
	const most = 48 << 20
	return o.limits.Memory - min(most, o.limits.Memory/8)
}

// memory returns the most bytes that one picture may take: shared less the memory that is kept for small pictures.
func (o options) memory() int64 { return o.shared() - scheduling.Kept(o.shared()) }

// newSite returns a site with the options opt; at is the address of the listener. log prints a line for the operator.
func newSite(opt options, at net.Addr, log func(line string)) *site {
	host, _, _ := net.SplitHostPort(opt.address)
	_, port, _ := net.SplitHostPort(at.String())
	s := &site{options: opt, host: host, port: port, watches: watches{all: map[string]*watch{}}, log: log,
		ending: make(chan struct{})}
	s.workers = newWorkers(workerSettings{console.Version, opt.memory(), opt.limits.Pixels, opt.decode, opt.whole},
		opt.verbose, log)
	s.service = upscale.NewService(console.Limits{Memory: opt.memory(), Pixels: opt.limits.Pixels}, opt.decode,
		opt.whole)
	s.programs = &decoders.Set{Given: opt.decoders, Time: opt.decode, Memory: opt.memory()}
	s.converting = make(chan struct{}, 1)
	s.scheduler = scheduling.New(opt.shared(), opt.queue, s.ending)
	large, small := s.scheduler.Places()
	s.heads = make(chan struct{}, large)                             // the most heads read at once
	s.places = make(chan struct{}, large+small+opt.queue+morePlaces) // pictures at work, waiting, and in transfer
	return s
}

// page returns index.html with the settings filled in, and tells the window, if any, that a page is being loaded.
func (s *site) page() []byte {
	values := page.Settings{Version: console.Version, Options: upscale.Parameters().Describe(),
		Models: models.UserNames(), Compared: models.Compared(), MaxBytes: imagefile.MaxBytes,
		MaxPixels: s.limits.Pixels, MaxMemory: s.limits.Memory}
	if s.window != nil {
		s.window.count(0)
		values.Window, values.Scale, values.Given = true, s.window.scale, s.window.list
	}
	text, err := page.Files.Index(values)
	if err != nil {
		panic(err) // cannot happen: the page is embedded, and the settings are texts and numbers
	}
	return text
}

// policy is a Content-Security-Policy: the page loads only its own files, runs no inline script, and cannot be framed.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src " +
	"'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"

// ServeHTTP implements http.Handler. It refuses what fromHere and route do not allow. call and file answer the rest.
func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	for name, value := range map[string]string{
		"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
		"Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp",
		"Permissions-Policy": "camera=(), microphone=(), geolocation=()", "Cache-Control": "no-store",
	} {
		h.Set(name, value)
	}
	defer func() {
		if v := recover(); v != nil { // a bug must not end the requests of others
			s.caught(w, v)
		}
	}()
	// With this deadline a refused request is answered soon, even if its body does not arrive.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.patience.head))
	if !s.fromHere(r) {
		s.refuse(w, http.StatusForbidden, console.ExitUsage, "this address is not for other sites; use the one that "+
			"superres serve prints")
		return
	}
	if at := strings.TrimPrefix(r.URL.Path, "/"); s.token != "" && same(s.token, at) {
		http.Redirect(w, r, "/"+at+"/", http.StatusPermanentRedirect) // so that relative names in the page are found
		return
	}
	if r.Method == http.MethodGet && s.ticket.redeem(strings.TrimPrefix(r.URL.Path, "/")) {
		http.Redirect(w, r, "/"+s.token+"/", http.StatusSeeOther)
		return
	}
	to, ok := s.route(r)
	if !ok {
		s.refuse(w, http.StatusUnauthorized, console.ExitUsage, "this address has no token, or an old one; use the "+
			"one that superres serve prints")
		return
	}
	if r.Body == http.NoBody { // as clearDeadline does
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
	}
	defer letIn(r)() // meanwhile add does not close the connection as idle
	if call, is := strings.CutPrefix(to, "v1/"); is {
		s.call(w, r, call)
		return
	}
	s.file(w, r, to)
}

// caught answers a request whose handling panicked with v, and logs v; if PanicsAreFatal, it ends the program.
func (s *site) caught(w http.ResponseWriter, v any) {
	if console.PanicsAreFatal() {
		stack := debug.Stack()
		go panic(fmt.Sprintf("%v\n%s", v, stack)) // in a goroutine of its own, where package http does not catch it
		select {}
	}
	err := fmt.Errorf("the program has a fault: %.200s; please report it", safefile.OneLine(fmt.Sprint(v)))
	s.log(err.Error())
	s.fail(w, err)
}

// file answers r with the file of the page called name; "" stands for index.html.
func (s *site) file(w http.ResponseWriter, r *http.Request, name string) {
	if !s.allows(w, r, http.MethodGet, http.MethodHead) {
		return
	}
	content := []byte(nil)
	if name == "" {
		name, content = "index.html", s.page() // filled in at each request, with the user's present models
	} else {
		var err error
		if content, err = page.Files.ReadFile(name); err != nil {
			s.refuse(w, http.StatusNotFound, console.ExitInput, "there is nothing at this address; the page is at the "+
				"one that superres serve prints")
			return
		}
	}
	w.Header().Set("Content-Type", contentType(name))
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.patience.move))
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
}

// contentType returns the MIME type of the file called name. The system is asked only for kinds not listed here.
func contentType(name string) string {
	ext := path.Ext(name)
	if text := map[string]string{".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
		".html": "text/html; charset=utf-8", ".json": "application/json"}[ext]; text != "" {
		return text
	}
	return mime.TypeByExtension(ext)
}

// allows reports whether the method of r is one of methods. If not, it answers r with an error.
func (s *site) allows(w http.ResponseWriter, r *http.Request, methods ...string) bool {
	if slices.Contains(methods, r.Method) {
		return true
	}
	w.Header().Set("Allow", strings.Join(methods, ", "))
	s.refuse(w, http.StatusMethodNotAllowed, console.ExitUsage, r.Method+" is not for this address; use "+
		""+strings.Join(methods, " or "))
	return false
}

// failure is the JSON answer to a request that failed.
type failure struct {
	Error string `json:"error"` // one line: what failed, why, and what to do
	Exit  int    `json:"exit"`  // the exit code of superres upscale for the same error
}

// refuse answers a request with an HTTP status and a failure as JSON: the error text and the exit code.
func (s *site) refuse(w http.ResponseWriter, status, exit int, text string) {
	s.answer(w, status, failure{text, exit})
}

// answer answers a request with an HTTP status and v as JSON.
func (s *site) answer(w http.ResponseWriter, status int, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		status, data = http.StatusInternalServerError, []byte(`{"error":"the answer cannot be written","exit":1}`)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.patience.move))
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n')) // an error means that the client is gone
}

// statuses maps exit codes to HTTP statuses. An exit code that is missing becomes status 500.
var statuses = map[int]int{
	console.ExitUsage: http.StatusBadRequest, console.ExitModel: http.StatusBadRequest,
	console.ExitInput: http.StatusUnprocessableEntity, console.ExitLimit: http.StatusRequestEntityTooLarge,
}

// failureOf returns the answer for err: without paths of this machine, and with flags renamed by asParameters.
func failureOf(err error) failure {
	if told, is := errors.AsType[answered](err); is { // a worker made the text, and is not trusted
		return failure{asParameters(withoutPaths(told.failure.Error)), told.Exit}
	}
	return failure{asParameters(pathless(err)), console.ExitCode(err)}
}

// fail answers with err and its HTTP status: 429, and in Retry-After the seconds to wait, for a busy error, 503 if the
// server ends, else as statuses says. If paths were left out of the answer, it logs the whole error.
func (s *site) fail(w http.ResponseWriter, err error) {
	f := failureOf(err)
	if whole := console.Message(err); strings.Contains(f.Error, ofServer) && whole != f.Error {
		s.log(whole) // the operator can mend the cause
	}
	status, known := statuses[f.Exit]
	busy, isBusy := errors.AsType[scheduling.Busy](err)
	switch {
	case isBusy:
		w.Header().Set("Retry-After", fmt.Sprint(busy.Seconds()))
		status, f.Exit = http.StatusTooManyRequests, console.ExitLimit
	case errors.Is(err, scheduling.ErrEnding):
		status = http.StatusServiceUnavailable
	case !known:
		status = http.StatusInternalServerError
	}
	s.answer(w, status, f)
}

// asParameters returns text with the flags in it renamed: parameters of a request lose their dashes, and flags for
// limits get "superres serve" before them.
func asParameters(text string) string {
	return jobs.AsParameters(text, func(flag string) string { return "superres serve " + flag })
}
