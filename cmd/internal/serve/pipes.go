package serve

import (
	"errors"
	"io"
	"net"
	"sync"

	"superres/cmd/internal/paths"
)

// piped reports whether the server serves only the program that started it, over standard input and output.
func (o options) piped() bool { return paths.IsStandard(o.address) }

// pipes is a listener with a single connection, which consists of two streams.
type pipes struct {
	conn chan net.Conn // holds the connection until it is accepted
	over chan struct{} // closed at the end of the connection, or by Close
	end  func()        // closes the channel over
}

// errPipesEnd is the error of Accept once the connection has ended.
var errPipesEnd = errors.New("the connection of pipes has ended")

// listenToPipes returns a listener whose only connection reads from in and writes to out. The connection ends when in
// ends or the server closes the connection; by then, all that the server wrote has gone to out.
//
// Note: the connection is one end of a net.Pipe, since the system's own pipes support deadlines only on some systems.
func listenToPipes(in io.Reader, out io.Writer) net.Listener {
	inner, outer := net.Pipe()
	l := &pipes{conn: make(chan net.Conn, 1), over: make(chan struct{})}
	l.end = sync.OnceFunc(func() { close(l.over) })
	l.conn <- inner
	go func() {
		_, _ = io.Copy(outer, in) // an error ends the connection just as the end of in does
		_ = outer.Close()
	}()
	go func() {
		_, _ = io.Copy(out, outer)
		_ = outer.Close() // ends the connection also if out cannot be written
		l.end()
	}()
	return l
}

// Accept implements net.Listener: the first call returns the connection, later ones wait for its end, and fail.
func (l *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-l.conn:
		return c, nil
	case <-l.over:
		return nil, errPipesEnd
	}
}

func (l *pipes) Close() error {
	l.end()
	return nil
}

func (l *pipes) Addr() net.Addr { return pipeAddress }

// pipeAddress is the address of a listener of pipes.
var pipeAddress = &net.UnixAddr{Name: "-", Net: "pipe"}
