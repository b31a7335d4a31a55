package serve

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
)

// mostConnections is how many connections may be open at once in all, and mostOfAddress how many from one address.
const (
	mostConnections = 512
	mostOfAddress   = mostConnections / 2 // so that one client leaves room for others
)

// limited is a listener that limits the number of open connections, in all and from each address. A connection is idle
// unless it serves a request with the token. If a new connection would exceed a limit, the longest idle one is closed;
// if none is idle, the new one is refused. So clients without the token cannot keep others out.
type limited struct {
	net.Listener
	most, ofAddress int

	mu   sync.Mutex // guards all and last, and the counts of each connection in all
	all  map[*counted]bool
	last uint64 // a clock, which add and change advance by 1
}

func newLimited(l net.Listener, most, ofAddress int) *limited {
	return &limited{Listener: l, most: most, ofAddress: ofAddress, all: map[*counted]bool{}}
}

// Accept implements net.Listener. It closes connections that exceed the limits, and returns the next one that does not.
func (l *limited) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		one := &counted{Conn: c, of: l, address: addressOf(c)}
		if l.add(one) {
			return one, nil
		}
		_ = c.Close()
	}
}

// add adds the new connection one and returns true. If there are too many, it first closes the longest idle one, or
// returns false if none is idle. If too many come from the address of one, only connections from there are considered.
func (l *limited) add(one *counted) bool {
	l.mu.Lock()
	sameAddress := 0
	for c := range l.all {
		if c.address == one.address {
			sameAddress++
		}
	}
	crowded, full := sameAddress >= l.ofAddress, len(l.all) >= l.most
	var oldest *counted
	if crowded || full {
		for c := range l.all {
			if c.requests == 0 && (!crowded || c.address == one.address) && (oldest == nil || c.since < oldest.since) {
				oldest = c
			}
		}
		if oldest == nil {
			l.mu.Unlock()
			return false
		}
		delete(l.all, oldest)
	}
	l.last++
	one.since = l.last
	l.all[one] = true
	l.mu.Unlock()
	if oldest != nil {
		_ = oldest.Conn.Close()
	}
	return true
}

// addressOf returns the IP address of the client of c. An IPv6 address is cut to its network, the first 64 bits.
func addressOf(c net.Conn) netip.Addr {
	at, err := netip.ParseAddrPort(c.RemoteAddr().String())
	if err != nil {
		return netip.Addr{} // all clients with unknown addresses count as one client
	}
	address := at.Addr().Unmap()
	if address.Is6() { // a client may have any number of addresses in its network
		whole, _ := address.WithZone("").Prefix(64)
		return whole.Addr()
	}
	return address
}

// counted is a connection of a limited listener, with the number of admitted requests that it is serving.
type counted struct {
	net.Conn
	of      *limited
	address netip.Addr

	requests int    // number of requests admitted and not yet answered
	since    uint64 // value of limited.last when the connection began or the field requests last changed
}

func (c *counted) Close() error {
	c.of.mu.Lock()
	delete(c.of.all, c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// connectionKey is the key under which the context of a request holds the request's *counted connection.
type connectionKey struct{}

// withConnection is the ConnContext function of the http.Server: it adds c to the context.
func withConnection(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, c)
}

// letIn counts r as an admitted request of its connection until done is called, so that add does not close it. Requests
// over the connections of another listener are not counted.
func letIn(r *http.Request) (done func()) {
	c, is := r.Context().Value(connectionKey{}).(*counted)
	if !is {
		return func() {}
	}
	c.change(1)
	return func() { c.change(-1) }
}

// change adds difference to the number of requests that c is serving.
func (c *counted) change(difference int) {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.of.last++
	c.requests, c.since = c.requests+difference, c.of.last
}

// same reports whether guess equals secret. The time that same takes reveals neither secret nor its length.
func same(secret, guess string) bool {
	a, b := sha256.Sum256([]byte(secret)), sha256.Sum256([]byte(guess))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// route returns the path in r without the token, empty for the page. ok says that r has the token, as the first part of
// the path, before a slash, or, for the calls below v1, in the header Authorization, or that it needs none.
func (s *site) route(r *http.Request) (path string, ok bool) {
	path = strings.TrimPrefix(r.URL.Path, "/")
	if s.token == "" {
		return path, true
	}
	first, rest, hasSlash := strings.Cut(path, "/")
	if same(s.token, first) {
		return rest, hasSlash
	}
	bearer, is := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return path, is && first == "v1" && same(s.token, bearer)
}

// fromHere reports whether r may be answered: it is addressed to this server, and it was sent by the server's own page,
// by no page at all, or by a link on another site that opens the page.
//
// Note: a page of another site can send forms and pictures here and, if its host name is made to resolve to this
// machine, read the answers. Browsers name the target in Host and the sender in Origin; pages cannot change this.
func (s *site) fromHere(r *http.Request) bool {
	if !s.isOurs(r.Host) {
		return false
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
	default: // another site
		return r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Method == http.MethodGet &&
			!strings.Contains(r.URL.Path, "/v1/")
	}
	origin := r.Header["Origin"]
	return len(origin) == 0 || len(origin) == 1 && origin[0] == "http://"+r.Host
}

// isOurs reports whether host, with any port, can name this server: localhost, the host of --listen, or an IP address
// (only loopback ones, if s.loopback). Other names are refused: an attacker can make a name resolve to this machine.
func (s *site) isOurs(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]")
	}
	if name != "" && (strings.EqualFold(name, "localhost") || strings.EqualFold(name, s.host)) {
		return true
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && (!s.loopback || ip.IsLoopback())
}
