package digits

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/urfave/cli/v2"

	"superres/cmd/internal/console"
	"superres/cmd/internal/console/consoletest"
	"superres/internal/golden"
	"superres/internal/must"
	"superres/mnist"
)

// mirror is a server of files that counts its requests.
type mirror struct {
	*httptest.Server
	requests atomic.Int64
}

func newMirror(t *testing.T, answer http.HandlerFunc) *mirror {
	m := new(mirror)
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.requests.Add(1)
		answer(w, r)
	}))
	t.Cleanup(m.Close)
	return m
}

// count returns how many requests there were since the last count.
func (m *mirror) count() int { return int(m.requests.Swap(0)) }

// stock returns a small list of files and a handler that serves them.
func stock() ([]mnist.OfficialFile, http.HandlerFunc) {
	var files []mnist.OfficialFile
	content := map[string][]byte{}
	for i, name := range []string{"a.gz", "b.gz", "c.gz"} {
		data := bytes.Repeat([]byte(name), 20000*(i+1))
		content[name] = data
		files = append(files, mnist.OfficialFile{Name: name, Size: int64(len(data)), Sum: sha256.Sum256(data)})
	}
	return files, func(w http.ResponseWriter, r *http.Request) {
		data, ok := content[strings.TrimPrefix(r.URL.Path, "/mnist/")]
		if !ok {
			http.NotFound(w, r)
			return
		}
		if r.Header.Get("Accept-Encoding") == "gzip" { // the downloader must ask for the bytes as stored
			http.Error(w, "gzip", http.StatusTeapot)
			return
		}
		w.Write(data)
	}
}

// newDownloader returns a downloader for tests, and the messages that it writes.
func newDownloader(files []mnist.OfficialFile, mirrors ...*mirror) (*downloader, *strings.Builder) {
	said := new(strings.Builder)
	silent := flag.NewFlagSet("", flag.PanicOnError)
	silent.String("progress", "none", "")
	bar := console.NewProgress(cli.NewContext(nil, silent, nil), &console.Streams{Err: said})
	d := &downloader{files: files, client: &http.Client{Transport: &http.Transport{DisableCompression: true}}, bar: bar}
	d.opt.Timeout = time.Minute
	for _, m := range mirrors {
		d.opt.Mirrors = append(d.opt.Mirrors, m.URL+"/mnist/")
	}
	d.say = func(format string, args ...any) { fmt.Fprintf(said, format+"\n", args...) }
	return d, said
}

// into runs d with the folder dir.
func into(t *testing.T, d *downloader, dir string) error {
	d.opt.Dir = dir
	return d.fetchMissing(t.Context())
}

// checkFiles checks that dir has the files, complete, and nothing else.
func checkFiles(t *testing.T, dir string, files []mnist.OfficialFile) {
	t.Helper()
	var names []string
	for _, f := range files {
		names = append(names, f.Name)
		if sha256.Sum256(consoletest.Read(t, filepath.Join(dir, f.Name))) != f.Sum {
			t.Errorf("%s is not what it should be", f.Name)
		}
	}
	if got := consoletest.Tree(t, dir); !slices.Equal(got, names) {
		t.Errorf("the folder has %v", got)
	}
}

// Missing files are fetched, complete files are not, and a damaged file only if it may be overwritten.
func TestDownload(t *testing.T) {
	files, answer := stock()
	server := newMirror(t, answer)
	d, said := newDownloader(files, server)
	dir := filepath.Join(t.TempDir(), "new", "folder")
	if err := into(t, d, dir); err != nil || server.count() != 3 ||
		strings.Count(said.String(), ": from "+server.URL) != 3 {
		t.Fatalf("%v\n%s", err, said)
	}
	checkFiles(t, dir, files)
	said.Reset()
	if err := into(t, d, dir); err != nil || server.count() != 0 ||
		strings.Count(said.String(), "is there and right") != 3 {
		t.Errorf("again: %v\n%s", err, said)
	}
	damaged := filepath.Join(dir, "b.gz")
	consoletest.Put(t, damaged, []byte("half"))
	if err := into(t, d, dir); console.ExitCode(err) != 5 || server.count() != 0 ||
		!strings.Contains(err.Error(), "b.gz exists and is not MNIST's; use --on-exist overwrite") ||
		string(consoletest.Read(t, damaged)) != "half" {
		t.Errorf("damaged: %v", err)
	}
	d.opt.Overwrite = true
	if err := into(t, d, dir); err != nil || server.count() != 1 {
		t.Errorf("overwriting: %v", err)
	}
	checkFiles(t, dir, files)
}

// If a mirror lacks the file, has other content, or stops early or before it begins, the next mirror is tried, and
// nothing that it sent is kept.
func TestDownloadFallsBack(t *testing.T) {
	files, answer := stock()
	good := newMirror(t, answer)
	stop := make(chan bool)
	defer close(stop)
	for name, c := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"missing": {http.NotFound, "answers 404 Not Found"},
		"other": {func(w http.ResponseWriter, r *http.Request) {
			rec := httptest.NewRecorder()
			answer(rec, r)
			data := rec.Body.Bytes()
			data[len(data)/2] ^= 1
			w.Write(data)
		}, "has another SHA-256 than the official file"},
		"page": {func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "<html>please log in") },
			"has 19 bytes, expected "},
		"large": {func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Content-Length", "10000000000") },
			"has 10000000000 bytes, expected "},
		"endless": {func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 1<<16)); err != nil {
					return
				}
			}
		}, "has more than the "},
		"broken": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "60000")
			w.Write(make([]byte, 50000))
		}, "breaks off after 50000 of "},
		"slow": {func(w http.ResponseWriter, r *http.Request) {
			w.Write(make([]byte, 1000))
			w.(http.Flusher).Flush()
			select {
			case <-stop:
			case <-r.Context().Done():
			}
		}, "took longer than 0.2 s"},
	} {
		t.Run(name, func(t *testing.T) {
			files, timeout := files, time.Minute
			if name == "slow" {
				files, timeout = files[:1], 200*time.Millisecond
			}
			n := len(files)
			bad := newMirror(t, c.answer)
			d, said := newDownloader(files, bad, good)
			d.opt.Timeout = timeout
			dir := t.TempDir()
			good.count()
			if err := into(t, d, dir); err != nil || bad.count() < n || good.count() != n ||
				strings.Count(said.String(), ": from "+good.URL) != n {
				t.Fatalf("%v\n%s", err, said)
			}
			checkFiles(t, dir, files)

			// With only this mirror, each file fails with its reason.
			d, said = newDownloader(files, bad)
			d.opt.Timeout = timeout
			dir = t.TempDir()
			err := into(t, d, dir)
			if console.ExitCode(err) != 1 || !strings.Contains(err.Error(), "no file could be fetched") ||
				strings.Count(said.String(), c.want) != n || strings.Count(said.String(), "\n") != n ||
				len(consoletest.Tree(t, dir)) != 0 {
				t.Errorf("%v\n%sfiles %v", err, said, consoletest.Tree(t, dir))
			}
		})
	}
	// The exit code differs if some of the files are fetched, not none.
	lacking := newMirror(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "b.gz") {
			http.Error(w, "no", http.StatusServiceUnavailable)
			return
		}
		answer(w, r)
	})
	d, _ := newDownloader(files, lacking)
	dir := t.TempDir()
	if err := into(t, d, dir); console.ExitCode(err) != 3 ||
		!strings.Contains(err.Error(), "1 of 3 files could not be fetched, 2 are there") ||
		!slices.Equal(consoletest.Tree(t, dir), []string{"a.gz", "c.gz"}) {
		t.Errorf("%v", err)
	}
	// A mirror that is gone.
	lacking.Close()
	d, said := newDownloader(files[:1], lacking)
	if err := into(t, d, dir+"/x"); console.ExitCode(err) != 1 || !strings.Contains(said.String(), "refused") ||
		len(consoletest.Tree(t, dir+"/x")) != 0 {
		t.Errorf("%v\n%s", err, said)
	}
}

// A file that cannot be written ends the download at once; an interruption leaves no file behind.
func TestDownloadStops(t *testing.T) {
	files, answer := stock()
	server := newMirror(t, answer)
	dir := t.TempDir()
	consoletest.Put(t, filepath.Join(dir, "file"), nil)
	d, _ := newDownloader(files, server)
	if err := into(t, d, filepath.Join(dir, "file", "folder")); console.ExitCode(err) != 5 {
		t.Errorf("below a file: %v", err)
	}
	must.Succeed(t, os.Mkdir(filepath.Join(dir, "a.gz"), 0o777))
	d.opt.Overwrite = true
	if err := into(t, d, dir); console.ExitCode(err) != 5 || !strings.Contains(err.Error(), "is a folder") ||
		server.count() != 0 {
		t.Errorf("onto a folder: %v", err)
	}

	began := make(chan bool, 10)
	endless := newMirror(t, func(w http.ResponseWriter, r *http.Request) {
		w.Write(make([]byte, 1000))
		w.(http.Flusher).Flush()
		began <- true
		<-r.Context().Done()
	})
	dir = t.TempDir()
	program.InterruptedAfter(t, dir, began, "mnist", "download", "--dir", dir, "--mirror", endless.URL)
}

func TestDownloadCommand(t *testing.T) {
	dir := t.TempDir()
	server := newMirror(t, http.NotFound)
	program.RefusesLines(t, dir, "mnist", []consoletest.RefusedLine{
		{"download", 2, "say where the files go with --dir DIR"},
		{"download --dir d extra", 2, `download takes no argument, got "extra"`},
		{"download --dir d --mirror ftp://x/", 2,
			"--mirror ftp://x/: expected an address that begins with https:// or http://"},
		{"download --dir d --mirror mirror", 2, "--mirror mirror: expected an address"},
		{"download --dir d --timeout 0s", 2, "--timeout 0s"},
		{"download --dir d --on-exist skip", 2, "(known: fail overwrite)"},
		{"download --dri d", 2, `did you mean "--dir"?`},
		{"--limit 5 download", 2, "the command mnist download comes before all flags"},
	})
	_, stderr, code := call(t, dir, "", "mnist", "download", "--dir", "d", "--mirror", server.URL, "--mirror",
		server.URL+"/again/")
	if code != 1 || strings.Count(stderr, "\n") != 5 || strings.Count(stderr, "404 Not Found") != 8 ||
		!strings.Contains(stderr, "superres: train-images-idx3-ubyte.gz: "+server.URL+
			"/train-images-idx3-ubyte.gz: answers") || len(consoletest.Tree(t, dir)) != 0 {
		t.Errorf("exit %d, %s", code, stderr)
	}
	stdout, _ := program.Succeeds(t, dir, "mnist", "download", "--help")
	consoletest.InOrder(t, stdout, "EXAMPLES\n   superres mnist download --dir")
}

// The files of MNIST, if they are available, are downloaded from a local server.
func TestDownloadFiles(t *testing.T) {
	from := filepath.Dir(golden.Data(t, "mnist", "train-images-idx3-ubyte.gz"))
	server := newMirror(t, http.FileServer(http.Dir(from)).ServeHTTP)
	dir := t.TempDir()
	if _, stderr, code := call(t, dir, "", "mnist", "download", "--dir", ".", "--mirror", server.URL); code != 0 ||
		server.count() != 4 {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	files := mnist.OfficialFiles()
	list := files[:]
	slices.SortFunc(list, func(a, b mnist.OfficialFile) int { return strings.Compare(a.Name, b.Name) })
	checkFiles(t, dir, list)
}
