package serve

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"superres/cmd/internal/console"
	"superres/internal/safefile"
)

// openers lists, by operating system, the commands that open an address in the user's default browser. The address is
// appended to the last argument. Systems without an entry use the entry for Linux.
var openers = map[string][][]string{
	"linux":  {{"xdg-open", ""}, {"wslview", ""}}, // wslview opens a browser of Windows from Linux inside Windows
	"darwin": {{"open", ""}}, "windows": {{"rundll32", "url.dll,FileProtocolHandler", ""}},
}

// windowed lists, by operating system, browsers that show the address after --app= in a separate window, without tabs
// and an address bar. Environment variables in the paths are expanded.
var windowed = map[string][]string{
	"linux": {"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge",
		"microsoft-edge-stable"},
	"darwin": {"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
		"/Applications/Chromium.app/Contents/MacOS/Chromium",
		"/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge"},
	"windows": {`${ProgramFiles}\Google\Chrome\Application\chrome.exe`,
		`${LocalAppData}\Google\Chrome\Application\chrome.exe`, `${LocalAppData}\Chromium\Application\chrome.exe`,
		`${ProgramFiles(x86)}\Microsoft\Edge\Application\msedge.exe`,
		`${ProgramFiles}\Microsoft\Edge\Application\msedge.exe`},
}

// ofSystem returns the list in table for this operating system, or the list for Linux if there is none.
func ofSystem[T any](table map[string][]T) []T {
	if list := table[runtime.GOOS]; list != nil {
		return list
	}
	return table["linux"]
}

// findOpeners returns the commands of this machine that open an address, which the caller appends to the last argument:
// first commands that open a separate window, last the default browser. It fails if there is no command.
func findOpeners() (found [][]string, err error) {
	var list [][]string
	for _, name := range ofSystem(windowed) {
		list = append(list, []string{os.ExpandEnv(name), "--app="})
	}
	for _, command := range append(list, ofSystem(openers)...) {
		if path, err := exec.LookPath(command[0]); err == nil {
			found = append(found, append([]string{path}, command[1:]...))
		}
	}
	if len(found) == 0 {
		return nil, console.Usage("there is no %s here, which opens a browser; run superres serve, and open the "+
			"address that it prints", ofSystem(openers)[0][0])
	}
	return found, nil
}

// open runs commands in the background until one succeeds, each with a new address of the page. It logs failures.
func (s *site) open(commands [][]string) {
	go func() {
		for _, command := range commands {
			last := len(command) - 1
			cmd := exec.Command(command[0], append(command[1:last:last], command[last]+s.ticket.issue(s))...)
			detach(cmd)
			var said bytes.Buffer
			cmd.Stderr = &said
			cmd.WaitDelay = time.Second // a browser that keeps running may keep standard error open
			err := cmd.Run()
			if err == nil || cmd.ProcessState != nil && cmd.ProcessState.Success() {
				return
			}
			why := strings.TrimSpace(safefile.OneLine(said.String()))
			s.log(strings.TrimSuffix(fmt.Sprintf("%s failed (%v): %.200s", command[0], err, why), ": "))
		}
		s.log("no browser was opened; open the printed address")
	}()
}

// ticket is an address that leads to the page only once, and only for ticketTime. Browsers get it in place of the
// token, since all users of a machine can read the arguments of processes. It is safe for concurrent use.
type ticket struct {
	mu    sync.Mutex
	path  string // path of the address; empty: no ticket is valid
	until time.Time
}

// ticketTime is how long a ticket is valid: a browser may take a while to start.
const ticketTime = time.Minute

// issue makes a new path for the ticket and returns its address, or the address of the page itself if s has no token.
func (t *ticket) issue(s *site) string {
	if s.token == "" {
		return s.address()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.path, t.until = "open-"+newToken(), time.Now().Add(ticketTime)
	return strings.TrimSuffix(s.address(), s.token+"/") + t.path
}

// redeem reports whether path is the path of the ticket, and still valid; if so, it makes the ticket invalid.
func (t *ticket) redeem(path string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.path == "" || !same(t.path, path) || time.Now().After(t.until) {
		return false
	}
	t.path = ""
	return true
}
