package serve

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"superres/internal/must"
)

func TestCheck(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1") // not used
	t.Setenv("SUPERRES_TOKEN", "")
	s := start(t, nil)
	at := strings.TrimSuffix(strings.TrimPrefix(s.bare, "http://"), "/")
	_, port, _ := net.SplitHostPort(at)
	free := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	must.Succeed(t, free.Close())
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	guarded := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer guarded.Close()
	host := func(s *httptest.Server) string { return strings.TrimPrefix(s.URL, "http://") }
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"--listen", at}, 0, ""},
		{[]string{"--listen", at, "--token", s.token}, 0, ""},
		{[]string{"--listen", "0.0.0.0:" + port}, 0, ""},
		{[]string{"--listen", ":" + port}, 0, ""},
		{[]string{"--listen", at, "--token", "wrong-wrong-wrong"}, 1, "another token"},
		{[]string{"--listen", free.Addr().String()}, 1, "connection refused"},
		{[]string{"--listen", host(other)}, 1, "404 Not Found"},
		{[]string{"--listen", host(guarded)}, 1, "another program"},
		{[]string{"--listen", "127.0.0.1:0"}, 2, "does not say at which port"},
	} {
		out, said, code := program.Call(t, t.TempDir(), "", append([]string{"serve", "--check"}, c.args...)...)
		if code != c.code || out != "" || !strings.Contains(said, c.says) || c.says == "" && said != "" {
			t.Errorf("%q: exit code %d, %q, %q; expected %d and %q", c.args, code, out, said, c.code, c.says)
		}
	}
}
