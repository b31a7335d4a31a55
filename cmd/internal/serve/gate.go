package serve

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
)

// mostConnections is how many there are at once; others wait to be taken.
const mostConnections = 512

// limited is a listener that has so many connections at a time.
type limited struct {
	net.Listener
	places chan struct{}
	closed chan struct{}
	close  sync.Once
}

func newLimited(l net.Listener, n int) *limited {
	return &limited{Listener: l, places: make(chan struct{}, n), closed: make(chan struct{})}
}

func (l *limited) Accept() (net.Conn, error) {
	select {
	case l.places <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.places
		return nil, err
	}
	return &counted{Conn: c, free: sync.OnceFunc(func() { <-l.places })}, nil
}

func (l *limited) Close() error {
	l.close.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

// counted is a connection that gives its place back.
type counted struct {
	net.Conn
	free func()
}

func (c *counted) Close() error {
	defer c.free()
	return c.Conn.Close()
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
		return r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Method == http.MethodGet && !strings.Contains(r.URL.Path, "/v1/")
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
