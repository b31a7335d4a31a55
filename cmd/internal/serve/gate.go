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

// mostConnections is how many connections there are at once, and mostOfAddress how many of one
// address.
const (
	mostConnections = 512
	mostOfAddress   = mostConnections / 2
)

// limited is a listener that has a limited number of connections at a time, in all and of each
// address. Where there are too many, the one ends that has been without a request that was let in
// for the longest time; a new one ends only where all the others have such a request. So those
// who know no token keep nobody out.
type limited struct {
	net.Listener
	most, ofAddress int

	mu   sync.Mutex // guards all, and what changes of its connections
	all  map[*counted]bool
	last uint64 // counts what happens
}

func newLimited(l net.Listener, most, ofAddress int) *limited {
	return &limited{Listener: l, most: most, ofAddress: ofAddress, all: map[*counted]bool{}}
}

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

// add counts a connection, and ends another where there are too many. It returns false if
// none could be ended.
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

// addressOf is the address of the other side, without its port.
func addressOf(c net.Conn) netip.Addr {
	at, err := netip.ParseAddrPort(c.RemoteAddr().String())
	if err != nil {
		return netip.Addr{} // all those together
	}
	address := at.Addr().Unmap()
	if address.Is6() { // of which everybody has many
		whole, _ := address.WithZone("").Prefix(64)
		return whole.Addr()
	}
	return address
}

// counted is a connection of a limited listener.
type counted struct {
	net.Conn
	of      *limited
	address netip.Addr

	requests int    // that were let in and have not ended
	since    uint64 // when that last changed
}

func (c *counted) Close() error {
	c.of.mu.Lock()
	delete(c.of.all, c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// connectionKey is that of the connection in the context of a request.
type connectionKey struct{}

// withConnection is for a server's ConnContext.
func withConnection(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, c)
}

// letIn says that a request of a connection is let in, until done is called.
func letIn(r *http.Request) (done func()) {
	c, is := r.Context().Value(connectionKey{}).(*counted)
	if !is {
		return func() {}
	}
	c.change(1)
	return func() { c.change(-1) }
}

func (c *counted) change(by int) {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.of.last++
	c.requests, c.since = c.requests+by, c.of.last
}

// same compares a secret in a time that tells nothing of it, nor of its length.
func same(secret, guess string) bool {
	a, b := sha256.Sum256([]byte(secret)), sha256.Sum256([]byte(guess))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// route returns what is asked for below the token: empty is the page. ok is false for those
// who do not know the token.
func (s *site) route(r *http.Request) (path string, ok bool) {
	path = strings.TrimPrefix(r.URL.Path, "/")
	if s.token == "" {
		return path, true
	}
	first, rest, below := strings.Cut(path, "/")
	if same(s.token, first) {
		return rest, below
	}
	bearer, is := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return path, is && first == "v1" && same(s.token, bearer)
}

// fromHere tells whether a request was made for this address, and by a page of it or by no
// page.
//
// Note: a page of another site can send forms and pictures here, and if its name comes to
// stand for this machine, read the answers. Browsers say in Host and Origin for whom they
// ask, and neither can be changed by a page.
func (s *site) fromHere(r *http.Request) bool {
	if !s.isOurs(r.Host) {
		return false
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
	default:
		return r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Method == http.MethodGet &&
			!strings.Contains(r.URL.Path, "/v1/")
	}
	origin := r.Header["Origin"]
	return len(origin) == 0 || len(origin) == 1 && origin[0] == "http://"+r.Host
}

// isOurs tells whether a host is one under which this server is known, at any port, for
// ports can be forwarded. A number always is, once a connection has come this far: only names
// can be made to stand for another machine.
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
