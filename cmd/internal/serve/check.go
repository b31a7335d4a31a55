package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"superres/cmd/internal/console"
)

// checkTime is how long a server may take to answer a check.
const checkTime = 4 * time.Second

// check returns nil if superres serve answers at opt.address and accepts opt.token. If opt.token is empty, it also
// returns nil if the server refuses the request as superres serve does when a token is missing.
func check(ctx context.Context, opt options) error {
	host, port, _ := net.SplitHostPort(opt.address)
	if port == "0" {
		return console.Usage("--check: --listen %s does not say at which port the server is", opt.address)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() { // all addresses: try the machine's own
		host = "127.0.0.1"
		if ip != nil && ip.To4() == nil {
			host = "::1"
		}
	}
	at := net.JoinHostPort(host, port)
	fail := func(why any) error {
		return console.Failf(console.ExitNothing, "no superres serve answers at %s: %v", at, why)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+at+"/v1/options", http.NoBody)
	if err != nil {
		return console.Usage("--listen %s: expected HOST:PORT, such as 127.0.0.1:8020", opt.address)
	}
	if opt.token != "" {
		r.Header.Set("Authorization", "Bearer "+opt.token)
	}
	client := http.Client{Timeout: checkTime, Transport: &http.Transport{}, // ignores proxies set in the environment
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(r)
	if err != nil {
		return fail(reason(err))
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	switch {
	case err != nil:
		return fail(err)
	case answer.StatusCode == http.StatusOK && json.Valid(body):
		return nil
	case answer.StatusCode != http.StatusUnauthorized:
		return fail(answer.Status)
	}
	var f failure
	if json.Unmarshal(body, &f) != nil || f.Exit != console.ExitUsage {
		return fail(fmt.Sprintf("what does is another program (%s)", answer.Status))
	}
	if opt.token != "" {
		return fail("the one there has another token")
	}
	return nil
}
