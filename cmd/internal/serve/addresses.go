package serve

import (
	"net"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"strings"

	"rsc.io/qr"
)

// address returns the URL at which a browser on this machine opens the page.
func (s *site) address() string {
	if s.everywhere() {
		return s.at("127.0.0.1")
	}
	return s.at(s.host)
}

// addresses returns the URLs of the page to print, at least one: if the server listens at all addresses of this
// machine, one for each that reachable returns. In other cases, or if there is none, it is the URL of s.address.
func (s *site) addresses() []string {
	if !s.everywhere() {
		return []string{s.address()}
	}
	own, err := net.InterfaceAddrs()
	if err != nil {
		own = nil // as if other machines could reach none
	}
	var urls []string
	for _, host := range reachable(own, usualAddress()) {
		urls = append(urls, s.at(host.String()))
	}
	if len(urls) == 0 {
		urls = []string{s.address()}
	}
	return urls
}

// announcement returns the text printed at the start: one URL on each line, then the first URL as a QR code, if the
// output is a terminal, other machines can reach the server and --quiet is not given.
func (s *site) announcement(terminal bool) string {
	urls := s.addresses()
	text := strings.Join(urls, "\n") + "\n"
	if terminal && !s.loopback && !s.quiet {
		text += qrCode(urls[0])
	}
	return text
}

func (s *site) everywhere() bool { return s.host == "" || net.ParseIP(s.host).IsUnspecified() }

// at returns the URL of the page, with the token, on the server called host, which is a name or an IP address.
func (s *site) at(host string) string {
	address := "http://" + net.JoinHostPort(host, s.port) + "/"
	if s.token != "" {
		address += s.token + "/"
	}
	return address
}

// reachable returns the addresses in own that other machines can use, thus no loopback or link-local ones: only IPv4
// or, if there are none, IPv6 addresses. own holds all addresses of this machine. usual, if returned, comes first.
func reachable(own []net.Addr, usual netip.Addr) []netip.Addr {
	var four, six []netip.Addr
	for _, a := range own {
		prefix, err := netip.ParsePrefix(a.String())
		if err != nil || !prefix.Addr().IsGlobalUnicast() {
			continue
		}
		if host := prefix.Addr().Unmap(); host.Is4() {
			four = append(four, host)
		} else {
			six = append(six, host)
		}
	}
	list := four
	if len(list) == 0 {
		list = six
	}
	if i := slices.Index(list, usual); i > 0 {
		list = slices.Insert(slices.Delete(list, i, i+1), 0, usual)
	}
	return list
}

// usualAddress returns the IPv4 address from which this machine sends to distant ones, or the zero Addr if it has none.
// It sends nothing: to dial by UDP only chooses the route.
func usualAddress() netip.Addr {
	c, err := net.Dial("udp4", "192.0.2.1:9") // reserved for documentation (RFC 5737): no machine has this address
	if err != nil {
		return netip.Addr{}
	}
	defer c.Close()
	at, err := netip.ParseAddrPort(c.LocalAddr().String())
	if err != nil {
		return netip.Addr{}
	}
	return at.Addr()
}

// qrCode returns text as a QR code for a terminal; each line shows two rows of modules (black or white squares). It
// returns "" if text is too long for a QR code or the terminal has no colours.
func qrCode(text string) string {
	code, err := qr.Encode(text, qr.L)
	if err != nil || os.Getenv("TERM") == "dumb" {
		return ""
	}
	begin, end := "\x1b[97;40m", "\x1b[0m" // white on black, whatever the terminal's own colours are
	if runtime.GOOS == "windows" {         // consoles there are dark, and may not know colours
		begin, end = "", ""
	}
	const quiet = 4                                // width of the white border in modules, by ISO/IEC 18004
	blocks := [2][2]string{{"█", "▀"}, {"▄", " "}} // [1: the upper module is black][1: the lower module is black]
	index := func(x, y int) int {
		if code.Black(x, y) {
			return 1
		}
		return 0
	}
	var b strings.Builder
	for y := -quiet; y < code.Size+quiet; y += 2 {
		b.WriteString(begin)
		for x := -quiet; x < code.Size+quiet; x++ {
			b.WriteString(blocks[index(x, y)][index(x, y+1)])
		}
		b.WriteString(end + "\n")
	}
	return b.String()
}
