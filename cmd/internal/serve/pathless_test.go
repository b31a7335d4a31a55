package serve

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"superres/cmd/internal/console"
	"superres/internal/must"
	"superres/internal/safefile"
)

// A message has no path of the machine, whatever error has it, and however it was worded on the way.
func TestMessagesWithoutPaths(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the paths are those of Unix")
	}
	open := &fs.PathError{Op: "open", Path: "/srv/John Doe/models/x.npz", Err: fs.ErrPermission}
	for _, c := range []struct {
		err  error
		want string
	}{
		{safefile.Unwritable("/tmp", errors.New("the disk is full")),
			"a file of the server: cannot be written: the disk is full; try another name or folder"},
		{fmt.Errorf("what reads pictures: %w; try again", open),
			"what reads pictures: open a file of the server: permission denied; try again"},
		{console.Fail(console.ExitModel, errors.Join(errors.New("model x"),
			safefile.Unreadable("models/x y.npz", open))),
			"model x a file of the server: cannot be read: permission denied; check its mode"},
		{&os.LinkError{Op: "link", Old: "/a b", New: "/a b/c", Err: fs.ErrExist},
			"link a file of the server a file of the server: file already exists"},
		{safefile.Unreadable("/srv/a\nb/c", fs.ErrNotExist), "a file of the server: does not exist; check the name"},
		{safefile.Unreadable("/srv/"+strings.Repeat("a", 300), fs.ErrNotExist),
			"a file of the server: does not exist; check the name"},
		{errors.New("panic: open /root/x: no"), "panic: open a file of the server: no"},
		{errors.New(`panic (C:\Users\x)`), "panic (a file of the server)"},
		// What a client said itself, and what is no path.
		{errors.New(`model "/x/y" is unknown`), `model "/x/y" is unknown`},
		{errors.New("expected multipart/form-data, 1/4 or 1 / 4"), "expected multipart/form-data, 1/4 or 1 / 4"},
		{safefile.Unreadable("a.png", fs.ErrNotExist), "a.png: does not exist; check the name"},
	} {
		if got := pathless(c.err); got != c.want {
			t.Errorf("got  %q\nwant %q", got, c.want)
		}
	}
}

// Clients are told of a fault of the server without its paths, also as the last event; the operator with them.
func TestFaultsOfServerTellNoPath(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the folder for temporary files has another variable")
	}
	s := start(t, nil)
	picture := hopper(t)
	s.works()
	secret := filepath.Join(t.TempDir(), "John Doe", "secret")
	hides := func(what string, got answer) {
		t.Helper()
		if got.status != http.StatusInternalServerError || !bytes.Contains(got.body, []byte(ofServer)) ||
			bytes.ContainsAny(got.body, "/") {
			t.Errorf("%s: %d %s", what, got.status, got.body)
		}
		if log := s.lines.all(); len(log) == 0 || !strings.Contains(log[len(log)-1], secret) {
			t.Errorf("%s: the log has %q", what, log)
		}
	}
	t.Setenv("TMPDIR", secret)
	for _, call := range []string{"upscale", "inspect"} {
		hides(call, s.do("PUT", s.url+"v1/"+call+"?model=nearest", bytes.NewReader(picture), nil))
	}
	t.Setenv("TMPDIR", s.folder)

	models := filepath.Join(secret, "models")
	must.Succeed(t, os.MkdirAll(models, 0o700))
	must.Succeed(t, os.WriteFile(filepath.Join(models, "broken.npz"), []byte("no model"), 0o600))
	t.Setenv("SUPERRES_MODELS", models)
	got := s.do("PUT", s.url+"v1/upscale?model=broken", bytes.NewReader(picture), nil)
	if got.status != http.StatusBadRequest || bytes.Contains(got.body, []byte("secret")) ||
		!bytes.Contains(got.body, []byte("broken")) {
		t.Errorf("a broken model: %d %s", got.status, got.body)
	}
	s.left()
}
