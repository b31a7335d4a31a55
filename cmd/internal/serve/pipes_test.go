package serve

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"superres/cmd/internal/console"
	"superres/cmd/internal/console/consoletest"
	"superres/internal/golden"
	"superres/internal/imagefile"
	"superres/internal/must"
)

// byPipes runs superres serve --listen - with the request heads and bodies in in, and returns its answers with their
// bodies, which are read while it runs. in is closed at the end; the server must then end with the exit code 0.
func byPipes(t *testing.T, in ...string) (answers []answer) {
	t.Helper()
	fromHere, requests := io.Pipe()
	replies, toHere := io.Pipe()
	code, errs := make(chan int, 1), new(bytes.Buffer)
	go func() {
		code <- program.Run(context.Background(), fromHere, toHere, errs,
			[]string{"superres", "serve", "--listen", "-"})
		_ = toHere.Close()
	}()
	read := bufio.NewReader(replies)
	for _, text := range in {
		must.Get(io.WriteString(requests, text))(t)
		got := must.Get(http.ReadResponse(read, nil))(t)
		body := must.Get(io.ReadAll(got.Body))(t)
		answers = append(answers, answer{got.StatusCode, got.Header, body})
	}
	_ = requests.Close()
	select {
	case got := <-code:
		if rest, err := io.ReadAll(read); got != console.ExitOK || len(rest) > 0 || err != nil || errs.Len() > 0 {
			t.Errorf("exit %d, %q left (%v), %s", got, rest, err, errs)
		}
	case <-time.After(time.Minute):
		t.Fatal("the server outlives its input")
	}
	return answers
}

// request returns an HTTP request to enlarge the picture in body.
func request(query string, body []byte) string {
	return fmt.Sprintf("PUT /v1/upscale?%s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", query,
		len(body), body)
}

// By pipes there are the answers that there are at an address, to the bytes of the command, and errors end nothing.
func TestPipes(t *testing.T) {
	dir, picture := t.TempDir(), hopper(t)
	consoletest.Put(t, filepath.Join(dir, "a.png"), picture)
	program.Succeeds(t, dir, "upscale", "-q", "a.png", "-o", "b.png")
	want := consoletest.Read(t, dir, "b.png")
	got := byPipes(t, request("scale=2", picture), request("scale=99", picture), request("", []byte("no picture")),
		request("scale=2", picture))
	for _, i := range []int{0, 3} {
		if got[i].status != http.StatusOK || !bytes.Equal(got[i].body, want) {
			t.Errorf("answer %d: %d with %d bytes, expected the %d bytes of the command", i, got[i].status,
				len(got[i].body), len(want))
		}
	}
	got[1].failed(t, "scale 99", http.StatusBadRequest, console.ExitUsage, "scale")
	got[2].failed(t, "no picture", http.StatusUnprocessableEntity, console.ExitInput, "not an image")
}

// After an answer with which it closes the connection, to a picture that is too large, the server ends.
func TestPipesEndWithTheConnection(t *testing.T) {
	got := byPipes(t, fmt.Sprintf("PUT /v1/upscale HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n",
		imagefile.MaxBytes+1))
	got[0].failed(t, "a large picture", http.StatusRequestEntityTooLarge, console.ExitLimit, "256 MiB")
}

// The server ends at the end of its input, also while it enlarges.
func TestPipesEndAtOnce(t *testing.T) {
	large := string(consoletest.Read(t, golden.Root(t), "testdata/golden/hopper_photo.png"))
	var out bytes.Buffer
	began := time.Now()
	code := program.Run(t.Context(), strings.NewReader(request("scale=16&effort=max", []byte(large))), &out, io.Discard,
		[]string{"superres", "serve", "--listen", "-"})
	if took := time.Since(began); code != console.ExitOK || out.Len() > 0 || took > 30*time.Second {
		t.Errorf("exit %d after %v, %.200s", code, took, out.String())
	}
}

func TestPipesRefuse(t *testing.T) {
	program.Ends(t, t.TempDir(), console.ExitUsage, "leave it out", "serve", "--listen", "-", "--token", "none")
}
