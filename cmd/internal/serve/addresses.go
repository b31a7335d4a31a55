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

// address returns the URL of the page for this machine.
func (s *site) address() string {
	if s.everywhere() {
		return s.at("127.0.0.1")
	}
	return s.at(s.host)
}

// addresses returns the URLs of the page to be printed, at least one: if the server listens at all addresses of this
// machine, those that others can reach, the best first.
func (s *site) addresses() []string {
	if !s.everywhere() {
		return []string{s.address()}
	}
	own, err := net.InterfaceAddrs()
	if err != nil {
		own = nil // the address for this machine is printed
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

// announcement returns what is printed at the start: the addresses, a line each, and, on a terminal, the first one as a
// QR code if it is of use to a phone.
func (s *site) announcement(terminal bool) string {
	urls := s.addresses()
	text := strings.Join(urls, "\n") + "\n"
	if terminal && !s.loopback && !s.quiet {
		text += qrCode(urls[0])
	}
	return text
}

// everywhere reports whether the server listens at all addresses of this machine.
func (s *site) everywhere() bool { return s.host == "" || net.ParseIP(s.host).IsUnspecified() }

// at returns the URL of the page at host, a name or an IP address, with the token.
func (s *site) at(host string) string {
	address := "http://" + net.JoinHostPort(host, s.port) + "/"
	if s.token != "" {
		address += s.token + "/"
	}
	return address
}

// reachable returns those addresses of own, a machine's, that others in its network can use, usual first: of IPv4, or,
// if there is none, of IPv6.
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

// usualAddress returns the address from which this machine would send to a distant one, or an invalid address if it has
// no network. Nothing is sent.
func usualAddress() netip.Addr {
	c, err := net.Dial("udp4", "192.0.2.1:9") // an address for documentation
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

// qrCode returns text as a QR code for a terminal, of lines with two rows of the code each, or "" if it is too long or
// the terminal has no colours.
func qrCode(text string) string {
	code, err := qr.Encode(text, qr.L)
	if err != nil || os.Getenv("TERM") == "dumb" {
		return ""
	}
	begin, end := "\x1b[97;40m", "\x1b[0m" // white on black, whatever the terminal's own colours are
	if runtime.GOOS == "windows" {         // whose consoles are dark, and may not know colours
		begin, end = "", ""
	}
	const quiet = 4                                // width of the white border, by ISO/IEC 18004
	blocks := [2][2]string{{"█", "▀"}, {"▄", " "}} // by whether the upper and the lower module are black
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
