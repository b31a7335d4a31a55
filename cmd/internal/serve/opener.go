package serve

import (
	"bytes"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"superres/cmd/internal/console"
	"superres/internal/safefile"
)

// openers lists, by operating system, the commands that open an address in the user's browser; the first that is there
// is used. Systems without an entry use that of Linux.
var openers = map[string][][]string{
	"linux":   {{"xdg-open"}, {"wslview"}}, // wslview: a browser of Windows, from Linux inside it
	"darwin":  {{"open"}},
	"windows": {{"rundll32", "url.dll,FileProtocolHandler"}},
}

// findOpener returns the command that opens an address, which is to be appended. It fails if there is none.
func findOpener() ([]string, error) {
	list := openers[runtime.GOOS]
	if list == nil {
		list = openers["linux"]
	}
	for _, command := range list {
		if path, err := exec.LookPath(command[0]); err == nil {
			return append([]string{path}, command[1:]...), nil
		}
	}
	return nil, console.Usage("--open: there is no %s here, which opens a browser; leave it out, and open the address "+
		"that is printed", list[0][0])
}

// open opens the page in the browser with command. It returns at once; a failure of the command is
// logged.
func (s *site) open(command []string) {
	cmd := exec.Command(command[0], append(command[1:], s.ticket.issue(s))...)
	detach(cmd)
	var said bytes.Buffer
	cmd.Stderr = &said
	cmd.WaitDelay = time.Second // a browser that goes on may keep standard error open
	if err := cmd.Start(); err != nil {
		s.log(fmt.Sprintf("--open: %s: %v; open the printed address", command[0], err))
		return
	}
	go func() {
		if err := cmd.Wait(); cmd.ProcessState != nil && !cmd.ProcessState.Success() {
			why := strings.TrimSpace(safefile.OneLine(said.String()))
			s.log(strings.TrimSuffix(fmt.Sprintf("--open: %s failed (%v): %.200s", command[0], err, why), ": ") +
				"; open the printed address")
		}
	}()
}

// ticket is an address that leads to the page once, and only for a short time. A browser is started with it, as all
// users of a machine can read the arguments of its processes, but not the token. It is safe for concurrent use.
type ticket struct {
	mu    sync.Mutex
	path  string // path of the address; empty: none is valid
	until time.Time
}

// ticketTime is how long a ticket is valid: a browser may take a while to start.
const ticketTime = time.Minute

// issue returns the address of a new ticket for the page of s, or that of the page if it has no token.
func (t *ticket) issue(s *site) string {
	if s.token == "" {
		return s.address()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.path, t.until = "open-"+newToken(), time.Now().Add(ticketTime)
	return strings.TrimSuffix(s.address(), s.token+"/") + t.path
}

// redeem reports whether path is that of the valid ticket, which is invalid from then on.
func (t *ticket) redeem(path string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.path == "" || !same(t.path, path) || time.Now().After(t.until) {
		return false
	}
	t.path = ""
	return true
}
