package serve

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"superres/cmd/internal/console/consoletest"
	"superres/internal/golden"
	"superres/internal/imagefile"
	"superres/internal/imagefile/imagetest"
	"superres/internal/must"
)

// hasty makes a server wait as little as possible for its clients.
func hasty(o *options) {
	o.patience = patience{head: 300 * time.Millisecond, idle: 300 * time.Millisecond, move: 600 * time.Millisecond,
		body: 900 * time.Millisecond, drain: 100 * time.Millisecond, call: 100 * time.Millisecond, end: 2 * time.Second}
}

// raw opens a connection to the server and sends text.
func (s *tested) raw(text string) net.Conn {
	s.t.Helper()
	c := must.Get(net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(s.bare, "http://"), "/")))(s.t)
	s.t.Cleanup(func() { c.Close() })
	must.Get(io.WriteString(c, text))(s.t)
	return c
}

// status reads the HTTP status of an answer from c; 0 if none comes.
func status(c net.Conn) int {
	got, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return 0
	}
	got.Body.Close()
	return got.StatusCode
}

// works checks that the server still enlarges pictures, even if others keep it busy for a while.
func (s *tested) works() {
	s.t.Helper()
	picture := hopper(s.t)
	for {
		got := s.do("PUT", s.url+"v1/upscale?model=nearest", bytes.NewReader(picture), nil)
		if got.status == http.StatusTooManyRequests {
			time.Sleep(20 * time.Millisecond)
			continue
		}
		if got.status != 200 {
			s.t.Errorf("%d %s", got.status, got.body)
		}
		break
	}
	s.left()
}

// answers sends each key of texts as a request, all at once, and checks that the status of its answer is the value.
func (s *tested) answers(texts map[string]int) {
	s.t.Helper()
	var group sync.WaitGroup
	for text, want := range texts {
		conn := s.raw("")
		group.Go(func() {
			go func() { _, _ = io.WriteString(conn, text) }() // the server may not read all of a long text
			if got := status(conn); got != want && (got != 0 || len(text) < 1<<15) {
				s.t.Errorf("%.60q: %d, expected %d", text, got, want)
			}
			if _, err := io.Copy(io.Discard, conn); err != nil && !strings.Contains(err.Error(), "reset") {
				s.t.Errorf("%.60q: %v", text, err)
			}
			conn.Close()
		})
	}
	group.Wait()
}

// head returns the head of a request to v1/upscale with the header lines.
func (s *tested) head(lines ...string) string {
	return "POST /" + s.token + "/v1/upscale HTTP/1.1\r\nHost: localhost\r\n" + strings.Join(lines, "\r\n") + "\r\n\r\n"
}

// Requests whose bytes stop or come too slowly are ended, and nothing is left of them.
func TestSlowRequests(t *testing.T) {
	s := start(t, hasty)
	long := s.head("Content-Length: 5000")
	s.answers(map[string]int{
		"":                 0,
		"POST /" + s.token: 400,
		"POST / HTTP/1.1\r\nHost: localhost\r\nX: ": 0,
		long:                       413,
		long + "\x89PNG\r\n\x1a\n": 413,
		strings.Replace(long, "upscale", "score", 1):                                          404,
		strings.Replace(long, "v1/upscale", "page.css", 1):                                    405,
		strings.Replace(long, "POST", "DELETE", 1):                                            405,
		strings.Replace(strings.Replace(long, "POST", "GET", 1), "v1/upscale", "page.css", 1): 200,
		strings.Replace(strings.Replace(long, "POST", "GET", 1), "upscale", "options", 1):     200,
		s.head("Transfer-Encoding: chunked") + "ffff\r\n\x89PNG":                              413,
		s.head("Transfer-Encoding: chunked") + "4\r\n\x89PNG\r\n":                             413,
		s.head("Content-Length: 5000", "Expect: 100-continue"):                                100,
	})
	// Each byte comes in time, but the whole body does not.
	conn := s.raw(s.head("Content-Length: 5000"))
	stop := make(chan bool)
	go func() {
		defer close(stop)
		for range 100 {
			if _, err := io.WriteString(conn, "x"); err != nil {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
	}()
	if got := status(conn); got != 413 {
		t.Errorf("drop by drop: %d", got)
	}
	conn.Close()
	<-stop
	s.works()
}

// A Content-Length that is wrong harms nothing.
func TestLyingLengths(t *testing.T) {
	s := start(t, hasty)
	png := string(hopper(t))
	s.answers(map[string]int{
		s.head(fmt.Sprintf("Content-Length: %d", imagefile.MaxBytes+1)) + png: 413,
		s.head("Content-Length: 99999999999999999999") + png:                  400,
		s.head("Content-Length: -1") + png:                                    400,
		s.head("Content-Length: 10", "Content-Length: 20") + png:              400,
		s.head("Connection: close", "Content-Length: 3000") + png[:3000]:      422,
		s.head("Content-Length: 10", "Transfer-Encoding: chunked") + "zz\r\n": 422,
		s.head("Transfer-Encoding: chunked") + "-5\r\nabc":                    422,
		s.head("Transfer-Encoding: gzip, chunked") + png:                      501,
		// More than was said, as a request of its own, is none.
		s.head("Content-Length: 3") + "abcGET / HTTP/1.1\r\n\r\n": 422,
	})
	if consoletest.Full(0, 1) == 1 {
		got := s.do("PUT", s.url+"v1/upscale", io.LimitReader(endless{}, imagefile.MaxBytes+1<<20),
			func(r *http.Request) { r.ContentLength = -1 })
		got.failed(t, "endless", 413, 7, "more than 256 MiB")
	}
	s.works()
}

// endless is a reader of zeros without end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// Malformed HTTP gets an error or no answer, and harms nothing.
func TestOddRequests(t *testing.T) {
	s := start(t, hasty)
	const end = " HTTP/1.1\r\nHost: localhost\r\n\r\n"
	s.answers(map[string]int{
		// TLS
		"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03":                                       400,
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n":                                                   403,
		"GET / HTTP/1.0\r\n\r\n":                                                             403,
		"GET / HTTP/1.1\r\n\r\n":                                                             400,
		"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n":                                       400,
		"OPTIONS *" + end:                                                                    200,
		"CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n":                403,
		"GET http://evil.example/" + s.token + "/" + end:                                     403,
		"GET /" + s.token + "/../../etc/passwd" + end:                                        404,
		"GET /" + s.token + "/%2e%2e/%2e%2e/etc/passwd" + end:                                404,
		"GET //" + s.token + "/" + end:                                                       401,
		"GET /" + strings.Repeat("a", 1<<20) + "" + end:                                      431,
		"GET / HTTP/1.1\r\nHost: localhost\r\n" + strings.Repeat("A: b\r\n", 1<<15) + "\r\n": 431,
		"POST /" + s.token + "/v1/upscale?name=%0d%0aSet-Cookie:x%00&model=nearest" + end:    422,
	})
	got := s.do("PUT", s.url+"v1/upscale?model=nearest&name=%0d%0aSet-Cookie:x%2f..%5c%22a%0d%0aB:c.png",
		bytes.NewReader(hopper(t)), nil)
	if got.status != 200 || got.header.Get("B") != "" || got.header.Get("Set-Cookie") != "" ||
		strings.ContainsAny(got.header.Get("Content-Disposition"), "/\\\r\n") &&
			!strings.Contains(got.header.Get("Content-Disposition"), `\"`) {
		t.Errorf("%d %v", got.status, got.header)
	}
	s.works()
}

// Connections without a request, with half of one, or with one that is not admitted cannot keep other clients out,
// neither from other addresses nor from their own.
func TestManyConnections(t *testing.T) {
	s := start(t, nil) // with the usual time limits
	without := strings.ReplaceAll(s.head("Content-Length: 5000"), s.token, "no-token")
	for i := range mostConnections + 100 {
		s.raw([]string{"", "POST /", without}[i%3])
	}
	picture := hopper(t)
	for _, from := range []string{"127.0.0.1", "127.0.0.2"} {
		dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
		client := http.Client{Transport: &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true}}
		began := time.Now()
		got, err := client.Post(s.url+"v1/upscale?model=nearest", "image/png", bytes.NewReader(picture))
		if err != nil {
			if from != "127.0.0.1" && runtime.GOOS != "linux" {
				continue // it has one address
			}
			t.Fatal(err)
		}
		got.Body.Close()
		if took := time.Since(began); got.StatusCode != 200 || took > 3*time.Second {
			t.Errorf("from %s: %d after %v", from, got.StatusCode, took)
		}
	}
	s.left()
}

// A connection whose request was admitted stays open, however many others come. The number of connections never passes
// the limit, and closed ones do not count.
func TestConnectionsAreLimited(t *testing.T) {
	inner := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	l := newLimited(inner, 4, 3)
	defer l.Close()
	var taken []*counted
	open := func() net.Conn {
		c := must.Get(net.Dial("tcp", inner.Addr().String()))(t)
		t.Cleanup(func() { c.Close() })
		return c
	}
	accept := func() {
		open()
		c := must.Get(l.Accept())(t)
		taken = append(taken, c.(*counted))
	}
	accept()
	taken[0].change(1)
	for range 6 {
		accept()
	}
	if len(l.all) != 3 || !l.all[taken[0]] || !l.all[taken[6]] || l.all[taken[4]] {
		t.Errorf("%d connections", len(l.all))
	}
	for c := range l.all {
		if c.requests == 0 {
			c.change(1)
		}
	}
	refused := open()
	done := make(chan bool)
	go func() { // until there is one less
		accept()
		close(done)
	}()
	if _, err := refused.Read(make([]byte, 1)); err == nil {
		t.Error("more than may be")
	}
	for c := range maps.Clone(l.all) {
		c.change(-1)
		c.Close()
	}
	open()
	<-done
	if len(l.all) != 1 {
		t.Errorf("%d connections in the end", len(l.all))
	}
}

// Files that are huge or claim to be are refused, in little memory, which is freed; the server goes on.
func TestHostileFiles(t *testing.T) {
	golden.NotShort(t, "sends many files to a process")
	const limit = 64 << 20
	files := map[string][]byte{}
	for i, h := range imagetest.Hostile(t) {
		if i%consoletest.Full(3, 1) == 0 {
			files["hostile "+h.Name] = h.Data
		}
	}
	maps.Copy(files, imagetest.Bombs(t, 3000, 3000))
	files["hostile scans"] = imagetest.ManyScans(3000, 3000, 201)
	p := startProcess(t, "--max-memory", "64")
	sendAll(t, p.url, map[string][]byte{"good": hopper(t)})
	before, most := tree(p.Process.Pid), watchTree(p.Process.Pid)
	sendAll(t, p.url, files)
	peak, after := most(), int64(0)
	for range 100 { // the system takes memory back in its time
		if after = tree(p.Process.Pid); after < 2*before+64<<20 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if before > 0 && after > 3*before+96<<20 {
		t.Errorf("%d MiB before, %d after", before>>20, after>>20)
	}
	p.end()
	t.Logf("%d files: peak of %d MiB, the limit is %d", len(files), peak>>20, limit>>20)
	if peak > limit*12/10 { // a picture takes at most 1.2 times what it promises, and here one has nearly all
		t.Errorf("peak of %d MiB, the limit is %d", peak>>20, limit>>20)
	}
}

// sendAll sends files to the server at url, eight at a time, retries when it is busy, and checks the answers by the
// names of the files.
func sendAll(t *testing.T, url string, files map[string][]byte) {
	t.Helper()
	var group sync.WaitGroup
	slots := make(chan bool, 8)
	for name, data := range files {
		group.Go(func() {
			slots <- true
			defer func() { <-slots }()
			for {
				r, err := http.NewRequestWithContext(t.Context(), "PUT", url+"v1/upscale?model=nearest",
					bytes.NewReader(data))
				if err != nil {
					t.Error(err)
					return
				}
				got, err := http.DefaultClient.Do(r)
				if err != nil {
					t.Errorf("%s: %v", name, err)
					return
				}
				text, _ := io.ReadAll(got.Body)
				got.Body.Close()
				if got.StatusCode == http.StatusTooManyRequests {
					time.Sleep(200 * time.Millisecond)
					continue
				}
				refused, hostile := got.StatusCode == 413 || got.StatusCode == 422, strings.HasPrefix(name, "hostile")
				if bomb := strings.HasPrefix(name, "bomb"); !bomb && hostile != refused || !refused &&
					got.StatusCode != 200 {
					t.Errorf("%s: %d %.200q", name, got.StatusCode, text)
				}
				return
			}
		})
	}
	group.Wait()
}

// Nothing is left of clients that disconnect at any time.
func TestKilledClients(t *testing.T) {
	s := start(t, nil)
	picture := encoded(t, 900, 700)
	var group sync.WaitGroup
	for i := range 40 {
		group.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(1+i*i/4)*time.Millisecond)
			defer cancel()
			r, err := http.NewRequestWithContext(ctx, "PUT", fmt.Sprintf("%sv1/upscale?scale=4&id=%d", s.url, i%30),
				bytes.NewReader(picture))
			if err != nil {
				t.Error(err)
				return
			}
			if i%3 == 0 { // in the middle of its picture
				r.Body = io.NopCloser(io.MultiReader(bytes.NewReader(picture[:len(picture)/2]), stuck{ctx}))
			}
			got, err := http.DefaultClient.Do(r)
			if err == nil { // perhaps in the middle of its result
				got.Body.Close()
			}
		})
	}
	group.Wait()
	s.works()
}

// stuck is a body of which no byte comes until its context ends.
type stuck struct{ context.Context }

func (s stuck) Read([]byte) (int, error) { <-s.Done(); return 0, s.Err() }

// When the server ends, pictures in work are finished or cancelled with an answer, and nothing is left.
func TestEnd(t *testing.T) {
	s := start(t, func(o *options) { o.patience.end = 500 * time.Millisecond })
	told := s.events("long")
	answers := make(chan int, 2)
	for query, picture := range map[string][]byte{"effort=max&id=long": encoded(t, 1500, 1400),
		"model=nearest&id=short": encoded(t, 50, 40)} {
		go func() {
			got, err := http.Post(s.url+"v1/upscale?"+query, "image/png", bytes.NewReader(picture))
			if err != nil {
				answers <- 0
				return
			}
			got.Body.Close()
			answers <- got.StatusCode
		}()
	}
	for { // until the long one is in work
		if _, working := s.scheduler.Pictures(); working > 0 && len(answers) == 1 {
			break
		} else if len(answers) == 2 {
			t.Fatalf("both have ended, with %d and %d", <-answers, <-answers)
		}
		time.Sleep(time.Millisecond)
	}
	s.stop()
	if got := <-answers; got != 200 {
		t.Errorf("the short one: %d", got)
	}
	long := <-answers // which a quick machine finishes in the time that is left
	if long != 200 && long != 503 && long != 0 {
		t.Errorf("the long one: %d", long)
	}
	list := <-told
	if n := len(list); n > 0 &&
		!strings.Contains(list[n-1], map[int]string{200: `"event":"done"`, 503: "about to end"}[long]) {
		t.Errorf("the long one: %d, told %q", long, list[n-1])
	}
	s.left()
}
