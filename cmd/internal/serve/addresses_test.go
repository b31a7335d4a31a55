package serve

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"rsc.io/qr"

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
