package serve

import (
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"rsc.io/qr"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/must"
)

// Of the addresses of a machine, those are printed that others can use, the usual one first.
func TestReachable(t *testing.T) {
	for _, c := range []struct{ own, usual, want string }{
		{"127.0.0.1/8 172.17.0.1/16 192.168.1.7/24 ::1/128 fe80::1/64 fd00::7/64", "192.168.1.7",
			"192.168.1.7 172.17.0.1"},
		{"127.0.0.1/8 10.0.0.2/8 10.0.0.3/8", "10.9.9.9", "10.0.0.2 10.0.0.3"},
		{"127.0.0.1/8 169.254.3.4/16 fe80::1/64 fd00::7/64", "", "fd00::7"},
		{"127.0.0.1/8 ::1/128", "", ""},
	} {
		var own []net.Addr
		for _, text := range strings.Fields(c.own) {
			ip, network, err := net.ParseCIDR(text)
			must.Succeed(t, err)
			own = append(own, &net.IPNet{IP: ip, Mask: network.Mask})
		}
		usual, _ := netip.ParseAddr(c.usual) // none is invalid
		var got []string
		for _, a := range reachable(own, usual) {
			got = append(got, a.String())
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("of %s, %q: expected %q", c.own, got, c.want)
		}
	}
}

// A server for the network prints addresses at which it answers, and on a terminal the first as a QR code; one for this
// machine prints its address alone.
func TestAnnouncement(t *testing.T) {
	t.Setenv("TERM", "xterm")
	s := start(t, nil)
	if got := s.announcement(true); got != s.url+"\n" {
		t.Errorf("for this machine: %q", got)
	}
	s = start(t, func(opt *options) { opt.address, opt.loopback = "0.0.0.0:0", false })
	lines := strings.Split(s.announcement(true), "\n")
	if got := s.do("GET", lines[0]+"v1/options", nil, nil); got.status != http.StatusOK {
		t.Errorf("%s: %d", lines[0], got.status)
	}
	if got := s.announcement(false); strings.ContainsAny(got, "█▀▄") || !strings.HasPrefix(got, lines[0]) {
		t.Errorf("into a pipe: %q", got)
	}
	code, border := must.Get(qr.Encode(lines[0], qr.L))(t), 4 // by ISO/IEC 18004
	var rows []string                                         // of the code with its border
	for _, line := range lines {
		if strings.ContainsAny(line, "█▀▄") {
			line = strings.TrimSuffix(strings.TrimPrefix(line, "\x1b[97;40m"), "\x1b[0m")
			rows = append(rows, strings.NewReplacer("█", "w", "▀", "w", "▄", "b", " ", "b").Replace(line),
				strings.NewReplacer("█", "w", "▀", "b", "▄", "w", " ", "b").Replace(line))
		}
	}
	if len(rows) < code.Size+2*border || len(rows[0]) != code.Size+2*border {
		t.Fatalf("%d rows of a code of %d", len(rows), code.Size)
	}
	for y, row := range rows {
		for x, module := range row {
			if code.Black(x-border, y-border) != (module == 'b') {
				t.Fatalf("the module %d, %d is %c", x, y, module)
			}
		}
	}
	t.Setenv("TERM", "dumb")
	if got := s.announcement(true); strings.ContainsAny(got, "█▀▄") {
		t.Errorf("on a terminal without colours: %q", got)
	}
}

// --open starts the browser with an address that leads to the page once, and does not have the token. Without a
// command that starts a browser it is refused, and the failure of a browser is logged.
func TestOpen(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the browser of this system is started by another command")
	}
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	program.RefusesLines(t, t.TempDir(), "serve", []consoletest.RefusedLine{{"--open", 2, "there is no xdg-open here"}})

	opened := filepath.Join(bin, "opened")
	put := func(script string) {
		must.Succeed(t, os.WriteFile(filepath.Join(bin, "xdg-open"), []byte("#!/bin/sh\n"+script), 0o777))
	}
	put("echo \"$1\" >'" + opened + ".part'\n/bin/mv '" + opened + ".part' '" + opened + "'\n")
	server := startProcess(t, "--open")
	var address string
	for range 200 {
		if data, err := os.ReadFile(opened); err == nil {
			address = strings.TrimSpace(string(data))
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	token := strings.Split(server.url, "/")[3]
	if !strings.HasPrefix(address, strings.TrimSuffix(server.url, token+"/")) || strings.Contains(address, token) {
		t.Fatalf("%q is opened for %s", address, server.url)
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	get := func() (status int, to string) {
		answer := must.Get(client.Get(address))(t)
		defer answer.Body.Close()
		return answer.StatusCode, answer.Header.Get("Location")
	}
	if status, to := get(); status != http.StatusSeeOther || to != "/"+token+"/" {
		t.Errorf("the address leads to %q (%d)", to, status)
	}
	if status, _ := get(); status != http.StatusUnauthorized {
		t.Errorf("the address leads somewhere twice (%d)", status)
	}
	server.end()

	put("echo no display >&2\nexit 3\n")
	s := start(t, nil)
	s.open([][]string{{filepath.Join(bin, "xdg-open"), ""}})
	for range 200 {
		if len(s.lines.all()) > 1 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if log := strings.Join(s.lines.all(), "\n"); !strings.HasSuffix(log,
		"failed (exit status 3): no display\nno browser was opened; open the printed address") {
		t.Errorf("of a browser that fails is told: %q", log)
	}
}
